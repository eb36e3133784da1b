#include "cli/term.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/utf8.h"

#define DEFAULT_WIDTH 80

bool tarn_cli_term_can_redraw(int fd)
{
  const char *term;

  if (!isatty(fd))
    return false;
  term = getenv("TERM");
  return term && strcmp(term, "dumb") != 0;
}

size_t tarn_cli_term_width(int fd)
{
  struct winsize size;

  if (ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return DEFAULT_WIDTH;
  return size.ws_col;
}

/* Controls are below space, DEL, and U+0080 to U+009F (C1). */
static bool is_control(const char *s, size_t n)
{
  const unsigned char *u = (const unsigned char *)s;

  if (n == 1)
    return u[0] < 0x20 || u[0] == 0x7f;
  return n == 2 && u[0] == 0xc2 && u[1] < 0xa0;
}

size_t tarn_cli_term_escape(char *out, size_t cap, const char *s)
{
  size_t len = strlen(s), used = 0, n, i;

  if (cap == 0)
    return 0;
  while (len > 0) {
    n = tarn_cli_utf8_len(s, len);
    if (n > 0 && !is_control(s, n)) {
      if (used + n >= cap)
        break;
      memcpy(out + used, s, n);
      used += n;
    } else {
      n = n ? n : 1;
      if (used + 4 * n >= cap)
        break;
      for (i = 0; i < n; i++, used += 4)
        (void)snprintf(out + used, 5, "\\%03o", (unsigned)(unsigned char)s[i]);
    }
    s += n;
    len -= n;
  }
  out[used] = '\0';
  return used;
}

int tarn_cli_term_write(int fd, const char *ptr, size_t len)
{
  while (len > 0) {
    ssize_t n = write(fd, ptr, len);

    if (n > 0) {
      ptr += n;
      len -= (size_t)n;
    } else if (n < 0 && errno == EAGAIN) {
      struct pollfd p = {.fd = fd, .events = POLLOUT};

      if (poll(&p, 1, -1) < 0 && errno != EINTR)
        return -1;
    } else if (n == 0 || errno != EINTR) {
      return -1;
    }
  }
  return 0;
}

bool tarn_cli_term_writable(int fd)
{
  struct pollfd p = {.fd = fd, .events = POLLOUT};

  return poll(&p, 1, 0) == 1 && (p.revents & POLLOUT);
}

void tarn_cli_say(const char *fmt, ...)
{
  char text[2048], line[4096];
  va_list args;
  size_t len;

  va_start(args, fmt);
  (void)vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  len = (size_t)snprintf(line, sizeof line, "tarn: ");
  if (isatty(STDERR_FILENO))
    len += tarn_cli_term_escape(line + len, sizeof line - len - 1, text);
  else
    len += (size_t)snprintf(line + len, sizeof line - len - 1, "%s", text);
  line[len++] = '\n';
  (void)tarn_cli_term_write(STDERR_FILENO, line, len);
}
