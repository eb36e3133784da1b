#include "os/xattr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "tempdir.h"

static struct tempdir dir;
static struct tarn_acl_ids ids;

static int set_up(void **s)
{
  (void)s;
  tempdir_open(&dir);
  ids.owners = tarn_owner_cache_new(false);
  return ids.owners ? 0 : -1;
}

static int tear_down(void **s)
{
  (void)s;
  tarn_owner_cache_free(ids.owners);
  tempdir_close(&dir);
  return 0;
}

static struct tarn_xattr attribute(const char *name, const char *value)
{
  struct tarn_xattr x = {name, (const uint8_t *)value, strlen(value)};

  return x;
}

static struct tarn_entry entry_of(enum tarn_entry_type type,
                                  const struct tarn_xattr *xattrs, size_t n)
{
  struct tarn_entry e = {.type = type, .path = "x", .path_len = 1, .link = ""};

  e.acl_access = e.acl_default = e.uname = e.gname = "";
  e.xattrs = xattrs;
  e.n_xattrs = n;
  return e;
}

static struct tarn_xattrs *make(const struct tarn_xattr_policy *p,
                                const struct tarn_entry *e)
{
  struct tarn_xattrs *x;

  assert_int_equal(tarn_xattrs_new(&x, p, e), 0);
  return x;
}

static int new_file(void)
{
  int fd =
      openat(dir.target, "f", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

  assert_true(fd >= 0);
  return fd;
}

/* Skips the test where the file system keeps no attributes. */
static int new_file_with_attributes(void)
{
  int fd = new_file();

  if (fsetxattr(fd, "user.probe", "", 0, 0) == 0)
    return fd;
  (void)close(fd);
  skip();
  return -1;
}

static int apply(int fd, const struct tarn_xattrs *x, bool owned,
                 const char **what)
{
  struct tarn_xattr_place place = {.fd = fd};
  int first = 0;
  int step;

  *what = "";
  for (step = TARN_XATTR_PLAIN; step <= TARN_XATTR_CAPABILITIES; step++) {
    const char *name;
    int rc = 0;

    if (step != TARN_XATTR_CAPABILITIES || owned)
      rc = tarn_xattrs_apply(&place, x, (enum tarn_xattr_step)step, &name);
    if (rc < 0 && first == 0) {
      first = rc;
      *what = name;
    }
  }
  return first;
}

static void what_is_restored_depends_on_privilege_and_patterns(void **s)
{
  static const char *const names[] = {"trusted.*", "security.selinux"};
  struct tarn_select_patterns patterns = {names, 2, NULL, 0};
  struct tarn_xattr_policy user = {0}, root = {.privileged = true},
                           none = {.none = true, .privileged = true},
                           more = {0};
  struct tarn_select *select;
  static const struct {
    const char *name;
    bool user, root, more;
  } cases[] = {
      {"user.a", true, true, true},
      {"user.", true, true, true},
      {"username", false, false, false},
      {"security.capability", false, true, false},
      {"system.posix_acl_access", false, true, false},
      {"system.posix_acl_default", false, true, false},
      {"system.other", false, false, false},
      {"security.selinux", false, false, true},
      {"security.evm", false, false, false},
      {"trusted.overlay.opaque", false, false, true},
      {"", false, false, false},
  };
  size_t i;

  (void)s;
  assert_int_equal(tarn_select_new(&select, &patterns, NULL), 0);
  more.include = select;
  for (i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *name = cases[i].name;

    assert_int_equal(tarn_xattr_wanted(&user, name), cases[i].user);
    assert_int_equal(tarn_xattr_wanted(&root, name), cases[i].root);
    assert_int_equal(tarn_xattr_wanted(&more, name), cases[i].more);
    assert_false(tarn_xattr_wanted(&none, name));
  }
  tarn_select_free(select);
}

static void an_entry_without_wanted_attributes_costs_nothing(void **s)
{
  struct tarn_xattr x = attribute("trusted.a", "1");
  struct tarn_entry none = entry_of(TARN_ENTRY_FILE, NULL, 0),
                    unwanted = entry_of(TARN_ENTRY_FILE, &x, 1);
  struct tarn_xattr_policy root = {.privileged = true};

  (void)s;
  assert_null(make(&root, &none));
  assert_null(make(&root, &unwanted));
  assert_int_equal(tarn_xattrs_size(NULL), 0);
  tarn_xattrs_free(NULL);
}

static void attributes_are_copied_and_set(void **s)
{
  char name[] = "user.name", value[] = "some\nbytes", got[64];
  struct tarn_xattr x[2] = {attribute(name, value),
                            attribute("user.empty", "")};
  struct tarn_entry e = entry_of(TARN_ENTRY_FILE, x, 2);
  struct tarn_xattr_policy policy = {0};
  struct tarn_xattrs *all = make(&policy, &e);
  int fd = new_file_with_attributes();
  const char *what;

  (void)s;
  memset(name, '?', sizeof name - 1);
  memset(value, '?', sizeof value - 1);
  assert_int_equal(apply(fd, all, false, &what), 0);
  assert_int_equal(fgetxattr(fd, "user.name", got, sizeof got), 10);
  assert_memory_equal(got, "some\nbytes", 10);
  assert_int_equal(fgetxattr(fd, "user.empty", got, sizeof got), 0);
  tarn_xattrs_free(all);
  (void)close(fd);
}

static void the_first_failure_is_named_and_the_rest_is_set(void **s)
{
  static const char *const names[] = {"*"};
  struct tarn_select_patterns patterns = {names, 1, NULL, 0};
  struct tarn_xattr x[2] = {attribute("nonsense", "1"),
                            attribute("user.b", "2")};
  struct tarn_entry e = entry_of(TARN_ENTRY_FILE, x, 2);
  struct tarn_xattr_policy policy = {0};
  struct tarn_select *select;
  struct tarn_xattrs *all;
  int fd = new_file_with_attributes();
  const char *what;
  char got[8];

  (void)s;
  assert_int_equal(tarn_select_new(&select, &patterns, NULL), 0);
  policy.include = select;
  all = make(&policy, &e);
  assert_int_equal(apply(fd, all, false, &what), -EOPNOTSUPP);
  assert_string_equal(what, "nonsense");
  assert_int_equal(fgetxattr(fd, "user.b", got, sizeof got), 1);
  tarn_xattrs_free(all);
  tarn_select_free(select);
  (void)close(fd);
}

static void a_list_changes_the_mode_and_wins_over_its_attribute(void **s)
{
  struct tarn_xattr x = attribute("system.posix_acl_access", "not a list");
  struct tarn_entry e = entry_of(TARN_ENTRY_FILE, &x, 1);
  struct tarn_xattr_policy root = {.privileged = true};
  struct tarn_xattrs *all;
  int fd = new_file_with_attributes();
  const char *what;
  struct stat st;
  int rc;

  (void)s;
  e.acl_access = "user::rw-,user:7:rwx,group::r--,mask::rwx,other::---";
  e.acl_default = "user::rwx,group::r-x,other::---"; /* a file has none */
  all = make(&root, &e);
  tarn_xattrs_resolve(all, &ids);
  tarn_xattrs_resolve(all, &ids); /* once is enough, twice is the same */
  rc = apply(fd, all, true, &what);
  tarn_xattrs_free(all);
  assert_int_equal(fstat(fd, &st), 0);
  (void)close(fd);
  if (rc == -EOPNOTSUPP)
    skip();
  assert_int_equal(rc, 0);
  assert_int_equal(st.st_mode & 0777, 0670);
}

static void lists_and_capabilities_are_judged_apart(void **s)
{
  struct tarn_xattr_policy p = {.privileged = true, .no_lists = true};

  (void)s;
  assert_false(tarn_xattr_wanted(&p, "system.posix_acl_access"));
  assert_false(tarn_xattr_wanted(&p, "system.posix_acl_default"));
  assert_true(tarn_xattr_wanted(&p, "security.capability"));
  assert_true(tarn_xattr_wanted(&p, "user.a"));
}

static void a_symbolic_link_has_no_list(void **s)
{
  struct tarn_xattr x = attribute("system.posix_acl_access", "x");
  struct tarn_entry e = entry_of(TARN_ENTRY_SYMLINK, &x, 1);
  struct tarn_xattr_policy root = {.privileged = true};

  (void)s;
  e.acl_access = "user::rwx,group::r,other::r";
  assert_null(make(&root, &e));
}

static void a_damaged_value_of_a_list_fails_when_it_is_applied(void **s)
{
  struct tarn_xattr x = attribute("system.posix_acl_access", "not a list");
  struct tarn_entry e = entry_of(TARN_ENTRY_FILE, &x, 1);
  struct tarn_xattr_policy root = {.privileged = true};
  struct tarn_xattrs *all = make(&root, &e);
  int fd = new_file();
  const char *what;

  (void)s;
  tarn_xattrs_resolve(all, &ids);
  assert_int_equal(apply(fd, all, true, &what), -EINVAL);
  assert_string_equal(what, "system.posix_acl_access");
  tarn_xattrs_free(all);
  (void)close(fd);
}

static void what_is_kept_is_late_and_shared_while_it_is_the_same(void **s)
{
  struct tarn_xattr x[2] = {
      {"security.capability", (const uint8_t *)"c", 1},
      attribute("user.a", "1"),
  };
  struct tarn_entry e = entry_of(TARN_ENTRY_DIR, x, 2);
  struct tarn_xattr_policy root = {.privileged = true};
  struct tarn_xattrs *all, *kept[5], *last = NULL;
  size_t i;

  (void)s;
  /* The second time all is the same; then the list is another, then there is
     less of the same, then nothing that is kept. */
  for (i = 0; i < 5; i++) {
    e.acl_access = i < 2   ? "user::rwx,group::r,other::r"
                   : i < 4 ? "user::rwx,group::r,other::w"
                           : "";
    e.xattrs = i < 3 ? x : x + 1;
    e.n_xattrs = i < 3 ? 2 : 1;
    all = make(&root, &e);
    tarn_xattrs_resolve(all, &ids);
    assert_int_equal(tarn_xattrs_keep(&kept[i], all, &last), 0);
    if (kept[i]) {
      assert_ptr_equal(kept[i], last);
      assert_true(tarn_xattrs_size(last) < tarn_xattrs_size(all));
    }
    tarn_xattrs_free(all);
  }
  assert_ptr_equal(kept[0], kept[1]);
  assert_ptr_not_equal(kept[1], kept[2]);
  assert_ptr_not_equal(kept[2], kept[3]);
  assert_null(kept[4]);
  for (i = 0; i < 5; i++)
    tarn_xattrs_free(kept[i]);
  tarn_xattrs_free(last);
}

static void a_text_that_is_no_list_fails_when_it_is_applied(void **s)
{
  struct tarn_entry e = entry_of(TARN_ENTRY_FILE, NULL, 0);
  struct tarn_xattr_policy root = {.privileged = true};
  struct tarn_xattrs *all;
  int fd = new_file();
  const char *what;

  (void)s;
  e.acl_access = "user::rw-,nonsense";
  all = make(&root, &e);
  tarn_xattrs_resolve(all, &ids);
  assert_int_equal(apply(fd, all, true, &what), -EINVAL);
  assert_string_equal(what, "system.posix_acl_access");
  tarn_xattrs_free(all);
  (void)close(fd);
}

static void capabilities_are_a_step_of_their_own(void **s)
{
  /* struct vfs_cap_data, revision 2, effective: CAP_NET_RAW */
  static const uint8_t value[20] = {1, 0, 0, 2, 0, 0x20};
  struct tarn_xattr x = {"security.capability", value, sizeof value};
  struct tarn_entry e = entry_of(TARN_ENTRY_FILE, &x, 1);
  struct tarn_xattr_policy root = {.privileged = true};
  struct tarn_xattrs *all = make(&root, &e);
  int fd = new_file_with_attributes();
  const char *what;
  uint8_t got[64];
  int rc;

  (void)s;
  assert_int_equal(apply(fd, all, false, &what), 0);
  assert_int_equal(fgetxattr(fd, "security.capability", got, sizeof got), -1);
  rc = apply(fd, all, true, &what);
  if (rc == 0)
    assert_int_equal(fgetxattr(fd, "security.capability", got, sizeof got), 20);
  tarn_xattrs_free(all);
  (void)close(fd);
  if (rc == -EPERM)
    skip();
  assert_int_equal(rc, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_restored_depends_on_privilege_and_patterns),
      cmocka_unit_test(an_entry_without_wanted_attributes_costs_nothing),
      cmocka_unit_test(attributes_are_copied_and_set),
      cmocka_unit_test(the_first_failure_is_named_and_the_rest_is_set),
      cmocka_unit_test(a_list_changes_the_mode_and_wins_over_its_attribute),
      cmocka_unit_test(lists_and_capabilities_are_judged_apart),
      cmocka_unit_test(a_symbolic_link_has_no_list),
      cmocka_unit_test(a_damaged_value_of_a_list_fails_when_it_is_applied),
      cmocka_unit_test(what_is_kept_is_late_and_shared_while_it_is_the_same),
      cmocka_unit_test(a_text_that_is_no_list_fails_when_it_is_applied),
      cmocka_unit_test(capabilities_are_a_step_of_their_own),
  };

  return cmocka_run_group_tests(tests, set_up, tear_down);
}
