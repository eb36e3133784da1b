/*
 * Extended attributes that are to be restored: which, and how.
 *
 *   struct tarn_xattr_policy policy = {.privileged = true};
 *   x = tarn_xattrs_new(&policy, entry);       // on the loop; NULL: none
 *   tarn_xattrs_resolve(x, &ids);              // on the name lane
 *   rc = tarn_xattrs_apply(&place, x, TARN_XATTR_PLAIN, &what);
 *   tarn_xattrs_free(x);
 *
 * With privilege: user.*, POSIX ACLs and security.capability; without: user.*.
 * Others (security.selinux, trusted.*) only when a pattern names them: what
 * they mean depends on the machine the archive was made on.
 *
 * They are applied in steps, each at its time: see enum tarn_xattr_step.
 *
 * Memory: one allocation for a member's attributes; directories share what is
 * the same. Threads: travel with the operation; what is kept, with the name
 * lane's item.
 */
#ifndef TARN_OS_XATTR_H
#define TARN_OS_XATTR_H

#include <stdbool.h>
#include <stddef.h>

#include "archive/entry.h"
#include "archive/select.h"
#include "os/acl.h"

struct tarn_xattr_policy {
  bool none;                         /* restore no attributes at all */
  bool privileged;                   /* owners are restored too */
  bool no_lists;                     /* modes are not: lists would be */
  const struct tarn_select *include; /* further names; NULL: none */
};

struct tarn_xattrs;

/* Whether an attribute of that name is restored. */
bool tarn_xattr_wanted(const struct tarn_xattr_policy *p, const char *name);

/*
 * Copies what is wanted of an entry to *x; NULL when there is nothing. -ENOMEM.
 */
int tarn_xattrs_new(struct tarn_xattrs **x, const struct tarn_xattr_policy *p,
                    const struct tarn_entry *entry);
/*
 * What of them a directory needs when all else is made, resolved: all but the
 * plain ones. *kept is another reference to *last, which is the one kept
 * before, if that says the same, as it mostly does; NULL when there is nothing.
 * *last may be NULL and becomes *kept, with a reference of its own. -ENOMEM.
 */
int tarn_xattrs_keep(struct tarn_xattrs **kept, const struct tarn_xattrs *x,
                     struct tarn_xattrs **last);
/* Gives a reference back; NULL is fine. */
void tarn_xattrs_free(struct tarn_xattrs *x);
/* Bytes it takes; 0 for NULL. */
size_t tarn_xattrs_size(const struct tarn_xattrs *x);

/* Turns lists from text into values and moves ids, once; one that is no list
   fails when it is applied. NULL is fine. */
void tarn_xattrs_resolve(struct tarn_xattrs *x, const struct tarn_acl_ids *ids);

/*
 * Where to apply: a descriptor that is open for reading or writing; with fd -1
 * a path that is not followed at its end (a symbolic link by its directory's
 * /proc/self/fd), or that is (/proc/self/fd of an O_PATH descriptor).
 */
struct tarn_xattr_place {
  int fd;
  const char *path;
  bool follow;
};

enum tarn_xattr_step {
  TARN_XATTR_PLAIN,       /* before owner and mode, which may take the right
                             to write away */
  TARN_XATTR_LISTS,       /* behind the mode, as they change it */
  TARN_XATTR_CAPABILITIES /* behind all that clears them, if the owner is what
                             it should be */
};

/*
 * Applies all it can of one step. 0, or -errno of the first failure with *what,
 * the attribute's name, lent by *x. NULL is fine. What finds no room where the
 * file system keeps attributes, while the disk is not full, is -EOVERFLOW.
 */
int tarn_xattrs_apply(const struct tarn_xattr_place *place,
                      const struct tarn_xattrs *x, enum tarn_xattr_step step,
                      const char **what);
/* Takes away the default list of a path that is not followed, if *x has one for
   it. */
void tarn_xattrs_clear_default(const struct tarn_xattr_place *place,
                               const struct tarn_xattrs *x);

#endif
