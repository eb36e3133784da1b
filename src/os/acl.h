/*
 * POSIX access control lists: from the text in an archive, or from the value
 * of an attribute, to the value the kernel takes.
 *
 *   struct tarn_acl_ids ids = {.owners = owners};
 *
 *   cap = tarn_acl_value_cap(text, len);   // "user::rwx,user:bin:r--:2,..."
 *   n = tarn_acl_from_text(&ids, text, len, value, cap);
 *   if (n > 0)
 *     fsetxattr(fd, "system.posix_acl_access", value, (size_t)n, 0);
 *
 * An entry is TAG:QUALIFIER:PERMISSIONS, as in POSIX 1003.1e draft 17, section
 * 23.3. Entries end with a comma or a newline. TAG is user, group, mask, other
 * or its first letter, behind "default:" if that is there; mask and other may
 * have one colon only. Blanks may stand between parts. '#' begins a comment,
 * "#effective:..." ends with the entry. PERMISSIONS are up to three of r, w, x
 * and -, in any order, no letter twice. A name may have "\ooo" for a byte. star
 * and libarchive add the number of a named user or group as a fourth part.
 *
 * The value is struct posix_acl_xattr_header of version 2 and its entries,
 * little-endian, sorted as the kernel wants them.
 *
 * Memory: the caller's. Threads: as of the owner cache.
 */
#ifndef TARN_OS_ACL_H
#define TARN_OS_ACL_H

#include <stddef.h>
#include <stdint.h>

#include "os/idmap.h"
#include "os/owner.h"

#define TARN_ACL_MAX_ENTRIES 1024u

/* Ids of users and groups go through the maps, which may be NULL. */
struct tarn_acl_ids {
  struct tarn_owner_cache *owners;
  const struct tarn_id_map *uid_map, *gid_map;
};

/* Bytes that are enough for the value of that text. */
size_t tarn_acl_value_cap(const char *text, size_t len);
/*
 * Writes the value of the text and returns its length: at most `cap`. Whom an
 * entry is about is told by the name, or by the fourth part, or by a qualifier
 * of digits, which is no name; with numeric owners the name comes last. -EINVAL
 * for what is no list, or names somebody nobody knows; -E2BIG for too many
 * entries; -EOVERFLOW for an id in no range of its map; -ENOMEM.
 */
int64_t tarn_acl_from_text(const struct tarn_acl_ids *ids, const char *text,
                           size_t len, uint8_t *value, size_t cap);
/* The same for what is a value already, in place. */
int64_t tarn_acl_from_value(const struct tarn_acl_ids *ids, uint8_t *value,
                            size_t len);

#endif
