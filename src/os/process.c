#include "os/process.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum {
  DEFAULT_UMASK = 022,
  GUESSED_OPEN = 64 /* when /proc does not tell how many are */
};

mode_t tarn_process_umask(void)
{
  FILE *f = fopen("/proc/self/status", "re");
  mode_t mask = DEFAULT_UMASK;
  char line[256];

  if (!f)
    return mask;
  while (fgets(line, sizeof line, f)) {
    char *end;
    unsigned long value;

    if (strncmp(line, "Umask:", 6) != 0)
      continue;
    value = strtoul(line + 6, &end, 8);
    if (*end == '\n' && value <= 0777)
      mask = (mode_t)value;
    break;
  }
  (void)fclose(f);
  return mask;
}

static rlim_t count_open(void)
{
  DIR *dir = opendir("/proc/self/fd");
  const struct dirent *entry;
  rlim_t n = 0;

  if (!dir)
    return errno == EMFILE || errno == ENFILE ? RLIM_INFINITY : GUESSED_OPEN;
  while ((entry = readdir(dir)))
    if (entry->d_name[0] != '.')
      n++;
  (void)closedir(dir);
  return n - 1; /* the one that was reading */
}

unsigned tarn_process_free_fds(void)
{
  struct rlimit limit;
  rlim_t n_open = count_open();

  if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
    return 0;
  if (limit.rlim_cur <= n_open)
    return 0;
  if (limit.rlim_cur - n_open > INT_MAX)
    return INT_MAX;
  return (unsigned)(limit.rlim_cur - n_open);
}
