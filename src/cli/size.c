#include "cli/size.h"

#include <stdio.h>
#include <string.h>

#define MAX_FRACTION_DIGITS 6

/* A decimal number and what follows it. */
struct decimal {
  uint64_t whole;
  uint64_t fraction; /* in units of 1 / scale */
  uint64_t scale;    /* 10 to the number of fraction digits */
  const char *rest;
};

struct unit {
  const char *name;
  uint64_t factor;
};

static const struct unit size_units[] = {
    {"B", 1},
    {"K", 1000u},
    {"M", 1000u * 1000u},
    {"G", 1000u * 1000u * 1000u},
    {"T", (uint64_t)1000u * 1000u * 1000u * 1000u},
    {"Ki", 1u << 10},
    {"Mi", 1u << 20},
    {"Gi", 1u << 30},
    {"Ti", (uint64_t)1 << 40},
};

static const struct unit time_units[] = {
    {"ms", 1},          {"", 1000u},          {"s", 1000u},
    {"m", 60u * 1000u}, {"h", 3600u * 1000u},
};

static int is_digit(char c)
{
  return c >= '0' && c <= '9';
}

static int decimal_parse(const char *s, struct decimal *d)
{
  unsigned n_fraction = 0;

  d->whole = 0;
  d->fraction = 0;
  d->scale = 1;
  if (!is_digit(*s))
    return -1;
  for (; is_digit(*s); s++) {
    uint64_t digit = (uint64_t)(*s - '0');

    if (d->whole > (UINT64_MAX - digit) / 10)
      return -1;
    d->whole = d->whole * 10 + digit;
  }
  if (*s == '.') {
    for (s++; is_digit(*s); s++) {
      if (++n_fraction > MAX_FRACTION_DIGITS)
        return -1;
      d->fraction = d->fraction * 10 + (uint64_t)(*s - '0');
      d->scale *= 10;
    }
    if (n_fraction == 0)
      return -1;
  }
  d->rest = s;
  return 0;
}

/* d times factor. The fraction cannot overflow: at most 10^6 times 2^40. */
static int scaled(const struct decimal *d, uint64_t factor, uint64_t *out)
{
  uint64_t part = d->fraction * factor;
  uint64_t more = part / d->scale + (part > 0 && part < d->scale);

  if (factor > 0 && d->whole > (UINT64_MAX - more) / factor)
    return -1;
  *out = d->whole * factor + more;
  return 0;
}

static int same_unit(const char *given, const struct unit *unit)
{
  size_t len = strlen(unit->name);

  if (strncmp(given, unit->name, len) != 0 &&
      !(given[0] == 'k' && unit->name[0] == 'K' &&
        strncmp(given + 1, unit->name + 1, len - 1) == 0))
    return 0;
  given += len;
  return *given == '\0' ||
         (len > 0 && unit->factor > 1 && given[0] == 'B' && given[1] == '\0');
}

int tarn_cli_size_parse(const char *s, uint64_t bare, uint64_t *out)
{
  struct decimal d;
  uint64_t factor = 0;
  size_t i;

  if (decimal_parse(s, &d) != 0)
    return -1;
  if (*d.rest == '\0')
    factor = bare;
  for (i = 0; factor == 0 && i < sizeof size_units / sizeof *size_units; i++)
    if (same_unit(d.rest, &size_units[i]))
      factor = size_units[i].factor;
  if (factor == 0 || (factor == 1 && d.scale > 1))
    return -1;
  return scaled(&d, factor, out);
}

int tarn_cli_time_parse(const char *s, uint64_t *out_ms)
{
  struct decimal d;
  size_t i;

  if (decimal_parse(s, &d) != 0)
    return -1;
  for (i = 0; i < sizeof time_units / sizeof *time_units; i++)
    if (strcmp(d.rest, time_units[i].name) == 0)
      return scaled(&d, time_units[i].factor, out_ms);
  return -1;
}

int tarn_cli_count_parse(const char *s, uint64_t *out)
{
  struct decimal d;

  if (decimal_parse(s, &d) != 0 || d.scale != 1 || *d.rest != '\0')
    return -1;
  *out = d.whole;
  return 0;
}

int tarn_cli_ratio_parse(const char *s, double *out)
{
  struct decimal d;

  if (decimal_parse(s, &d) != 0 || *d.rest != '\0')
    return -1;
  *out = (double)d.whole + (double)d.fraction / (double)d.scale;
  return 0;
}

const char *tarn_cli_size_text(char out[TARN_CLI_SIZE_TEXT], uint64_t bytes)
{
  static const char prefixes[] = "kMGTPE";
  double value = (double)bytes;
  size_t i = 0;

  if (bytes < 1000) {
    (void)snprintf(out, TARN_CLI_SIZE_TEXT, "%u B", (unsigned)bytes);
    return out;
  }
  /* 999.5 and above would print as 1000 of the smaller unit. */
  for (value /= 1000; value >= 999.5 && prefixes[i + 1]; i++)
    value /= 1000;
  (void)snprintf(out, TARN_CLI_SIZE_TEXT, "%.*f %cB",
                 value < 9.995   ? 2
                 : value < 99.95 ? 1
                                 : 0,
                 value, prefixes[i]);
  return out;
}

const char *tarn_cli_time_text(char out[TARN_CLI_SIZE_TEXT], uint64_t ns)
{
  uint64_t tenths = (ns + 50000000u) / 100000000u, s;

  if (tenths < 600) {
    (void)snprintf(out, TARN_CLI_SIZE_TEXT, "%u.%u s", (unsigned)(tenths / 10),
                   (unsigned)(tenths % 10));
    return out;
  }
  s = ns / 1000000000u + (ns % 1000000000u >= 500000000u);
  if (s < 3600)
    (void)snprintf(out, TARN_CLI_SIZE_TEXT, "%u:%02u", (unsigned)(s / 60),
                   (unsigned)(s % 60));
  else
    (void)snprintf(out, TARN_CLI_SIZE_TEXT, "%llu:%02u:%02u",
                   (unsigned long long)(s / 3600), (unsigned)(s / 60 % 60),
                   (unsigned)(s % 60));
  return out;
}
