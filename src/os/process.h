/*
 * Facts about this process and machine, read without changing any of them.
 */
#ifndef TARN_OS_PROCESS_H
#define TARN_OS_PROCESS_H

#include <sys/types.h>

/* The umask, from /proc/self/status (umask(2) would change it); 022 if that
   cannot be read. */
mode_t tarn_process_umask(void);
/* How many more descriptors may be opened: the soft limit less those open. */
unsigned tarn_process_free_fds(void);

#endif
