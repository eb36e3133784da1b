#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "http/reply.h"

/* A field "Name: value" for a reply; a list ends with NULL. */
enum { MAX_FIELDS = 5 };

/* What was asked and what is known; the usual ones below. */
struct setting {
  bool ranged, known, redirected, delivered, conditional;
  uint64_t first, last;
  const char *etag; /* of the known object, with W/ when weak */
  const char *date; /* its Last-Modified */
  bool no_total;
};

struct judged {
  enum tarn_verdict verdict;
  struct tarn_err err;
};

static struct tarn_reply make_reply(int status, const char *const *fields)
{
  struct tarn_reply r;
  char name[64];
  size_t i;

  tarn_reply_init(&r, status);
  for (i = 0; i < MAX_FIELDS && fields && fields[i]; i++) {
    const char *colon = strchr(fields[i], ':');

    memcpy(name, fields[i], (size_t)(colon - fields[i]));
    name[colon - fields[i]] = '\0';
    tarn_reply_field(&r, name, colon + 1);
  }
  return r;
}

static struct tarn_object make_object(const struct setting *set)
{
  struct tarn_object object;
  const char *const fields[] = {set->no_total ? "Content-Range: bytes 0-9/*"
                                              : "Content-Range: bytes 0-9/100",
                                NULL};
  struct tarn_reply r = make_reply(206, fields);

  memset(&object, 0, sizeof object);
  if (!set->known)
    return object;
  if (set->etag)
    tarn_reply_field(&r, "ETag", set->etag);
  if (set->date)
    tarn_reply_field(&r, "Last-Modified", set->date);
  tarn_object_learn(&object, &r, TARN_REPLY_RANGE);
  return object;
}

static struct judged judge(const struct setting *set, int status,
                           const char *const *fields)
{
  struct tarn_object object = make_object(set), before = object;
  struct tarn_reply r = make_reply(status, fields);
  struct tarn_ask ask = {0};
  struct judged j;

  ask.ranged = set->ranged;
  ask.first = set->first;
  ask.last = set->last;
  ask.redirected = set->redirected;
  ask.delivered = set->delivered;
  ask.conditional = set->conditional;
  memset(&j, 0, sizeof j);
  j.verdict = tarn_reply_judge(&r, &ask, &object, &j.err);
  assert_memory_equal(&object, &before, sizeof object);
  if (j.verdict == TARN_REPLY_RETRY || j.verdict == TARN_REPLY_THROTTLED ||
      j.verdict == TARN_REPLY_FATAL) {
    assert_true(j.err.code < 0);
    assert_true(j.err.text[0] != '\0');
    assert_int_equal(j.err.http_status, status);
  } else {
    assert_int_equal(j.err.code, 0);
  }
  return j;
}

static const struct setting first_range = {.ranged = true, .last = 9};
static const struct setting first_plain = {.ranged = false};
static const struct setting later_range = {.ranged = true,
                                           .known = true,
                                           .first = 50,
                                           .last = 59,
                                           .etag = "\"a\"",
                                           .date = "Mon",
                                           .delivered = true};

struct rule {
  const char *fields[MAX_FIELDS];
  enum tarn_verdict verdict;
  int code;
};

static void check_rules(const struct setting *set, int status,
                        const struct rule *rules, size_t n)
{
  size_t i;

  for (i = 0; i < n; i++) {
    struct judged j = judge(set, status, rules[i].fields);

    if (j.verdict != rules[i].verdict || j.err.code != rules[i].code)
      fail_msg("rule %zu (%s): verdict %d, code %d: %s", i,
               rules[i].fields[0] ? rules[i].fields[0] : "no field",
               (int)j.verdict, j.err.code, j.err.text);
  }
}
#define CHECK(set, status, rules)                                              \
  check_rules(set, status, rules, sizeof(rules) / sizeof(rules)[0])

static void a_206_to_the_first_range_is_taken_only_as_asked(void **s)
{
  static const struct rule rules[] = {
      {{"Content-Range: bytes 0-9/100"}, TARN_REPLY_RANGE, 0},
      {{"Content-Range: bytes 0-9/*"}, TARN_REPLY_RANGE, 0},
      {{"Content-Range: bytes 0-9/100", "Content-Length: 10"},
       TARN_REPLY_RANGE,
       0},
      /* Shorter than asked is legal. */
      {{"Content-Range: bytes 0-4/100"}, TARN_REPLY_RANGE, 0},
      {{"Content-Range: bytes 0-4/5"}, TARN_REPLY_RANGE, 0},
      {{"Content-Range: bytes 0-10/100"}, TARN_REPLY_RETRY, TARN_EPROTO},
      {{"Content-Range: bytes 1-9/100"}, TARN_REPLY_RETRY, TARN_EPROTO},
      {{"Content-Range: bytes 0-9/9"}, TARN_REPLY_RETRY, TARN_EPROTO},
      {{"Content-Range: bytes */100"}, TARN_REPLY_RETRY, TARN_EPROTO},
      {{NULL}, TARN_REPLY_RETRY, TARN_EPROTO},
      {{"Content-Range: bytes 0-9/100", "Content-Length: 11"},
       TARN_REPLY_RETRY,
       TARN_EPROTO},
      {{"Content-Range: bytes 0-9/100", "Content-Length: 9"},
       TARN_REPLY_RETRY,
       TARN_EPROTO},
  };

  (void)s;
  CHECK(&first_range, 206, rules);
}

static void a_coded_206_is_ranged_on_only_with_a_strong_tag(void **s)
{
  static const struct rule rules[] = {
      {{"Content-Range: bytes 0-9/100", "Content-Encoding: gzip"},
       TARN_REPLY_PLAIN,
       0},
      {{"Content-Range: bytes 0-9/100", "Content-Encoding: gzip",
        "ETag: W/\"a\""},
       TARN_REPLY_PLAIN,
       0},
      {{"Content-Range: bytes 0-9/100", "Content-Encoding: gzip",
        "ETag: \"a\""},
       TARN_REPLY_RANGE,
       0},
      {{"Content-Range: bytes 0-9/100", "Content-Encoding: identity"},
       TARN_REPLY_RANGE,
       0},
  };

  (void)s;
  CHECK(&first_range, 206, rules);
}

static void a_206_to_a_later_range_must_be_of_the_known_object(void **s)
{
  static const struct rule rules[] = {
      {{"Content-Range: bytes 50-59/100", "ETag: \"a\""}, TARN_REPLY_RANGE, 0},
      {{"Content-Range: bytes 50-59/100"}, TARN_REPLY_RANGE, 0},
      {{"Content-Range: bytes 50-50/100"}, TARN_REPLY_RANGE, 0},
      {{"Content-Range: bytes 50-59/*"}, TARN_REPLY_RANGE, 0},
      {{"Content-Range: bytes 0-9/100"}, TARN_REPLY_RETRY, TARN_EPROTO},
      {{"Content-Range: bytes 50-60/100"}, TARN_REPLY_RETRY, TARN_EPROTO},
      {{"Content-Range: bytes 50-59/101"}, TARN_REPLY_FATAL, TARN_ECHANGED},
      /* A tag cannot stand for two lengths: the server errs. */
      {{"Content-Range: bytes 50-59/101", "ETag: \"a\""},
       TARN_REPLY_RETRY,
       TARN_EPROTO},
      {{"Content-Range: bytes 50-59/100", "ETag: \"b\""},
       TARN_REPLY_FATAL,
       TARN_ECHANGED},
      /* A strong tag that agrees outweighs a date that does not. */
      {{"Content-Range: bytes 50-59/100", "ETag: \"a\"", "Last-Modified: Tue"},
       TARN_REPLY_RANGE,
       0},
      {{"Content-Range: bytes 50-59/100", "Last-Modified: Tue"},
       TARN_REPLY_FATAL,
       TARN_ECHANGED},
      /* Weak tags say nothing, the date does. */
      {{"Content-Range: bytes 50-59/100", "ETag: W/\"b\"",
        "Last-Modified: Mon"},
       TARN_REPLY_RANGE,
       0},
      {{"Content-Range: bytes 50-59/100", "ETag: W/\"a\"",
        "Last-Modified: Tue"},
       TARN_REPLY_FATAL,
       TARN_ECHANGED},
      {{"Content-Range: bytes 50-59/100", "ETag: \"a\"",
        "Content-Encoding: gzip"},
       TARN_REPLY_FATAL,
       TARN_ECHANGED},
  };

  (void)s;
  CHECK(&later_range, 206, rules);
}

static void a_206_nobody_asked_for_is_a_protocol_error(void **s)
{
  static const struct rule rules[] = {
      {{"Content-Range: bytes 0-9/10"}, TARN_REPLY_RETRY, TARN_EPROTO},
      {{NULL}, TARN_REPLY_RETRY, TARN_EPROTO},
  };

  (void)s;
  CHECK(&first_plain, 206, rules);
}

static void a_200_to_the_first_request_is_one_stream(void **s)
{
  static const struct rule rules[] = {
      {{NULL}, TARN_REPLY_WHOLE, 0},
      {{"Content-Length: 100"}, TARN_REPLY_WHOLE, 0},
      {{"Content-Length: 0"}, TARN_REPLY_EMPTY, 0},
      {{"Content-Encoding: gzip"}, TARN_REPLY_WHOLE, 0},
  };

  (void)s;
  CHECK(&first_range, 200, rules);
  CHECK(&first_plain, 200, rules);
}

static void a_200_to_a_later_range_is_never_spliced_in(void **s)
{
  static const struct rule rules[] = {
      {{"Content-Length: 100", "ETag: \"a\""}, TARN_REPLY_RETRY, TARN_EPROTO},
      {{NULL}, TARN_REPLY_RETRY, TARN_EPROTO},
      {{"Content-Length: 101"}, TARN_REPLY_FATAL, TARN_ECHANGED},
      {{"Content-Length: 100", "ETag: \"b\""}, TARN_REPLY_FATAL, TARN_ECHANGED},
      {{"Last-Modified: Tue"}, TARN_REPLY_FATAL, TARN_ECHANGED},
      {{"Content-Length: 0"}, TARN_REPLY_FATAL, TARN_ECHANGED},
  };

  (void)s;
  CHECK(&later_range, 200, rules);
}

static void a_200_to_a_repeated_plain_request_restarts_the_stream(void **s)
{
  static const struct setting again = {.known = true, .etag = "\"a\""};
  static const struct rule rules[] = {
      {{"Content-Length: 100", "ETag: \"a\""}, TARN_REPLY_WHOLE, 0},
      {{"Content-Length: 100", "ETag: \"b\""}, TARN_REPLY_FATAL, TARN_ECHANGED},
  };

  (void)s;
  CHECK(&again, 200, rules);
}

static void a_416_of_nothing_is_an_empty_object(void **s)
{
  static const struct rule first[] = {
      {{"Content-Range: bytes */0"}, TARN_REPLY_EMPTY, 0},
      {{NULL}, TARN_REPLY_PLAIN, 0},
      {{"Content-Range: garbage"}, TARN_REPLY_PLAIN, 0},
  };
  static const struct rule later[] = {
      {{"Content-Range: bytes */0"}, TARN_REPLY_FATAL, TARN_ECHANGED},
      {{"Content-Range: bytes */40"}, TARN_REPLY_FATAL, TARN_ECHANGED},
      {{"Content-Range: bytes */100"}, TARN_REPLY_RETRY, TARN_EPROTO},
      {{NULL}, TARN_REPLY_RETRY, TARN_EPROTO},
  };

  (void)s;
  CHECK(&first_range, 416, first);
  CHECK(&later_range, 416, later);
}

static void a_416_that_is_not_of_nothing_makes_the_first_range_plain(void **s)
{
  static const struct rule first[] = {
      {{"Content-Range: bytes */100"}, TARN_REPLY_PLAIN, 0},
  };

  (void)s;
  CHECK(&first_range, 416, first);
}

static void a_server_that_refuses_ranges_is_asked_plainly_once(void **s)
{
  static const int statuses[] = {400, 405, 501, 416};
  size_t i;

  (void)s;
  for (i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
    assert_int_equal(judge(&first_range, statuses[i], NULL).verdict,
                     TARN_REPLY_PLAIN);
    assert_int_not_equal(judge(&first_plain, statuses[i], NULL).verdict,
                         TARN_REPLY_PLAIN);
    assert_int_not_equal(judge(&later_range, statuses[i], NULL).verdict,
                         TARN_REPLY_PLAIN);
  }
}

static void a_412_is_asked_once_more_without_the_condition(void **s)
{
  struct setting set = later_range;

  (void)s;
  set.conditional = true;
  assert_int_equal(judge(&set, 412, NULL).verdict, TARN_REPLY_UNCONDITIONAL);
  set.conditional = false;
  assert_int_equal(judge(&set, 412, NULL).verdict, TARN_REPLY_FATAL);
  assert_int_equal(judge(&set, 412, NULL).err.code, TARN_ECHANGED);
}

static void every_other_status_has_one_meaning(void **s)
{
  int status;

  (void)s;
  for (status = -1; status < 1000; status++) {
    enum tarn_verdict verdict = TARN_REPLY_FATAL;
    int code = TARN_ETRANSFER;
    struct judged j = judge(&first_plain, status, NULL);

    if (status == 200 || status == 206 || status == 412 || status == 416)
      continue;
    if (status == 301 || status == 302 || status == 303 || status == 307 ||
        status == 308) {
      verdict = TARN_REPLY_REDIRECT;
      code = 0;
    } else if (status == 429 || status == 503) {
      verdict = TARN_REPLY_THROTTLED;
      code = TARN_ETHROTTLED;
    } else if (status == 408 || status == 425 ||
               (status >= 500 && status < 600)) {
      verdict = TARN_REPLY_RETRY;
    } else if (status == 404 || status == 410) {
      code = TARN_ENOTFOUND;
    } else if (status == 401 || status == 403) {
      code = TARN_EDENIED;
    } else if (status == 407) {
      code = TARN_EUNREACHABLE;
    }
    if (j.verdict != verdict || j.err.code != code)
      fail_msg("status %d: verdict %d, code %d", status, (int)j.verdict,
               j.err.code);
  }
}

static void
an_expired_redirect_target_is_renewed_once_it_has_delivered(void **s)
{
  static const int statuses[] = {401, 403, 410};
  struct setting set = later_range;
  struct tarn_reply r;
  struct tarn_object object = make_object(&set);
  struct tarn_ask ask = {.ranged = true,
                         .first = 50,
                         .last = 59,
                         .redirected = true,
                         .delivered = true};
  struct tarn_err err;
  size_t i;

  (void)s;
  for (i = 0; i < 3; i++) {
    set.redirected = set.delivered = true;
    assert_int_equal(judge(&set, statuses[i], NULL).verdict, TARN_REPLY_RENEW);
    set.delivered = false; /* a fresh target that refuses: fatal */
    assert_int_equal(judge(&set, statuses[i], NULL).verdict, TARN_REPLY_FATAL);
    set.redirected = false;
    set.delivered = true; /* the origin itself: fatal */
    assert_int_equal(judge(&set, statuses[i], NULL).verdict, TARN_REPLY_FATAL);
  }
  tarn_reply_init(&r, 400);
  assert_int_equal(tarn_reply_judge(&r, &ask, &object, &err), TARN_REPLY_FATAL);
  r.says_expired = true;
  tarn_err_clear(&err);
  assert_int_equal(tarn_reply_judge(&r, &ask, &object, &err), TARN_REPLY_RENEW);
}

static void a_status_the_user_lists_is_fatal_whatever_it_means(void **s)
{
  static const int listed[] = {503, 206, 302, 500};
  struct tarn_ask ask = {
      .ranged = true, .last = 9, .fail_statuses = listed, .n_fail_statuses = 4};
  struct tarn_object object;
  struct tarn_reply r;
  struct tarn_err err;
  size_t i;

  (void)s;
  memset(&object, 0, sizeof object);
  for (i = 0; i < 4; i++) {
    tarn_reply_init(&r, listed[i]);
    tarn_err_clear(&err);
    assert_int_equal(tarn_reply_judge(&r, &ask, &object, &err),
                     TARN_REPLY_FATAL);
    assert_true(err.code < 0);
    assert_int_equal(err.http_status, listed[i]);
  }
  tarn_reply_init(&r, 502);
  assert_int_equal(tarn_reply_judge(&r, &ask, &object, NULL), TARN_REPLY_RETRY);
}

static void what_is_learnt_comes_from_the_field_that_tells_it(void **s)
{
  static const char *const partial[] = {"Content-Range: bytes 0-9/100",
                                        "Content-Length: 10", "ETag: W/\"x\"",
                                        "Content-Encoding: gzip", NULL};
  static const char *const whole[] = {"Content-Length: 42", "ETag: \"x\"",
                                      "Last-Modified: Mon", NULL};
  struct tarn_object object;
  struct tarn_reply r = make_reply(206, partial);

  (void)s;
  tarn_object_learn(&object, &r, TARN_REPLY_RANGE);
  assert_true(object.known && object.has_total && object.etag_weak);
  assert_int_equal(object.total, 100);
  assert_string_equal(object.coding, "gzip");
  r = make_reply(200, whole);
  tarn_object_learn(&object, &r, TARN_REPLY_WHOLE);
  assert_int_equal(object.total, 42);
  assert_string_equal(object.etag, "\"x\"");
  assert_false(object.etag_weak);
  assert_string_equal(object.last_modified, "Mon");
  assert_string_equal(object.coding, "");
  r = make_reply(416, NULL);
  tarn_object_learn(&object, &r, TARN_REPLY_EMPTY);
  assert_true(object.known && object.has_total);
  assert_int_equal(object.total, 0);
  r = make_reply(200, NULL);
  tarn_object_learn(&object, &r, TARN_REPLY_WHOLE);
  assert_false(object.has_total);
}

static void an_unknown_total_never_proves_a_change(void **s)
{
  struct setting set = later_range;
  static const struct rule rules[] = {
      {{"Content-Range: bytes 50-59/100"}, TARN_REPLY_RANGE, 0},
      {{"Content-Range: bytes 50-59/*"}, TARN_REPLY_RANGE, 0},
  };

  (void)s;
  set.no_total = true;
  CHECK(&set, 206, rules);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_206_to_the_first_range_is_taken_only_as_asked),
      cmocka_unit_test(a_coded_206_is_ranged_on_only_with_a_strong_tag),
      cmocka_unit_test(a_206_to_a_later_range_must_be_of_the_known_object),
      cmocka_unit_test(a_206_nobody_asked_for_is_a_protocol_error),
      cmocka_unit_test(a_200_to_the_first_request_is_one_stream),
      cmocka_unit_test(a_200_to_a_later_range_is_never_spliced_in),
      cmocka_unit_test(a_200_to_a_repeated_plain_request_restarts_the_stream),
      cmocka_unit_test(a_416_of_nothing_is_an_empty_object),
      cmocka_unit_test(
          a_416_that_is_not_of_nothing_makes_the_first_range_plain),
      cmocka_unit_test(a_server_that_refuses_ranges_is_asked_plainly_once),
      cmocka_unit_test(a_412_is_asked_once_more_without_the_condition),
      cmocka_unit_test(every_other_status_has_one_meaning),
      cmocka_unit_test(
          an_expired_redirect_target_is_renewed_once_it_has_delivered),
      cmocka_unit_test(a_status_the_user_lists_is_fatal_whatever_it_means),
      cmocka_unit_test(what_is_learnt_comes_from_the_field_that_tells_it),
      cmocka_unit_test(an_unknown_total_never_proves_a_change),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
