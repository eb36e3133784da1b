/*
 * Runs a fuzz target over every file given as an argument, and every file in
 * each directory given, without libFuzzer. Exits 1 when there was none to run.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The target sees a block of exactly the file's size. */
static int run_stream(FILE *file, size_t size)
{
  uint8_t *data = malloc(size ? size : 1);
  int rc = -1;

  if (data && fread(data, 1, size, file) == size) {
    LLVMFuzzerTestOneInput(data, size);
    rc = 0;
  }
  free(data);
  return rc;
}

static int run_file(const char *path, const struct stat *st)
{
  FILE *file = fopen(path, "rb");
  int rc = file ? run_stream(file, (size_t)st->st_size) : -1;

  if (rc < 0)
    perror(path);
  if (file)
    (void)fclose(file);
  return rc;
}

static int run_directory(const char *path, unsigned *n_run)
{
  DIR *dir = opendir(path);
  struct dirent *entry;
  int rc = dir ? 0 : -1;

  if (!dir)
    perror(path);
  while (rc == 0 && (entry = readdir(dir))) {
    char name[4096];
    struct stat st;

    (void)snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
    if (stat(name, &st) < 0 || !S_ISREG(st.st_mode))
      continue;
    rc = run_file(name, &st);
    ++*n_run;
  }
  if (dir)
    (void)closedir(dir);
  return rc;
}

int main(int argc, char **argv)
{
  unsigned n_run = 0;
  int i, rc = 0;

  for (i = 1; i < argc && rc == 0; i++) {
    struct stat st;

    if (stat(argv[i], &st) < 0) {
      perror(argv[i]);
      return 1;
    }
    if (S_ISDIR(st.st_mode)) {
      rc = run_directory(argv[i], &n_run);
    } else {
      rc = run_file(argv[i], &st);
      n_run++;
    }
  }
  (void)printf("%u inputs\n", n_run);
  return rc < 0 || !n_run;
}
