#include "base/err.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void put_text(struct tarn_err *err, const char *fmt, va_list args)
    TARN_PRINTF(2, 0);

static void put_text(struct tarn_err *err, const char *fmt, va_list args)
{
  (void)vsnprintf(err->text, sizeof err->text, fmt, args);
}

static void reset(struct tarn_err *err, int code)
{
  err->code = code;
  err->sys_errno = 0;
  err->http_status = 0;
  err->at = 0;
  err->text[0] = '\0';
}

int tarn_err_setv(struct tarn_err *err, int code, const char *fmt, va_list args)
{
  if (!err)
    return code;
  reset(err, code);
  put_text(err, fmt, args);
  return code;
}

int tarn_err_set(struct tarn_err *err, int code, const char *fmt, ...)
{
  va_list args;

  va_start(args, fmt);
  (void)tarn_err_setv(err, code, fmt, args);
  va_end(args);
  return code;
}

int tarn_err_at(struct tarn_err *err, int code, uint64_t at, const char *fmt,
                ...)
{
  va_list args;

  if (!err)
    return code;
  reset(err, code);
  err->at = at;
  va_start(args, fmt);
  put_text(err, fmt, args);
  va_end(args);
  return code;
}

static int code_of_errno(int code, int sys_errno)
{
  switch (sys_errno) {
  case ENOSPC:
  case EDQUOT:
  case EROFS:
    return TARN_ENOSPC;
  case ENOMEM:
    return TARN_ENOMEM;
  default:
    return code;
  }
}

int tarn_err_sys(struct tarn_err *err, int code, int sys_errno, const char *fmt,
                 ...)
{
  va_list args;
  size_t len;

  code = code_of_errno(code, sys_errno);
  if (!err)
    return code;
  reset(err, code);
  err->sys_errno = sys_errno;
  va_start(args, fmt);
  put_text(err, fmt, args);
  va_end(args);
  len = strlen(err->text);
  (void)snprintf(err->text + len, sizeof err->text - len, ": %s",
                 strerror(sys_errno));
  return code;
}

int tarn_err_nomem(struct tarn_err *err, const char *what)
{
  return tarn_err_set(err, TARN_ENOMEM, "%s: out of memory", what);
}

void tarn_err_prefix(struct tarn_err *err, const char *fmt, ...)
{
  char prefix[sizeof err->text];
  va_list args;
  size_t len, rest;

  if (!err || !err->code)
    return;
  va_start(args, fmt);
  (void)vsnprintf(prefix, sizeof prefix - 2, fmt, args);
  va_end(args);
  len = strlen(prefix);
  prefix[len++] = ':';
  prefix[len++] = ' ';
  rest = strlen(err->text) + 1;
  if (rest > sizeof err->text - len)
    rest = sizeof err->text - len; /* long texts are cut */
  memmove(err->text + len, err->text, rest);
  memcpy(err->text, prefix, len);
  err->text[sizeof err->text - 1] = '\0';
}

void tarn_err_first(struct tarn_err *to, const struct tarn_err *from)
{
  if (to && from && !to->code)
    *to = *from;
}

void tarn_err_clear(struct tarn_err *err)
{
  if (err)
    reset(err, 0);
}

const char *tarn_strerror(int code)
{
  switch (code) {
  case 0:
    return "success";
#define TARN_ERROR_TEXT(name, number, exit_status, text)                       \
  case number:                                                                 \
    return text;
    TARN_ERRORS(TARN_ERROR_TEXT)
#undef TARN_ERROR_TEXT
  default:
    return "unknown error";
  }
}

const char *tarn_err_name(int code)
{
  switch (code) {
  case 0:
    return "TARN_OK";
#define TARN_ERROR_NAME(name, number, exit_status, text)                       \
  case number:                                                                 \
    return "TARN_" #name;
    TARN_ERRORS(TARN_ERROR_NAME)
#undef TARN_ERROR_NAME
  default:
    return "TARN_EUNKNOWN";
  }
}

int tarn_exit_code(int code)
{
  switch (code) {
  case 0:
    return 0;
#define TARN_ERROR_EXIT(name, number, exit_status, text)                       \
  case number:                                                                 \
    return exit_status;
    TARN_ERRORS(TARN_ERROR_EXIT)
#undef TARN_ERROR_EXIT
  default:
    return 70;
  }
}
