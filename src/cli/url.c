#include "cli/url.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/why.h"

/* Length of "scheme" when s begins with "scheme:" as RFC 3986, 3.1 has it. */
static size_t scheme_len(const char *s)
{
  static const char letters[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  static const char more[] = "0123456789+-.";
  size_t n = 0;

  while (s[n] && (strchr(letters, s[n]) || (n > 0 && strchr(more, s[n]))))
    n++;
  return n > 0 && s[n] == ':' ? n : 0;
}

static bool is_scheme(const char *s, size_t len, const char *name)
{
  return len == strlen(name) && strncasecmp(s, name, len) == 0;
}

static int check_scheme(const char *word, size_t len, struct cli_why *why)
{
  if (is_scheme(word, len, "http") || is_scheme(word, len, "https") ||
      is_scheme(word, len, "file"))
    return 0;
  if (is_scheme(word, len, "s3") || is_scheme(word, len, "gs"))
    return tarn_cli_refuse(why, CLI_EXIT_MISSING,
                           "%.*s URLs are not in this version", (int)len, word);
  return tarn_cli_refuse(
      why, CLI_EXIT_USAGE,
      "scheme \"%.*s\": only http, https and file are fetched", (int)len, word);
}

bool tarn_cli_url_has_scheme(const char *word)
{
  size_t len = scheme_len(word);

  return len > 0 && strncmp(word + len, "://", 3) == 0;
}

int tarn_cli_url_check(const char *word, char **url, bool *assumed,
                       struct cli_why *why)
{
  size_t len = scheme_len(word), size;
  int rc;

  *url = NULL;
  *assumed = false;
  if (!*word)
    return tarn_cli_refuse(why, CLI_EXIT_USAGE, "a URL is empty");
  if (strcmp(word, "-") == 0)
    return tarn_cli_refuse(why, CLI_EXIT_USAGE,
                           "-: get reads URLs, not standard input");
  /* "host:8080/x" has a colon and no scheme. */
  if (len &&
      (strncmp(word + len, "://", 3) == 0 || is_scheme(word, len, "file"))) {
    rc = check_scheme(word, len, why);
    if (rc != 0)
      return rc;
    *url = strdup(word);
  } else {
    if (word[0] == '/' || word[0] == '.')
      return tarn_cli_refuse(
          why, CLI_EXIT_USAGE,
          "%s: a local path; get reads URLs, such as file:///PATH", word);
    size = strlen(word) + sizeof "https://";
    *url = malloc(size);
    if (*url)
      (void)snprintf(*url, size, "https://%s", word);
    *assumed = true;
  }
  return *url ? 0 : tarn_cli_refuse(why, CLI_EXIT_INTERNAL, "out of memory");
}

char *tarn_cli_url_shown(const char *url)
{
  size_t scheme = scheme_len(url), from, authority, end = strcspn(url, "?#");
  const char *at;
  char *shown;

  from = scheme && strncmp(url + scheme, "://", 3) == 0 ? scheme + 3 : 0;
  authority = strcspn(url + from, "/?#");
  at = memrchr(url + from, '@', authority);
  shown = malloc(end + 1);
  if (!shown)
    return NULL;
  memcpy(shown, url, from);
  if (at) {
    size_t user = (size_t)(at + 1 - url);

    memcpy(shown + from, url + user, end - user);
    shown[from + end - user] = '\0';
  } else {
    memcpy(shown + from, url + from, end - from);
    shown[end] = '\0';
  }
  return shown;
}

static int hex_digit(char c)
{
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return -1;
}

static bool is_file_name(const char *s)
{
  return *s && !strchr(s, '/') && strcmp(s, ".") != 0 && strcmp(s, "..") != 0;
}

/* Decodes in place. A decoded zero byte ends the name, which then is none. */
static bool percent_decode(char *s)
{
  char *to = s;

  for (; *s; s++) {
    if (*s == '%' && hex_digit(s[1]) >= 0 && hex_digit(s[2]) >= 0) {
      *to = (char)(hex_digit(s[1]) * 16 + hex_digit(s[2]));
      if (!*to)
        return false;
      to++;
      s += 2;
    } else {
      *to++ = *s;
    }
  }
  *to = '\0';
  return true;
}

char *tarn_cli_url_file_name(const char *url)
{
  char *shown = tarn_cli_url_shown(url), *name = NULL, *decoded;
  size_t scheme, path;
  const char *slash;

  if (!shown)
    return NULL;
  scheme = scheme_len(shown);
  path = scheme && strncmp(shown + scheme, "://", 3) == 0 ? scheme + 3 : 0;
  slash = strrchr(shown + path, '/');
  if (slash && is_file_name(slash + 1)) {
    name = strdup(slash + 1);
    decoded = strdup(slash + 1);
    if (name && decoded && percent_decode(decoded) && is_file_name(decoded)) {
      free(name);
      name = decoded;
    } else {
      free(decoded);
    }
  }
  free(shown);
  return name;
}
