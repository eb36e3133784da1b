/*
 * Errors: filling struct tarn_err of the public header.
 *
 * A function that can fail returns 0 or a negative TARN_E code; where there is
 * a story to tell its last argument is a struct tarn_err that may be NULL.
 *
 *   if (fd < 0)
 *     return tarn_err_sys(err, TARN_EFILE, errno, "%s: open", path);
 *
 * Memory: the text lives in the caller's struct; long texts are cut.
 * Threads: any; nothing is shared.
 */
#ifndef TARN_BASE_ERR_H
#define TARN_BASE_ERR_H

#include <stdarg.h>

#include <tarn/tarn.h>

#if defined(__GNUC__)
#define TARN_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define TARN_PRINTF(fmt, args)
#endif

/* Sets *err anew and returns `code`. err may be NULL. */
int tarn_err_set(struct tarn_err *err, int code, const char *fmt, ...)
    TARN_PRINTF(3, 4);

/* The same with the arguments of a variadic caller. */
int tarn_err_setv(struct tarn_err *err, int code, const char *fmt, va_list args)
    TARN_PRINTF(3, 0);

/* The same at offset `at` of the object the text names. */
int tarn_err_at(struct tarn_err *err, int code, uint64_t at, const char *fmt,
                ...) TARN_PRINTF(4, 5);

/*
 * The same for a failed system call: ": " and the text of `sys_errno` are
 * added. ENOSPC, EDQUOT and EROFS turn `code` into TARN_ENOSPC, ENOMEM into
 * TARN_ENOMEM; the code used is returned.
 */
int tarn_err_sys(struct tarn_err *err, int code, int sys_errno, const char *fmt,
                 ...) TARN_PRINTF(4, 5);

/* Out of memory while doing what `what` says; returns TARN_ENOMEM. */
int tarn_err_nomem(struct tarn_err *err, const char *what);

/* Puts "prefix: " in front of the text of an error that is set. */
void tarn_err_prefix(struct tarn_err *err, const char *fmt, ...)
    TARN_PRINTF(2, 3);

/* Copies `from` into `to` unless `to` is set already: the first error wins. */
void tarn_err_first(struct tarn_err *to, const struct tarn_err *from);

/* Forgets the error. */
void tarn_err_clear(struct tarn_err *err);

#endif
