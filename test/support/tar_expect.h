/*
 * What a made archive must tell when it is read; fails the cmocka test if not.
 *
 *   tar_make_file(&t, "a", "x", 1);
 *   tar_make_end(&t);
 *   tar_expect(&t, NULL, 0, "member file a 644|finish 1");
 *
 * Memory: tar_expect frees the archive.
 */
#ifndef TAR_EXPECT_H
#define TAR_EXPECT_H

#include "tar_log.h"
#include "tar_make.h"

/* Reads in one piece. */
void tar_read_whole(struct tar_log *log, const struct tar_make *t, bool proven);

/*
 * Reads *t whole, byte by byte and cut at random, its length proven: all must
 * tell the same and end with `rc`. `lines` are separated by "|": each must be
 * found in the text, in this order.
 */
void tar_expect(struct tar_make *t, const struct tarn_tar_options *opts, int rc,
                const char *lines);
/* The text of *t, which stays, must not hold `unwanted`. */
void tar_expect_without(struct tar_make *t, const char *unwanted);

#endif
