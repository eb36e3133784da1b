#include "archive/glob.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bool match(const char *pattern, const char *name)
{
  struct tarn_glob glob;
  bool yes;

  assert_int_equal(tarn_glob_init(&glob, pattern, NULL), 0);
  yes = tarn_glob_matches(&glob, name, strlen(name));
  tarn_glob_close(&glob);
  return yes;
}

struct row {
  const char *pattern;
  const char *yes[6], *no[6];
};

static void check(const struct row *rows, size_t n)
{
  size_t i, k;

  for (i = 0; i < n; i++) {
    for (k = 0; k < 6 && rows[i].yes[k]; k++)
      if (!match(rows[i].pattern, rows[i].yes[k]))
        fail_msg("%s: not %s", rows[i].pattern, rows[i].yes[k]);
    for (k = 0; k < 6 && rows[i].no[k]; k++)
      if (match(rows[i].pattern, rows[i].no[k]))
        fail_msg("%s: %s", rows[i].pattern, rows[i].no[k]);
  }
}

#define CHECK(rows) check(rows, sizeof rows / sizeof rows[0])

static void a_pattern_begins_at_any_component_and_ends_with_one(void **state)
{
  static const struct row rows[] = {
      {"dir",
       {"dir", "a/dir", "./dir", "/dir", "dir/", "a//dir"},
       {"adir", "dira", "a/dirb", "d", "a/d/ir", "Dir"}},
      {"dir/f", {"dir/f", "a/dir/f", "./dir/f"}, {"dir/ff", "xdir/f"}},
      {"./dir", {"./dir", "a/./dir"}, {"dir", "a/dir", "/dir"}},
      {"/a", {"/a"}, {"a", "./a", "b/a"}},
      {".", {".", "./a", "a/."}, {"a", ".a"}},
      {"dir/", {NULL}, {"dir", "dir/", "dir/f"}},
      {"", {NULL}, {"", "a", "a/", "/a"}},
  };

  (void)state;
  CHECK(rows);
}

static void what_a_pattern_matches_stands_for_all_beneath(void **state)
{
  static const struct row rows[] = {
      {"dir", {"dir/f", "dir/sub/g", "a/dir/b/c", "dir//f"}, {"dirf/g"}},
      {"d?r", {"dir/f/g", "a/d/r", "dor/x"}, {"dr/f", "dirt/x"}},
      {"*.d", {"a.d/f", "x/y.d/f/g", ".d"}, {"a.dd", "a.d.c/f"}},
      {"[xy]", {"x/a", "a/y/b"}, {"xx/a"}},
  };

  (void)state;
  CHECK(rows);
}

static void wildcards_match_slashes_and_leading_dots(void **state)
{
  static const struct row rows[] = {
      {"*", {"a", ".a", "a/b", "/"}, {NULL}},
      {"a*b", {"ab", "a/b", "axxb", "c/ab/d", "a/x/y/b"}, {"a", "ba", "a/c"}},
      {"a?b", {"a/b", "axb", "a.b"}, {"ab", "axxb"}},
      {"*a*b*c", {"abc", "xaxbxc", "a/b/c", "aabbcc/d"}, {"acb", "abcx"}},
      {"**", {"a", "a/b"}, {NULL}},
      {"a**b", {"ab", "axb"}, {"a"}},
      {"dir/*", {"dir/f", "dir/f/g", "x/dir/f"}, {"dir", "dir/"}},
      {"*ab", {"aab", "abab", "ab/x"}, {"aba"}},
      {"a/*c", {"b/a/x/c", "a/ac/c"}, {"b/c", "a/b"}},
  };

  (void)state;
  CHECK(rows);
}

static void a_backslash_takes_away_the_meaning_of_the_next_byte(void **state)
{
  static const struct row rows[] = {
      {"a\\*b", {"a*b", "a*b/c"}, {"axb", "ab", "a\\b"}},
      {"\\?", {"?", "a/?"}, {"a", "\\?"}},
      {"\\[a]", {"[a]"}, {"a", "\\[a]"}},
      {"d\\ir", {"dir"}, {"d\\ir"}},
      {"a\\\\b", {"a\\b"}, {"ab", "a\\\\b"}},
      {"a\\", {NULL}, {"a", "a\\"}},
      {"*\\", {NULL}, {"a", "\\", "a\\"}},
  };

  (void)state;
  CHECK(rows);
}

static void brackets_hold_bytes_ranges_and_their_contrary(void **state)
{
  static const struct row rows[] = {
      {"[abc]", {"a", "b", "c", "x/a"}, {"d", "ab", "[abc]", "A"}},
      {"[a-c]x", {"ax", "cx"}, {"dx", "-x"}},
      {"[!a-c]", {"d", "-", "x/z"}, {"a", "c"}},
      {"[^a]", {"b", "^"}, {"a"}},
      {"[]a]", {"]", "a"}, {"b", "[]a]"}},
      {"[!]a]", {"b"}, {"]", "a"}},
      {"[a-]", {"a", "-"}, {"b"}},
      {"[-a]", {"a", "-"}, {"b"}},
      {"[\\]a]", {"]", "a"}, {"\\", "b"}},
      {"[\\!a]", {"!", "a"}, {"b", "\\"}},
      {"[c-a]", {NULL}, {"a", "b", "c"}},
      {"a[/]b", {"a/b"}, {"ab", "axb"}},
      {"[!/]*", {"a", "ab/c", "/a"}, {"", "/"}},
      {"[*?]", {"*", "?"}, {"a"}},
      {"[--0]", {"-", ".", "0"}, {"1", "+"}},
  };

  (void)state;
  CHECK(rows);
}

static void brackets_know_the_classes_of_posix(void **state)
{
  static const struct row rows[] = {
      {"[[:alpha:]]", {"a", "Z"}, {"1", "\xc3", ":"}},
      {"[[:digit:]x]", {"0", "9", "x"}, {"a", ":"}},
      {"[![:space:]]", {"a", "_"}, {" ", "\t", "\r"}},
      {"[[:punct:]]", {"!", "~", "_", "@"}, {"a", "0", " "}},
      {"[[:upper:][:digit:]]", {"A", "5"}, {"a"}},
      {"[[:xdigit:]]", {"f", "F", "0"}, {"g"}},
      {"[[:cntrl:]]", {"\1", "\x7f"}, {"a", "\x80"}},
      {"[[:print:]]", {" ", "~"}, {"\t", "\x80"}},
      {"[[=a=]b]", {"a", "b"}, {"=", "c"}},
      {"[[.-.]x]", {"-", "x"}, {".", "["}},
      {"a[[.[.]]b", {"a[b"}, {"ab"}},
      {"[[.a.]-c]", {"a", "b", "c"}, {"d"}},
      {"[[:foo:]]", {NULL}, {"f", "a", ":"}},
      {"[[.hyphen.]]", {NULL}, {"-", "h"}},
      {"[[:alpha:]-z]", {"a", "z", "-"}, {"1"}},
  };

  (void)state;
  CHECK(rows);
}

static void a_bracket_that_is_not_closed_stands_for_itself(void **state)
{
  static const struct row rows[] = {
      {"a[b", {"a[b", "a[b/c"}, {"ab", "a"}},
      {"[", {"[", "x/["}, {"a", "]"}},
      {"[]", {"[]"}, {"]", "["}},
      {"[!", {"[!"}, {"a"}},
      {"[a-", {"[a-"}, {"a"}},
      {"[[:alpha:]", {"[a", "[:"}, {"a"}},
      {"[[[[[", {"[[[[["}, {"["}},
  };

  (void)state;
  CHECK(rows);
}

static void names_are_bytes_and_not_text(void **state)
{
  static const struct row rows[] = {
      {"\xff*", {"\xff", "\xff\xfe"}, {"\xfe"}},
      {"a?c",
       {"a\xff"
        "c"},
       {"a\xc3\xa9"
        "c"}},
      {"a??c",
       {"a\xc3\xa9"
        "c"},
       {"a\xff"
        "c"}},
      {"[\x80-\xff]", {"\x80", "\xff", "\xc3"}, {"\x7f", "a"}},
      {"\xc3\xa9", {"\xc3\xa9", "x/\xc3\xa9/y"}, {"\xc3", "e"}},
  };

  (void)state;
  CHECK(rows);
}

/* Patterns on which a matcher that tries all stars takes for ever. */
static void many_stars_and_components_take_no_time_worth_mention(void **state)
{
  size_t len = 200000, i;
  char *name = malloc(len + 1);
  char pattern[200];

  (void)state;
  assert_non_null(name);
  memset(name, 'a', len);
  name[len] = 0;
  for (i = 0; i + 2 < sizeof pattern; i += 2)
    memcpy(pattern + i, "a*", 2);
  memcpy(pattern + i, "b", 2);
  assert_false(match(pattern, name));
  for (i = 1; i < len; i += 2)
    name[i] = '/';
  assert_false(match(pattern, name));
  assert_false(match("a/a/a/a/a/a/b", name));
  assert_true(match("a*", name));
  assert_false(match("*a?b", name));
  free(name);
}

/* The name's memory ends with it. */
static void nothing_behind_the_name_is_looked_at(void **state)
{
  static const char *const patterns[] = {"ab",   "a*",  "*b",   "a?", "?b*",
                                         "a[b]", "abc", "ab/c", "*"};
  size_t i;

  (void)state;
  for (i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
    struct tarn_glob glob;
    char *name = malloc(2);

    assert_non_null(name);
    memcpy(name, "ab", 2);
    assert_int_equal(tarn_glob_init(&glob, patterns[i], NULL), 0);
    assert_int_equal(tarn_glob_matches(&glob, name, 2), i < 6 || i == 8);
    assert_int_equal(tarn_glob_matches(&glob, name, 0), i == 8);
    tarn_glob_close(&glob);
    free(name);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_pattern_begins_at_any_component_and_ends_with_one),
      cmocka_unit_test(what_a_pattern_matches_stands_for_all_beneath),
      cmocka_unit_test(wildcards_match_slashes_and_leading_dots),
      cmocka_unit_test(a_backslash_takes_away_the_meaning_of_the_next_byte),
      cmocka_unit_test(brackets_hold_bytes_ranges_and_their_contrary),
      cmocka_unit_test(brackets_know_the_classes_of_posix),
      cmocka_unit_test(a_bracket_that_is_not_closed_stands_for_itself),
      cmocka_unit_test(names_are_bytes_and_not_text),
      cmocka_unit_test(many_stars_and_components_take_no_time_worth_mention),
      cmocka_unit_test(nothing_behind_the_name_is_looked_at),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
