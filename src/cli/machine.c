#include "cli/machine.h"

#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/size.h"

#define CGROUP_ROOT "/sys/fs/cgroup"
#define MAX_POOL    16
#define MIN_POOL    4
#define MAX_CPUS    16384

/* A set for more cores than the usual 1024 has to be allocated. */
static unsigned affinity_cores(void)
{
  cpu_set_t *set = CPU_ALLOC(MAX_CPUS);
  size_t size = CPU_ALLOC_SIZE(MAX_CPUS);
  int n = 0;
  long online;

  if (set && sched_getaffinity(0, size, set) == 0)
    n = CPU_COUNT_S(size, set);
  CPU_FREE(set);
  if (n > 0)
    return (unsigned)n;
  online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? (unsigned)online : 1;
}

unsigned tarn_cli_machine_quota(const char *line)
{
  unsigned long long quota, period, cores;

  if (sscanf(line, "%llu %llu", &quota, &period) != 2 || period == 0 ||
      quota > ULLONG_MAX - period)
    return 0;
  cores = (quota + period - 1) / period;
  return cores > INT_MAX ? 0 : (unsigned)cores;
}

static bool read_line(const char *path, char *line, int size)
{
  FILE *file = fopen(path, "re");
  bool ok = file && fgets(line, size, file);

  if (file)
    (void)fclose(file);
  return ok;
}

/* Path of our group in the version 2 hierarchy: the line "0::/path". */
static bool own_group(char *path, size_t size)
{
  FILE *file = fopen("/proc/self/cgroup", "re");
  char line[PATH_MAX];
  bool found = false;

  while (file && !found && fgets(line, sizeof line, file)) {
    if (strncmp(line, "0::/", 4) != 0)
      continue;
    line[strcspn(line, "\n")] = '\0';
    found = (size_t)snprintf(path, size, CGROUP_ROOT "%s", line + 3) < size;
  }
  if (file)
    (void)fclose(file);
  return found;
}

/* The least quota from our group up to the root; 0 without any. */
static unsigned quota_cores(void)
{
  char path[PATH_MAX], file[PATH_MAX + 16], line[64];
  unsigned least = 0, n;
  char *slash;

  if (!own_group(path, sizeof path))
    return 0;
  for (;;) {
    (void)snprintf(file, sizeof file, "%s/cpu.max", path);
    n = read_line(file, line, sizeof line) ? tarn_cli_machine_quota(line) : 0;
    if (n > 0 && (least == 0 || n < least))
      least = n;
    slash = strrchr(path, '/');
    if (!slash || strlen(path) <= sizeof CGROUP_ROOT - 1)
      return least;
    *slash = '\0';
  }
}

unsigned tarn_cli_machine_cores(void)
{
  unsigned cores = affinity_cores(), quota = quota_cores();

  return quota > 0 && quota < cores ? quota : cores;
}

static unsigned chosen_pool(void)
{
  unsigned cores = tarn_cli_machine_cores();
  unsigned pool = cores > MAX_POOL ? MAX_POOL : cores * 2 + 2;

  if (pool > MAX_POOL)
    return MAX_POOL;
  return pool < MIN_POOL ? MIN_POOL : pool;
}

unsigned tarn_cli_machine_pool(unsigned threads)
{
  const char *given = getenv("UV_THREADPOOL_SIZE");
  uint64_t n = threads;
  char text[16];

  if (n == 0 && given && tarn_cli_count_parse(given, &n) != 0)
    n = 0;
  if (n == 0 || n > 1024)
    n = chosen_pool();
  (void)snprintf(text, sizeof text, "%u", (unsigned)n);
  (void)setenv("UV_THREADPOOL_SIZE", text, 1);
  return (unsigned)n;
}

void tarn_cli_machine_raise_files(void)
{
  struct rlimit limit;

  if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
    return;
  limit.rlim_cur = limit.rlim_max;
  (void)setrlimit(RLIMIT_NOFILE, &limit);
}
