/*
 * The tree is that of extracting one member after another, whatever the
 * timing: random archives over few names, so that members replace, link to and
 * stand below one another, with random delays in every system call of the
 * workers, and files whose write or close fails. The same members one by one,
 * each as a job of its own, tell what is right.
 *
 * TARN_TEST_SEED in the environment repeats one archive.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "job_harness.h"
#include "tar_make.h"
#include "tempdir.h"

enum { MEMBERS = 60, ARCHIVES = 60, DEEP_ARCHIVES = 800 };

/* ---- randomness, repeatable ---- */

static uint64_t next_random(uint64_t *state)
{
  *state =
      *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return *state >> 33;
}

static unsigned below(uint64_t *state, unsigned n)
{
  return (unsigned)(next_random(state) % n);
}

/* ---- system calls, slowed and failing ---- */

static bool slow; /* set before a job begins, never while one runs */

static void delay(void)
{
  static _Thread_local uint64_t state;
  struct timespec pause = {0, 0};

  if (!slow)
    return;
  if (state == 0)
    state = (uint64_t)(uintptr_t)&state;
  if (below(&state, 4) == 0)
    pause.tv_nsec = (long)below(&state, 300000);
  (void)nanosleep(&pause, NULL);
}

/* The file was made under a name whose last component begins with `c`. */
static bool is_marked(int fd, char c)
{
  char link[64], path[4096];
  const char *name;
  ssize_t n;

  (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  n = readlink(link, path, sizeof path - 1);
  if (n <= 0)
    return false;
  path[n] = '\0';
  name = strrchr(path, '/');
  return name && strstr(path, "/target/") && name[1] == c;
}

ssize_t __real_pwrite64(int fd, const void *ptr, size_t len, off_t at);
ssize_t __wrap_pwrite64(int fd, const void *ptr, size_t len, off_t at);
int __real_close(int fd);
int __wrap_close(int fd);
int __real_openat64(int dir, const char *path, int flags, ...);
int __wrap_openat64(int dir, const char *path, int flags, ...);
int __real_mkdirat(int dir, const char *path, mode_t mode);
int __wrap_mkdirat(int dir, const char *path, mode_t mode);
int __real_symlinkat(const char *target, int dir, const char *path);
int __wrap_symlinkat(const char *target, int dir, const char *path);
int __real_linkat(int from, const char *old, int to, const char *path,
                  int flags);
int __wrap_linkat(int from, const char *old, int to, const char *path,
                  int flags);
int __real_unlinkat(int dir, const char *path, int flags);
int __wrap_unlinkat(int dir, const char *path, int flags);
int __real_futimens(int fd, const struct timespec times[2]);
int __wrap_futimens(int fd, const struct timespec times[2]);

ssize_t __wrap_pwrite64(int fd, const void *ptr, size_t len, off_t at)
{
  delay();
  if (is_marked(fd, 'w')) {
    errno = EIO;
    return -1;
  }
  return __real_pwrite64(fd, ptr, len, at);
}

int __wrap_close(int fd)
{
  struct stat st;
  bool fails = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && is_marked(fd, 'c');
  int rc;

  delay();
  rc = __real_close(fd);
  if (!fails)
    return rc;
  errno = EIO;
  return -1;
}

int __wrap_openat64(int dir, const char *path, int flags, ...)
{
  mode_t mode = 0;

  if (flags & O_CREAT) {
    va_list args;

    va_start(args, flags);
    mode = va_arg(args, mode_t);
    va_end(args);
    delay();
  }
  return __real_openat64(dir, path, flags, mode);
}

int __wrap_mkdirat(int dir, const char *path, mode_t mode)
{
  delay();
  return __real_mkdirat(dir, path, mode);
}

int __wrap_symlinkat(const char *target, int dir, const char *path)
{
  delay();
  return __real_symlinkat(target, dir, path);
}

int __wrap_linkat(int from, const char *old, int to, const char *path,
                  int flags)
{
  delay();
  return __real_linkat(from, old, to, path, flags);
}

int __wrap_unlinkat(int dir, const char *path, int flags)
{
  delay();
  return __real_unlinkat(dir, path, flags);
}

int __wrap_futimens(int fd, const struct timespec times[2])
{
  delay();
  return __real_futimens(fd, times);
}

/* ---- random archives ---- */

static const char *const parts[] = {"a", "b", "d", "e", "w", "c"};
static const char *const targets[] = {"a", "d",   "d/e",  "..",     "../canary",
                                      ".", "e/b", "/tmp", "nowhere"};
#define COUNT(array) (sizeof(array) / sizeof *(array))

static void random_name(uint64_t *state, char name[64])
{
  unsigned depth = 1 + below(state, 3), i;
  size_t len = 0;

  for (i = 0; i < depth; i++)
    len += (size_t)snprintf(name + len, 64 - len, "%s%s", i ? "/" : "",
                            parts[below(state, COUNT(parts))]);
}

static size_t random_len(uint64_t *state)
{
  switch (below(state, 6)) {
  case 0:
    return 0;
  case 1:
    return 700000 + below(state, 300000);
  default:
    return below(state, 3000);
  }
}

static void add_file(struct tar_make *t, uint64_t *state, const char *name,
                     unsigned number)
{
  struct tar_make_header h = {.name = name};
  size_t len = random_len(state), i;
  char text[32];
  uint8_t *body = calloc(1, len + 1);

  assert_non_null(body);
  (void)snprintf(text, sizeof text, "member %u of %zu;", number, len);
  for (i = 0; i < len; i++)
    body[i] = (uint8_t)text[i % strlen(text)];
  h.mode = 0600 | below(state, 64);
  h.size = (int64_t)len;
  h.mtime = 1000 + number;
  (void)tar_make_header(t, &h);
  (void)tar_make_body(t, body, len);
  free(body);
}

static void add_member(struct tar_make *t, uint64_t *state, unsigned number)
{
  struct tar_make_header h = {0};
  char name[64], target[64];

  random_name(state, name);
  h.name = name;
  switch (below(state, 10)) {
  case 0:
  case 1:
    h.type = '5';
    h.mode = 0700 | below(state, 64);
    (void)tar_make_header(t, &h);
    break;
  case 2:
    (void)tar_make_link(t, '2', name, targets[below(state, COUNT(targets))]);
    break;
  case 3:
  case 4:
    random_name(state, target);
    (void)tar_make_link(t, '1', name, target);
    break;
  case 5:
    h.type = '6';
    h.mode = 0640;
    (void)tar_make_header(t, &h);
    break;
  default:
    add_file(t, state, name, number);
    break;
  }
}

/* ---- extraction ---- */

/* Puts `t` into the target. Returns the error's code. */
static int extract(const struct tempdir *dir, const struct tar_make *t,
                   unsigned writers)
{
  struct tarn_options context = TARN_OPTIONS_INIT;
  char path[300];
  struct job_host h;
  struct job_run r;
  int code;

  (void)snprintf(path, sizeof path, "%s/target", dir->base);
  context.max_work = writers;
  job_open(&h, &context);
  job_run_init(&r, &h);
  r.opts.source = TARN_FROM_PUT;
  r.opts.path = path;
  r.opts.memory = 4 << 20;
  r.opts.write_workers = writers;
  assert_int_equal(job_start(&r, NULL), 0);
  job_put_all(&r, t->data, t->len);
  job_wait(&r);
  code = r.err.code;
  assert_true(code == 0 || code == TARN_EPARTIAL);
  job_run_free(&r);
  job_close(&h);
  return code;
}

static char *one_by_one(uint64_t seed, bool *failed)
{
  struct tempdir dir;
  uint64_t state = seed;
  char *list;
  unsigned i;

  slow = false;
  *failed = false;
  tempdir_open(&dir);
  for (i = 0; i < MEMBERS; i++) {
    struct tar_make t = {0};

    add_member(&t, &state, i);
    (void)tar_make_end(&t);
    if (extract(&dir, &t, 1) != 0)
      *failed = true;
    tar_make_free(&t);
  }
  list = tempdir_list_with_times(dir.target);
  tempdir_close(&dir);
  return list;
}

static char *at_once(uint64_t seed, bool *failed)
{
  struct tempdir dir;
  struct tar_make t = {0};
  uint64_t state = seed;
  char *list;
  unsigned i;

  tempdir_open(&dir);
  for (i = 0; i < MEMBERS; i++)
    add_member(&t, &state, i);
  (void)tar_make_end(&t);
  slow = true;
  *failed = extract(&dir, &t, 4) != 0;
  slow = false;
  tar_make_free(&t);
  list = tempdir_list_with_times(dir.target);
  tempdir_close(&dir);
  return list;
}

/* The beginnings of lines that the other list lacks. */
static void print_missing(const char *title, const char *list,
                          const char *other)
{
  enum { MOST = 100 };

  (void)fprintf(stderr, "---- only %s:\n", title);
  while (*list) {
    size_t len = strcspn(list, "\n") + 1;
    char *line = strndup(list, len);

    assert_non_null(line);
    if (!strstr(other, line))
      (void)fprintf(stderr, "%.*s\n", (int)(len < MOST ? len - 1 : MOST), line);
    free(line);
    list += len;
  }
}

static void compare(uint64_t seed)
{
  bool right_failed, failed;
  char *right = one_by_one(seed, &right_failed);
  char *list = at_once(seed, &failed);

  if (strcmp(right, list) != 0) {
    print_missing("one by one", right, list);
    print_missing("at once", list, right);
    fail_msg("the trees of seed %llu differ", (unsigned long long)seed);
  }
  if (right_failed != failed)
    fail_msg("seed %llu: only one way told of a failure",
             (unsigned long long)seed);
  free(right);
  free(list);
}

static void members_at_once_make_the_tree_of_one_after_another(void **s)
{
  const char *given = getenv("TARN_TEST_SEED");
  uint64_t n = getenv("TARN_DEEP") ? DEEP_ARCHIVES : ARCHIVES, seed;

  (void)s;
  if (given) {
    compare(strtoull(given, NULL, 10));
    return;
  }
  for (seed = 1; seed <= n; seed++)
    compare(seed);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(members_at_once_make_the_tree_of_one_after_another),
  };

  if (argc > 1)
    cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
