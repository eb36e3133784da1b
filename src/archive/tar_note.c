#include "archive/tar_note.h"

#include <stdio.h>

#include "base/path.h"

static const struct {
  bool of_member;
  const char *text;
} notes[TARN_TAR_NOTE_COUNT] = {
    [TARN_TAR_NOTE_TWICE] = {false, "two long headers of one kind for one "
                                    "member, the last is used"},
    [TARN_TAR_NOTE_GLOBAL] = {false,
                              "global header with a path, size or attributes: "
                              "those are ignored"},
    [TARN_TAR_NOTE_TYPE] = {true, "unknown type, read as a file"},
    [TARN_TAR_NOTE_DIR_SIZE] = {true, "directory with a size, ignored"},
    [TARN_TAR_NOTE_LINK_SIZE] = {true, "hard link with a size, ignored"},
    [TARN_TAR_NOTE_LONE_ZERO] = {false, "one zero block where two end an "
                                        "archive"},
    [TARN_TAR_NOTE_BEHIND] = {false, "data behind the end of the archive"},
    [TARN_TAR_NOTE_NO_END] = {false, "the archive has no end blocks"},
};

void tarn_tar_note(struct tarn_tar_notes *n, enum tarn_tar_note note,
                   uint64_t at)
{
  n->bits |= 1u << note;
  n->at[note] = at;
}

bool tarn_tar_note_take(struct tarn_tar_notes *n, const char *path,
                        size_t path_len, char *text, size_t cap)
{
  unsigned which = 0;
  char name[256];

  if (n->bits == 0)
    return false;
  while (!(n->bits & 1u << which))
    which++;
  n->bits &= ~(1u << which);
  if (notes[which].of_member) {
    tarn_path_escape(path, path_len, name, sizeof name);
    (void)snprintf(text, cap, "member %s at offset %llu: %s", name,
                   (unsigned long long)n->at[which], notes[which].text);
  } else {
    (void)snprintf(text, cap, "tar offset %llu: %s",
                   (unsigned long long)n->at[which], notes[which].text);
  }
  return true;
}
