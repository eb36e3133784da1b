/*
 * Removing all there is in a directory, whatever its depth, without following
 * a link and without memory for it: what stands in a directory is moved up to
 * the top before the directory goes.
 *
 * Threads: any; blocks for as long as it takes.
 */
#ifndef TARN_OS_REMOVE_TREE_H
#define TARN_OS_REMOVE_TREE_H

/* Empties the directory `top`, open for reading. 0 or -errno; what could not be
   removed stays. */
int tarn_remove_all(int top);

#endif
