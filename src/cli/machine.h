/*
 * The machine: how many cores are ours, how many threads to use, descriptors.
 *
 * Memory: none kept. Threads: the main one, before the loop runs.
 */
#ifndef TARN_CLI_MACHINE_H
#define TARN_CLI_MACHINE_H

/*
 * Cores that affinity (sched_getaffinity) and the CPU quota of the control
 * group leave: cpu.max of version 2 here and in each group above, rounded up.
 * At least 1.
 */
unsigned tarn_cli_machine_cores(void);

/*
 * Quota of one cpu.max line ("200000 100000", "max 100000") in whole cores,
 * rounded up; 0 when there is no limit or the text is something else.
 */
unsigned tarn_cli_machine_quota(const char *line);

/*
 * Sizes libuv's pool and returns the size: `threads` when not 0, else
 * UV_THREADPOOL_SIZE of the environment, else two for each core, as half of
 * them wait for the disk, and two more, 4 to 16. Sets UV_THREADPOOL_SIZE, so
 * it has to come before the first use of the pool.
 */
unsigned tarn_cli_machine_pool(unsigned threads);

/* Raises the soft limit of open files to the hard one. */
void tarn_cli_machine_raise_files(void);

#endif
