#include "cli/utf8.h"

static bool is_tail(unsigned char c)
{
  return (c & 0xc0u) == 0x80u;
}

static size_t want_of(unsigned char lead)
{
  if (lead < 0x80)
    return 1;
  if (lead >= 0xc2 && lead <= 0xdf)
    return 2;
  if (lead >= 0xe0 && lead <= 0xef)
    return 3;
  if (lead >= 0xf0 && lead <= 0xf4)
    return 4;
  return 0;
}

/* The second byte is narrower behind the leads where a longer or a forbidden
 * form would begin. */
static bool second_fits(unsigned char lead, unsigned char c)
{
  switch (lead) {
  case 0xe0:
    return c >= 0xa0;
  case 0xed:
    return c <= 0x9f;
  case 0xf0:
    return c >= 0x90;
  case 0xf4:
    return c <= 0x8f;
  default:
    return true;
  }
}

size_t tarn_cli_utf8_len(const char *s, size_t len)
{
  const unsigned char *u = (const unsigned char *)s;
  size_t want = want_of(u[0]), i;

  if (want == 0 || want > len)
    return 0;
  for (i = 1; i < want; i++)
    if (!is_tail(u[i]))
      return 0;
  if (want > 1 && !second_fits(u[0], u[1]))
    return 0;
  return want;
}

bool tarn_cli_utf8_valid(const char *s, size_t len)
{
  size_t n;

  while (len > 0) {
    n = tarn_cli_utf8_len(s, len);
    if (n == 0)
      return false;
    s += n;
    len -= n;
  }
  return true;
}
