/*
 * Paths of archives: bytes, judged and cleaned without touching a disk.
 *
 *   rc = tarn_path_clean("/usr//./bin/", 12, 0, buf, &len);  // "usr/bin"
 *
 * Threads: any.
 */
#ifndef TARN_BASE_PATH_H
#define TARN_BASE_PATH_H

#include <stdbool.h>
#include <stddef.h>

enum tarn_path_verdict {
  TARN_PATH_OK = 0,
  TARN_PATH_WAS_ABSOLUTE, /* fine, its leading slashes are gone */
  TARN_PATH_STRIPPED,     /* nothing is left after --strip-components: skip */
  TARN_PATH_DOTDOT,       /* has a ".." component: refuse */
  TARN_PATH_TOO_LONG,     /* a component over 255 bytes, or more than 4096
                             components: refuse */
  TARN_PATH_NUL           /* a NUL inside: refuse */
};

/*
 * Cleans `len` bytes at `path` into `out` (room for len + 1), terminated:
 * leading and doubled slashes, "." components and a trailing slash go; the
 * first `strip` components are dropped, where "." counts as one ("./a" with
 * strip 1 is "a", as in GNU tar). An empty result ("" for "./") is the target
 * itself; with every verdict that refuses it is empty too. The verdict is
 * judged on what is left after stripping, but ".." is refused wherever it
 * stands. *out_len is its length. STRIPPED comes only with a strip above 0.
 */
enum tarn_path_verdict tarn_path_clean(const char *path, size_t len,
                                       unsigned strip, char *out,
                                       size_t *out_len);

/* Length of the parent of a cleaned path: 0 when it is the target. */
size_t tarn_path_parent_len(const char *path, size_t len);

/*
 * Writes `len` bytes at `path` into `out` so that a terminal takes no harm:
 * control bytes and the backslash as \n, \t, \\ or \ooo. Cut at cap - 1,
 * never inside a character or an escape; terminated (cap 0: nothing). UTF-8
 * passes unchanged but for the controls U+0080 to U+009F; those and stray
 * bytes above 127 are escaped.
 */
void tarn_path_escape(const char *path, size_t len, char *out, size_t cap);

#endif
