#include "tempdir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum {
  USER_ID = 65534,
  PATH_CAP = 8192,
  MAX_PENDING = 4096,
  MAX_INODES = 4096
};

void tempdir_write(int dir, const char *path, const char *text)
{
  int fd = openat(dir, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

  assert_true(fd >= 0);
  assert_int_equal(write(fd, text, strlen(text)), strlen(text));
  assert_int_equal(close(fd), 0);
}

void tempdir_mkdir(int dir, const char *path, mode_t mode)
{
  assert_int_equal(mkdirat(dir, path, 0700), 0);
  assert_int_equal(fchmodat(dir, path, mode, 0), 0);
}

void tempdir_symlink(int dir, const char *path, const char *target)
{
  assert_int_equal(symlinkat(target, dir, path), 0);
}

static int open_dir(int dir, const char *path)
{
  int fd = openat(dir, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

  assert_true(fd >= 0);
  return fd;
}

void tempdir_open(struct tempdir *t)
{
  const char *top = getenv("TMPDIR");

  (void)snprintf(t->base, sizeof t->base, "%s/tarn-test-XXXXXX",
                 top ? top : "/tmp");
  assert_non_null(mkdtemp(t->base));
  (void)snprintf(t->canary_path, sizeof t->canary_path, "%s/canary", t->base);
  t->base_fd = open_dir(AT_FDCWD, t->base);
  tempdir_mkdir(t->base_fd, "target", 0755);
  tempdir_mkdir(t->base_fd, "canary", 0777);
  t->target = open_dir(t->base_fd, "target");
  t->canary = open_dir(t->base_fd, "canary");
  tempdir_write(t->canary, "f", "canary");
  tempdir_write(t->canary, "a", "canary a");
  tempdir_mkdir(t->canary, "d", 0777);
  tempdir_mkdir(t->canary, "b", 0777);
  tempdir_write(t->canary, "d/f", "deep canary");
  t->canary_before = tempdir_list_with_times(t->canary);
}

/* Removes what can go at once; true with the name of a directory that has
   something in it. */
static bool find_full_dir(int fd, char name[256])
{
  int own = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const struct dirent *e;
  bool found = false;
  DIR *dir;

  assert_true(own >= 0);
  dir = fdopendir(own);
  assert_non_null(dir);
  while (!found && (e = readdir(dir))) {
    if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
      continue;
    if (unlinkat(fd, e->d_name, 0) == 0 ||
        unlinkat(fd, e->d_name, AT_REMOVEDIR) == 0)
      continue;
    assert_true(errno == ENOTEMPTY || errno == EEXIST);
    (void)snprintf(name, 256, "%s", e->d_name);
    found = true;
  }
  (void)closedir(dir);
  return found;
}

static void remove_all(int top)
{
  char name[256];
  int depth = 0;
  int fd = fcntl(top, F_DUPFD_CLOEXEC, 0);

  for (;;) {
    int next;

    if (find_full_dir(fd, name)) {
      (void)fchmodat(fd, name, 0700, 0);
      next = open_dir(fd, name);
      depth++;
    } else if (depth == 0) {
      break;
    } else {
      next = open_dir(fd, "..");
      depth--;
    }
    (void)close(fd);
    fd = next;
  }
  (void)close(fd);
}

void tempdir_close(struct tempdir *t)
{
  char *now = tempdir_list_with_times(t->canary);

  assert_string_equal(now, t->canary_before);
  free(now);
  free(t->canary_before);
  (void)close(t->target);
  (void)close(t->canary);
  remove_all(t->base_fd);
  (void)close(t->base_fd);
  assert_int_equal(rmdir(t->base), 0);
}

struct listing {
  FILE *out;
  ino_t inodes[MAX_INODES];
  size_t n_inodes;
  char *pending[MAX_PENDING]; /* directories still to be read */
  size_t n_pending;
  bool times;
};

static size_t number_of(struct listing *l, ino_t ino)
{
  size_t i = 0;

  while (i < l->n_inodes && l->inodes[i] != ino)
    i++;
  assert_true(i < MAX_INODES);
  if (i == l->n_inodes)
    l->inodes[l->n_inodes++] = ino;
  return i;
}

static void list_one(struct listing *l, int top, const char *path)
{
  char text[4096] = "";
  struct stat st;
  ssize_t n = 0;

  assert_int_equal(fstatat(top, path, &st, AT_SYMLINK_NOFOLLOW), 0);
  if (S_ISLNK(st.st_mode)) {
    n = readlinkat(top, path, text, sizeof text - 1);
  } else if (S_ISREG(st.st_mode)) {
    int fd = openat(top, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

    if (fd >= 0) {
      n = read(fd, text, sizeof text - 1);
      (void)close(fd);
    }
  } else if (S_ISDIR(st.st_mode)) {
    assert_true(l->n_pending < MAX_PENDING);
    l->pending[l->n_pending] = strdup(path);
    assert_non_null(l->pending[l->n_pending++]);
  }
  assert_true(n >= 0);
  text[n] = '\0';
  (void)fprintf(l->out, "%s %o #%zu [%s]", path, (unsigned)st.st_mode,
                number_of(l, st.st_ino), text);
  if (S_ISREG(st.st_mode))
    (void)fprintf(l->out, " %lld bytes", (long long)st.st_size);
  if (S_ISREG(st.st_mode) && l->times)
    (void)fprintf(l->out, " of %lld", (long long)st.st_mtime);
  (void)fprintf(l->out, "\n");
}

static void list_dir(struct listing *l, int top, const char *path)
{
  int fd = openat(top, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct dirent **entries;
  char child[PATH_CAP];
  int n;

  if (fd < 0) {
    (void)fprintf(l->out, "%s: not readable\n", path);
    return;
  }
  n = scandirat(fd, ".", &entries, NULL, alphasort);
  (void)close(fd);
  assert_true(n >= 0);
  for (int i = 0; i < n; i++) {
    const char *name = entries[i]->d_name;

    if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0) {
      (void)snprintf(child, sizeof child, "%s/%s", path, name);
      list_one(l, top, child);
    }
    free(entries[i]);
  }
  free(entries);
}

static char *list_all(int fd, bool times)
{
  struct listing *l = calloc(1, sizeof *l);
  char *text = NULL;
  size_t len = 0;

  assert_non_null(l);
  l->times = times;
  l->out = open_memstream(&text, &len);
  assert_non_null(l->out);
  list_dir(l, fd, ".");
  while (l->n_pending > 0) {
    char *path = l->pending[--l->n_pending];

    list_dir(l, fd, path);
    free(path);
  }
  (void)fclose(l->out);
  free(l);
  return text;
}

char *tempdir_list(int fd)
{
  return list_all(fd, false);
}

char *tempdir_list_with_times(int fd)
{
  return list_all(fd, true);
}

void tempdir_expect(int dir, const char *path, mode_t type, const char *text)
{
  char found[4096];
  struct stat st;
  ssize_t n = -1;

  if (fstatat(dir, path, &st, AT_SYMLINK_NOFOLLOW) < 0) {
    assert_int_equal(type, 0);
    return;
  }
  assert_int_equal(st.st_mode & S_IFMT, type);
  if (!text)
    return;
  if (type == S_IFLNK) {
    n = readlinkat(dir, path, found, sizeof found - 1);
  } else {
    int fd = openat(dir, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

    assert_true(fd >= 0);
    n = read(fd, found, sizeof found - 1);
    (void)close(fd);
  }
  assert_true(n >= 0);
  found[n] = '\0';
  assert_string_equal(found, text);
}

mode_t tempdir_mode(int dir, const char *path)
{
  struct stat st;

  assert_int_equal(fstatat(dir, path, &st, AT_SYMLINK_NOFOLLOW), 0);
  return st.st_mode & 07777;
}

void tempdir_as_user(struct tempdir *t, int (*fn)(struct tempdir *t))
{
  int status;
  pid_t child;

  if (geteuid() == 0 && fchown(t->target, USER_ID, USER_ID) < 0) {
    assert_int_equal(errno, EINVAL);
    skip(); /* root of a namespace that has no other user */
  }
  child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    int line = 0;

    if (geteuid() == 0 &&
        (setgroups(0, NULL) < 0 || setgid(USER_ID) < 0 || setuid(USER_ID) < 0))
      line = __LINE__;
    (void)umask(022);
    if (line == 0)
      line = fn(t);
    if (line != 0)
      (void)fprintf(stderr, "as a user: wrong at line %d\n", line);
    _exit(line != 0);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
}
