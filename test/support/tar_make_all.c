#include <string.h>

#include "tar_make.h"
#include "tar_make_sparse.h"

static const struct tar_piece pieces[] = {{512, 512},  {1536, 512}, {2560, 512},
                                          {3584, 512}, {4608, 100}, {5000, 0}};

static void make_plain(struct tar_make *t)
{
  struct tar_make_header v7 = {
      .name = "v7/", .magic = TAR_MAKE_V7, .type_is_nul = 1, .mode = 0755};
  struct tar_make_header prefixed = {.name = "name",
                                     .prefix = "some/prefix",
                                     .size = 700,
                                     .uname = "user",
                                     .gname = "group"};
  struct tar_make_header star = {
      .name = "star", .magic = TAR_MAKE_STAR, .size = 5};
  struct tar_make_header device = {
      .name = "null", .type = '3', .dev_major = 1, .dev_minor = 3};
  struct tar_make_header fifo = {.name = "fifo", .type = '6'};

  (void)tar_make_header(t, &v7);
  (void)tar_make_header(t, &prefixed);
  (void)tar_make_filler(t, 700);
  (void)tar_make_header(t, &star);
  (void)tar_make_body(t, "star\n", 5);
  (void)tar_make_file(t, "empty", "", 0);
  (void)tar_make_link(t, '2', "symlink", "some/prefix/name");
  (void)tar_make_link(t, '1', "hardlink", "empty");
  (void)tar_make_header(t, &device);
  (void)tar_make_header(t, &fifo);
}

static void make_gnu(struct tar_make *t)
{
  struct tar_make_header big = {.name = "cut",
                                .magic = TAR_MAKE_GNU,
                                .uid = 1ll << 33,
                                .mtime = -2,
                                .size = 512};
  struct tar_make_header label = {
      .name = "label", .magic = TAR_MAKE_GNU, .type = 'V'};
  struct tar_make_header dump = {
      .name = "dump/", .magic = TAR_MAKE_GNU, .type = 'D', .size = 4};
  struct tar_sparse sparse = {TAR_GNU_S, "sparse", 5000, pieces, 6, 0};
  char name[300], target[600];

  memset(name, 'n', sizeof name);
  memset(target, 't', sizeof target);
  name[sizeof name - 1] = target[sizeof target - 1] = '\0';
  (void)tar_make_header(t, &label);
  (void)tar_make_long(t, 'L', name);
  (void)tar_make_header(t, &big);
  (void)tar_make_filler(t, 512);
  (void)tar_make_long(t, 'K', target);
  (void)tar_make_long(t, 'L', name);
  (void)tar_make_link(t, '2', "cut", "cut");
  (void)tar_make_header(t, &dump);
  (void)tar_make_body(t, "Yx\0", 4);
  (void)tar_make_sparse(t, &sparse);
}

static void make_pax(struct tar_make *t)
{
  struct tar_make_records r = {0};
  struct tar_make_header h = {.name = "short", .size = 1};
  struct tar_sparse sparse = {TAR_PAX_1_0, "sparse", 5000, pieces, 6, 0};

  tar_make_record(&r, "comment", "made for a test");
  tar_make_record(&r, "uname", "somebody");
  (void)tar_make_pax(t, 'g', &r);
  tar_make_record(&r, "mtime", "1234567890.123456789");
  tar_make_record(&r, "path", "p\303\244x");
  tar_make_record(&r, "size", "1025");
  tar_make_record(&r, "SCHILY.xattr.user.x", "value");
  (void)tar_make_pax(t, 'x', &r);
  (void)tar_make_header(t, &h);
  (void)tar_make_filler(t, 1025);
  (void)tar_make_sparse(t, &sparse);
  (void)tar_make_pax1(t, 'X', "path", "solaris");
  (void)tar_make_file(t, "s", "s", 1);
}

void tar_make_everything(struct tar_make *t)
{
  make_plain(t);
  make_gnu(t);
  make_pax(t);
  (void)tar_make_end(t);
}
