/*
 * A temporary directory for tests of what is written to disk:
 *
 *   base/target    where the code under test may write
 *   base/canary    where it must not: files and a directory, never to change
 *
 *   struct tempdir t;
 *   tempdir_open(&t);
 *   ... openat(t.target, ...) ...
 *   tempdir_close(&t);   // asserts that the canary is as it was; removes all
 *
 * tempdir_list writes a tree as text, so that two can be compared.
 */
#ifndef TARN_TEST_TEMPDIR_H
#define TARN_TEST_TEMPDIR_H

#include <stddef.h>
#include <sys/types.h>

struct tempdir {
  char base[256];
  char canary_path[300]; /* absolute */
  int base_fd, target, canary;
  char *canary_before;
};

void tempdir_open(struct tempdir *t);
void tempdir_close(struct tempdir *t);

/*
 * All below the directory `fd`, a line each in a fixed order: path, type,
 * mode, which names are one inode, content or target. The caller frees it.
 */
char *tempdir_list(int fd);
/* The same with the times of files. */
char *tempdir_list_with_times(int fd);

/* Helpers that fail the test when they cannot. */
void tempdir_write(int dir, const char *path, const char *text);
void tempdir_mkdir(int dir, const char *path, mode_t mode);
void tempdir_symlink(int dir, const char *path, const char *target);
/* Asserts what is there: the type (S_IFREG, 0 for nothing) and, unless NULL,
   a file's content or a symbolic link's target. */
void tempdir_expect(int dir, const char *path, mode_t type, const char *text);
mode_t tempdir_mode(int dir, const char *path); /* 07777 */

/*
 * Runs `fn` in a child as uid and gid 65534 with umask 022. It returns 0, or
 * the line where something was wrong, which fails the test. A user
 * runs it as itself; where no other user exists the test is skipped.
 */
void tempdir_as_user(struct tempdir *t, int (*fn)(struct tempdir *t));

#endif
