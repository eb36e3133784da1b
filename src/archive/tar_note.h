/*
 * Warnings of the tar reader that wait to be told, at most one of each kind.
 *
 *   tarn_tar_note(&notes, TARN_TAR_NOTE_TWICE, at);
 *   while (tarn_tar_note_take(&notes, path, path_len, text, sizeof text)) ...
 *
 * Memory: none of its own. Threads: the owner's.
 */
#ifndef TARN_ARCHIVE_TAR_NOTE_H
#define TARN_ARCHIVE_TAR_NOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tarn_tar_note {
  TARN_TAR_NOTE_TWICE = 0, /* two x, L or K for one member */
  TARN_TAR_NOTE_GLOBAL,    /* a global header with what only members have */
  TARN_TAR_NOTE_TYPE,      /* a type nobody knows, read as a file */
  TARN_TAR_NOTE_DIR_SIZE,  /* a directory with a size */
  TARN_TAR_NOTE_LINK_SIZE, /* a hard link with a size and no content */
  TARN_TAR_NOTE_LONE_ZERO, /* one zero block where two end an archive */
  TARN_TAR_NOTE_BEHIND,    /* data behind the end blocks */
  TARN_TAR_NOTE_NO_END,    /* no end blocks */
  TARN_TAR_NOTE_COUNT
};

struct tarn_tar_notes {
  unsigned bits; /* bit n: note n waits */
  uint64_t at[TARN_TAR_NOTE_COUNT];
};

/* Raises a note about offset `at`. */
void tarn_tar_note(struct tarn_tar_notes *n, enum tarn_tar_note note,
                   uint64_t at);

/*
 * Takes the first note that waits and writes its text, at most cap - 1 bytes;
 * false when none does. `path` is the member's, for the notes about one.
 */
bool tarn_tar_note_take(struct tarn_tar_notes *n, const char *path,
                        size_t path_len, char *text, size_t cap);

#endif
