#include "archive/glob.h"

#include <stdlib.h>
#include <string.h>

/*
 * A pattern is compiled to tokens, each of which takes one byte of the name
 * except STAR. Numbers below 256 are the byte itself; from SET on they are the
 * index of a set of bytes.
 */
#define ANY   256u
#define STAR  257u
#define NEVER 258u
#define SET   259u

struct tarn_glob_set {
  uint8_t bits[32];
};

/* ---- brackets ---- */

static void set_add(struct tarn_glob_set *set, unsigned byte)
{
  set->bits[byte >> 3] = (uint8_t)(set->bits[byte >> 3] | 1u << (byte & 7));
}

static bool set_has(const struct tarn_glob_set *set, unsigned byte)
{
  return set->bits[byte >> 3] >> (byte & 7) & 1;
}

static void set_range(struct tarn_glob_set *set, unsigned first, unsigned last)
{
  for (; first <= last; first++)
    set_add(set, first);
}

/* The classes of the POSIX locale, as pairs of first and last. */
static const struct {
  const char *name, *ranges;
} classes[] = {
    {"alpha", "AZaz"},
    {"digit", "09"},
    {"alnum", "09AZaz"},
    {"upper", "AZ"},
    {"lower", "az"},
    {"space", "\t\r  "},
    {"blank", "\t\t  "},
    {"punct", "!/:@[`{~"},
    {"print", " ~"},
    {"graph", "!~"},
    {"cntrl", "\1\x1f\x7f\x7f"},
    {"xdigit", "09AFaf"},
};

static bool set_class(struct tarn_glob_set *set, const char *name, size_t len)
{
  size_t i;
  const char *r;

  for (i = 0; i < sizeof classes / sizeof classes[0]; i++) {
    if (strlen(classes[i].name) != len ||
        memcmp(classes[i].name, name, len) != 0)
      continue;
    for (r = classes[i].ranges; *r; r += 2)
      set_range(set, (uint8_t)r[0], (uint8_t)r[1]);
    return true;
  }
  return false;
}

/* Of "[.x.]" or the like at `ptr`: the length of x, or 0 when it is none. */
static size_t special(const char *ptr, const char *end, char kind)
{
  const char *p;

  if (end - ptr < 5 || ptr[0] != '[' || ptr[1] != kind)
    return 0;
  for (p = ptr + 3; p + 1 < end; p++)
    if (p[0] == kind && p[1] == ']')
      return (size_t)(p - ptr - 2);
  return 0;
}

enum element { ELEMENT_BAD, ELEMENT_BYTE, ELEMENT_CLASS };

/* Reads what may stand between brackets at *at, and passes it. */
static enum element take_element(const char **at, const char *end,
                                 struct tarn_glob_set *set, unsigned *byte)
{
  const char *p = *at;
  size_t len = special(p, end, ':');

  if (len) {
    *at += len + 4;
    return set_class(set, p + 2, len) ? ELEMENT_CLASS : ELEMENT_BAD;
  }
  len = special(p, end, '.');
  if (!len)
    len = special(p, end, '=');
  if (len) {
    *at += len + 4;
    *byte = (uint8_t)p[2];
    return len == 1 ? ELEMENT_BYTE : ELEMENT_BAD;
  }
  if (*p == '\\' && p + 1 < end)
    p++;
  *byte = (uint8_t)*p;
  *at = p + 1;
  return ELEMENT_BYTE;
}

/*
 * Compiles the bracket that opens at `ptr`. Returns what is behind it, or NULL
 * when it is not closed. *good is false when it can match nothing.
 */
static const char *take_bracket(const char *ptr, const char *end,
                                struct tarn_glob_set *set, bool *good)
{
  const char *p = ptr + 1, *first;
  bool negated = p < end && (*p == '!' || *p == '^');
  unsigned low, high;
  size_t i;

  memset(set, 0, sizeof *set);
  *good = true;
  if (negated)
    p++;
  for (first = p; p < end && (*p != ']' || p == first);) {
    enum element what = take_element(&p, end, set, &low);

    high = low;
    if (what == ELEMENT_BYTE && end - p > 1 && p[0] == '-' && p[1] != ']') {
      p++;
      what = take_element(&p, end, set, &high);
      *good = *good && what == ELEMENT_BYTE;
    }
    if (what == ELEMENT_BYTE)
      set_range(set, low, high);
    *good = *good && what != ELEMENT_BAD;
  }
  if (p == end)
    return NULL;
  for (i = 0; negated && i < sizeof set->bits; i++)
    set->bits[i] = (uint8_t)~set->bits[i];
  return p + 1;
}

/* ---- compiling ---- */

static uint32_t bracket_token(struct tarn_glob *p, const char **at,
                              const char *end)
{
  bool good;
  const char *behind = take_bracket(*at, end, &p->sets[p->n_sets], &good);

  if (!behind) {
    ++*at;
    return '[';
  }
  *at = behind;
  if (!good)
    return NEVER;
  return SET + (uint32_t)p->n_sets++;
}

static uint32_t next_token(struct tarn_glob *p, const char **at,
                           const char *end)
{
  char c = **at;

  if (c == '[')
    return bracket_token(p, at, end);
  ++*at;
  if (c == '?')
    return ANY;
  if (c == '*')
    return STAR;
  if (c != '\\')
    return (uint8_t)c;
  return *at == end ? NEVER : (uint8_t) * (*at)++;
}

int tarn_glob_init(struct tarn_glob *p, const char *text, struct tarn_err *err)
{
  size_t len = strlen(text), n_sets = 0, i;
  const char *end = text + len;

  memset(p, 0, sizeof *p);
  for (i = 0; i < len; i++)
    n_sets += text[i] == '[';
  p->tokens = calloc(len + 1, sizeof *p->tokens);
  p->sets = calloc(n_sets + 1, sizeof *p->sets);
  if (!p->tokens || !p->sets) {
    tarn_glob_close(p);
    return tarn_err_nomem(err, "patterns");
  }
  while (text < end)
    p->tokens[p->n_tokens++] = next_token(p, &text, end);
  while (p->n_head < p->n_tokens && p->tokens[p->n_head] != STAR)
    p->n_head++;
  return 0;
}

void tarn_glob_close(struct tarn_glob *p)
{
  free(p->tokens);
  free(p->sets);
  memset(p, 0, sizeof *p);
}

/* ---- matching ---- */

static bool takes_byte(const struct tarn_glob *p, uint32_t token, char c)
{
  uint8_t byte = (uint8_t)c;

  if (token >= SET)
    return set_has(&p->sets[token - SET], byte);
  return token == ANY || token == byte;
}

/* A match may end where the name does, or a directory of it. */
static bool may_end(const char *name, const char *end)
{
  return name == end || *name == '/';
}

/* Whether the tokens before the first STAR match here. */
static bool head_fits(const struct tarn_glob *p, const char *name,
                      const char *end)
{
  size_t i;

  if ((size_t)(end - name) < p->n_head)
    return false;
  for (i = 0; i < p->n_head; i++)
    if (!takes_byte(p, p->tokens[i], name[i]))
      return false;
  return p->n_head < p->n_tokens || may_end(name + p->n_head, end);
}

/*
 * Whether the rest, from the first STAR on, matches here. As a STAR takes any
 * bytes, the first place where what is behind it fits is as good as any other:
 * only the last STAR is ever tried again.
 */
static bool tail_fits(const struct tarn_glob *p, const char *name,
                      const char *end)
{
  size_t at = p->n_head, star = at;
  const char *tried = name;

  for (;;) {
    if (at < p->n_tokens && p->tokens[at] == STAR) {
      star = at++;
      tried = name;
      if (at == p->n_tokens)
        return true;
    } else if (at == p->n_tokens && may_end(name, end)) {
      return true;
    } else if (at < p->n_tokens && name < end &&
               takes_byte(p, p->tokens[at], *name)) {
      at++;
      name++;
    } else {
      if (tried == end)
        return false;
      name = ++tried;
      at = star + 1;
    }
  }
}

/*
 * A component begins at the start and behind each slash that another does not
 * follow. The first where the head fits decides, unless there is no STAR: then
 * the match ends in the head and every one is tried.
 */
bool tarn_glob_matches(const struct tarn_glob *p, const char *name, size_t len)
{
  const char *at = name, *end;

  if (!p->n_tokens)
    return false;
  while (len > 1 && name[len - 1] == '/')
    len--;
  end = name + len;
  for (;;) {
    if (head_fits(p, at, end))
      return p->n_head == p->n_tokens || tail_fits(p, at + p->n_head, end);
    do {
      at = at < end ? memchr(at, '/', (size_t)(end - at)) : NULL;
      if (!at)
        return false;
      at++;
    } while (at < end && *at == '/');
  }
}
