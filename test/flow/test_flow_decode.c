#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "flow_harness.h"
#include "stage/decode.h"

enum { LEAST_MEMORY = 2 << 20, PLAIN_LEN = 3 << 20 };

struct format {
  const char *command; /* reads standard input, writes standard output */
  enum tarn_compression kind;
};

static const struct format formats[] = {
    {"gzip -1", TARN_COMPRESSION_GZIP},
    {"lz4 -q", TARN_COMPRESSION_LZ4},
    {"lz4 -q -BD -B7", TARN_COMPRESSION_LZ4},
    {"lz4 -q -l", TARN_COMPRESSION_LZ4},
    {"zstd -q --long=27", TARN_COMPRESSION_ZSTD},
    {"xz -0 -T1", TARN_COMPRESSION_XZ},
    {"bzip2 -1", TARN_COMPRESSION_BZIP2},
};
enum { N_FORMATS = sizeof formats / sizeof formats[0] };

struct fixture {
  struct flow_harness h;
  struct flow_collector c;
  struct tarn_stage *decode;
};

static char work_dir[64];

static int make_dir(void **s)
{
  (void)s;
  (void)snprintf(work_dir, sizeof work_dir, "/tmp/tarn-decode-XXXXXX");
  return mkdtemp(work_dir) && chdir(work_dir) == 0 ? 0 : -1;
}

static int remove_dir(void **s)
{
  (void)s;
  (void)unlink("in");
  (void)unlink("out");
  return chdir("/") == 0 && rmdir(work_dir) == 0 ? 0 : -1;
}

static void spill(const char *path, const struct bytes *b)
{
  FILE *out = fopen(path, "wb");

  assert_non_null(out);
  assert_int_equal(fwrite(b->ptr, 1, b->len, out), b->len);
  assert_int_equal(fclose(out), 0);
}

static void slurp(const char *path, struct bytes *b)
{
  FILE *in = fopen(path, "rb");
  struct stat st;

  assert_non_null(in);
  assert_int_equal(fstat(fileno(in), &st), 0);
  assert_int_equal(
      fread(bytes_room(b, (size_t)st.st_size), 1, (size_t)st.st_size, in),
      st.st_size);
  b->len += (size_t)st.st_size;
  assert_int_equal(fclose(in), 0);
}

/* Packs by the usual program. False when this system or build has none. */
static bool pack(const struct format *format, const struct bytes *plain,
                 struct bytes *packed)
{
  const struct tarn_codec *codec = tarn_codec_by_kind(format->kind);
  char command[128];

  if (!codec || !codec->open)
    return false;
  spill("in", plain);
  (void)snprintf(command, sizeof command, "%s <in >out 2>/dev/null",
                 format->command);
  if (system(command) != 0)
    return false;
  slurp("out", packed);
  return true;
}

static void set_up(struct fixture *f, const struct tarn_decode_options *opts,
                   bool slow_sink)
{
  memset(f, 0, sizeof *f);
  flow_open(&f->h, LEAST_MEMORY);
  flow_collector_init(&f->c, &f->h, slow_sink);
  f->decode = tarn_decode_new(&f->h.flow, opts, &f->c.stage);
  flow_own(&f->h, f->decode);
}

static void tear_down(struct fixture *f)
{
  flow_close(&f->h, false);
  assert_true(f->h.flow.out.peak <= LEAST_MEMORY / 2);
  assert_true(f->h.flow.in.peak <= LEAST_MEMORY / 2);
  bytes_free(&f->c.got);
}

static struct tarn_decode_options usual(void)
{
  struct tarn_decode_options opts;

  memset(&opts, 0, sizeof opts);
  opts.max_window = 128u << 20;
  return opts;
}

static void run(struct fixture *f, const struct bytes *in, unsigned seed)
{
  flow_feed(&f->h, f->decode, in->ptr, in->len, seed);
  flow_run(&f->h);
}

static void expect_plain(const struct fixture *f, const struct bytes *plain)
{
  assert_string_equal(f->h.err.text, "");
  assert_true(f->h.finished && f->c.ended);
  assert_int_equal(f->c.got.len, plain->len);
  if (plain->len)
    assert_memory_equal(f->c.got.ptr, plain->ptr, plain->len);
  assert_int_equal(f->h.flow.decoded_bytes, plain->len);
}

/* `n` bytes of noise, text and zeros in turns. */
static void make_plain(struct bytes *plain, size_t n)
{
  while (plain->len < n) {
    bytes_fill(plain, 100000, (unsigned)plain->len + 1);
    bytes_zeros(plain, plain->len % 2 ? 5 : 300001);
  }
}

static void every_codec_gives_its_bytes_however_the_input_is_cut(void **s)
{
  struct tarn_decode_options opts = usual();
  struct bytes plain = {0};
  unsigned tried = 0, seed;
  size_t i;

  (void)s;
  make_plain(&plain, PLAIN_LEN);
  for (i = 0; i < N_FORMATS; i++) {
    struct bytes packed = {0};
    struct fixture f;

    if (pack(&formats[i], &plain, &packed)) {
      tried++;
      for (seed = 1; seed <= 4; seed++) {
        opts.kind = seed == 4 ? formats[i].kind : TARN_COMPRESSION_AUTO;
        set_up(&f, &opts, seed % 2);
        f.h.unproven = true;
        run(&f, &packed, seed);
        expect_plain(&f, &plain);
        assert_true(f.c.proven); /* by the format's end mark */
        tear_down(&f);
      }
    }
    bytes_free(&packed);
  }
  assert_true(tried >= 1);
  bytes_free(&plain);
}

static void many_zero_bytes_never_stop_at_the_least_budget(void **s)
{
  struct tarn_decode_options opts = usual();
  struct bytes plain = {0}, packed = {0};
  struct fixture f;
  size_t i;

  (void)s;
  bytes_zeros(&plain, 24u << 20);
  for (i = 0; i < N_FORMATS; i++) {
    packed.len = 0;
    if (!pack(&formats[i], &plain, &packed))
      continue;
    set_up(&f, &opts, true);
    run(&f, &packed, 3);
    expect_plain(&f, &plain);
    tear_down(&f);
  }
  bytes_free(&packed);
  bytes_free(&plain);
}

static void bytes_without_a_magic_pass_as_they_are(void **s)
{
  struct tarn_decode_options opts = usual();
  struct bytes plain = {0};
  struct fixture f;
  unsigned proven;

  (void)s;
  for (proven = 0; proven < 2; proven++) {
    plain.len = 0;
    make_plain(&plain, 1u << 20);
    memcpy(plain.ptr, "plain text", 10);
    set_up(&f, &opts, true);
    f.h.unproven = !proven;
    run(&f, &plain, 8);
    expect_plain(&f, &plain);
    assert_true(f.c.proven == proven);
    tear_down(&f);
  }
  bytes_free(&plain);
}

static void nothing_at_all_passes_as_nothing(void **s)
{
  struct tarn_decode_options opts = usual();
  struct bytes none = {0};
  struct fixture f;

  (void)s;
  set_up(&f, &opts, false);
  run(&f, &none, 1);
  expect_plain(&f, &none);
  tear_down(&f);
}

static void a_truncated_stream_is_told_wherever_it_ends(void **s)
{
  struct tarn_decode_options opts = usual();
  struct bytes plain = {0}, packed = {0};
  struct fixture f;
  size_t i, cut;

  (void)s;
  make_plain(&plain, 400000);
  for (i = 0; i < N_FORMATS; i++) {
    packed.len = 0;
    if (!pack(&formats[i], &plain, &packed))
      continue;
    for (cut = 1; cut <= 5; cut++) {
      struct bytes part = packed;

      /* In the middle and in the end mark; the length itself is proven. */
      part.len = cut < 4 ? packed.len * cut / 4 : packed.len - (cut - 3);
      opts.kind = formats[i].kind;
      set_up(&f, &opts, false);
      run(&f, &part, (unsigned)cut);
      if (f.h.err.code != TARN_ETRUNCATED &&
          /* The legacy lz4 format has no end mark. */
          strcmp(formats[i].command, "lz4 -q -l") != 0)
        fail_msg("%s cut at %zu: %d %s", formats[i].command, part.len,
                 f.h.err.code, f.h.err.text);
      assert_false(f.h.finished && f.h.err.code);
      tear_down(&f);
    }
  }
  bytes_free(&packed);
  bytes_free(&plain);
}

static void a_damaged_stream_ends_the_job_once(void **s)
{
  struct tarn_decode_options opts = usual();
  struct bytes plain = {0}, packed = {0};
  struct fixture f;

  (void)s;
  make_plain(&plain, 400000);
  assert_true(pack(&formats[0], &plain, &packed));
  packed.ptr[packed.len - 6] ^= 0x10; /* the checksum */
  set_up(&f, &opts, false);
  run(&f, &packed, 2);
  assert_int_equal(f.h.err.code, TARN_EDATA);
  assert_int_equal(f.h.n_fails, 1);
  assert_false(f.c.ended);
  tear_down(&f);
  bytes_free(&packed);
  bytes_free(&plain);
}

static void a_size_limit_is_kept_to(void **s)
{
  struct tarn_decode_options opts = usual();
  struct bytes plain = {0}, packed = {0};
  struct fixture f;

  (void)s;
  bytes_zeros(&plain, 8u << 20);
  assert_true(pack(&formats[0], &plain, &packed));
  opts.max_size = plain.len;
  set_up(&f, &opts, false);
  run(&f, &packed, 2);
  expect_plain(&f, &plain);
  tear_down(&f);
  opts.max_size = plain.len - 1;
  set_up(&f, &opts, false);
  run(&f, &packed, 2);
  assert_int_equal(f.h.err.code, TARN_ELIMIT);
  tear_down(&f);
  opts.max_size = 1u << 20;
  set_up(&f, &opts, false);
  run(&f, &packed, 2);
  assert_int_equal(f.h.err.code, TARN_ELIMIT);
  assert_true(f.c.got.len < 3u << 20); /* found early */
  tear_down(&f);
  bytes_free(&packed);
  bytes_free(&plain);
}

static void a_ratio_limit_stops_a_bomb_and_nothing_else(void **s)
{
  struct tarn_decode_options opts = usual();
  struct bytes zeros = {0}, noise = {0}, bomb = {0}, packed = {0};
  struct fixture f;

  (void)s;
  bytes_zeros(&zeros, 8u << 20);
  bytes_fill(&noise, 2u << 20, 4);
  assert_true(pack(&formats[0], &zeros, &bomb));
  assert_true(pack(&formats[0], &noise, &packed));
  opts.max_ratio = 100;
  set_up(&f, &opts, false);
  run(&f, &bomb, 2);
  assert_int_equal(f.h.err.code, TARN_ELIMIT);
  tear_down(&f);
  set_up(&f, &opts, false);
  run(&f, &packed, 2);
  expect_plain(&f, &noise);
  tear_down(&f);
  bytes_free(&zeros);
  bytes_free(&noise);
  bytes_free(&bomb);
  bytes_free(&packed);
}

static void a_name_that_promises_what_is_not_there_is_an_error(void **s)
{
  struct tarn_decode_options opts = usual();
  struct bytes plain = {0};
  struct fixture f;

  (void)s;
  bytes_put(&plain, "<html>log in</html> or what you like", 30);
  opts.by_name = TARN_COMPRESSION_GZIP;
  opts.must_match_name = true;
  set_up(&f, &opts, false);
  run(&f, &plain, 2);
  assert_int_equal(f.h.err.code, TARN_EDATA);
  assert_non_null(strstr(f.h.err.text, "gzip"));
  tear_down(&f);
  opts.must_match_name = false;
  set_up(&f, &opts, false);
  run(&f, &plain, 2);
  expect_plain(&f, &plain);
  tear_down(&f);
  bytes_free(&plain);
}

static void a_coding_is_peeled_once_and_only_if_the_magic_agrees(void **s)
{
  struct tarn_decode_options opts = usual();
  struct bytes plain = {0}, once = {0}, twice = {0};
  struct fixture f;

  (void)s;
  make_plain(&plain, 300000);
  memcpy(plain.ptr, "plain text", 10);
  assert_true(pack(&formats[0], &plain, &once));
  assert_true(pack(&formats[0], &once, &twice));
  opts.kind = TARN_COMPRESSION_GZIP;
  opts.peel = true;
  set_up(&f, &opts, true);
  run(&f, &twice, 2);
  assert_true(f.h.finished);
  assert_int_equal(f.c.got.len, once.len);
  assert_memory_equal(f.c.got.ptr, once.ptr, once.len);
  assert_int_equal(f.h.flow.decoded_bytes, 0); /* the next stage's to count */
  tear_down(&f);
  set_up(&f, &opts, true);
  run(&f, &plain, 2);
  assert_true(f.h.finished);
  assert_int_equal(f.c.got.len, plain.len);
  tear_down(&f);
  bytes_free(&plain);
  bytes_free(&once);
  bytes_free(&twice);
}

static void skippable_frames_in_front_are_skipped_however_long(void **s)
{
  static const uint8_t head[] = {0x50, 0x2a, 0x4d, 0x18, 0x20, 0xa1, 0x07, 0};
  struct tarn_decode_options opts = usual();
  struct bytes plain = {0}, packed = {0}, all = {0};
  struct fixture f;

  (void)s;
  bytes_fill(&plain, 100000, 7);
  if (!pack(&formats[1], &plain, &packed))
    skip();
  bytes_put(&all, head, sizeof head);
  bytes_fill(&all, 500000, 2);
  bytes_put(&all, packed.ptr, packed.len);
  set_up(&f, &opts, false);
  run(&f, &all, 6);
  expect_plain(&f, &plain);
  tear_down(&f);
  all.len = 400000;
  set_up(&f, &opts, false);
  run(&f, &all, 6);
  assert_int_equal(f.h.err.code, TARN_ETRUNCATED);
  tear_down(&f);
  bytes_free(&plain);
  bytes_free(&packed);
  bytes_free(&all);
}

static void a_stage_closed_in_the_middle_gives_all_memory_back(void **s)
{
  struct tarn_decode_options opts = usual();
  struct bytes plain = {0}, packed = {0};
  struct fixture f;
  unsigned turns, i;

  (void)s;
  make_plain(&plain, PLAIN_LEN);
  assert_true(pack(&formats[0], &plain, &packed));
  for (turns = 0; turns < 40; turns++) {
    set_up(&f, &opts, true);
    flow_feed(&f.h, f.decode, packed.ptr, packed.len, turns);
    for (i = 0; i < turns && !f.h.finished; i++)
      (void)uv_run(&f.h.loop, UV_RUN_NOWAIT);
    tear_down(&f);
  }
  bytes_free(&plain);
  bytes_free(&packed);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_codec_gives_its_bytes_however_the_input_is_cut),
      cmocka_unit_test(many_zero_bytes_never_stop_at_the_least_budget),
      cmocka_unit_test(bytes_without_a_magic_pass_as_they_are),
      cmocka_unit_test(nothing_at_all_passes_as_nothing),
      cmocka_unit_test(a_truncated_stream_is_told_wherever_it_ends),
      cmocka_unit_test(a_damaged_stream_ends_the_job_once),
      cmocka_unit_test(a_size_limit_is_kept_to),
      cmocka_unit_test(a_ratio_limit_stops_a_bomb_and_nothing_else),
      cmocka_unit_test(a_name_that_promises_what_is_not_there_is_an_error),
      cmocka_unit_test(a_coding_is_peeled_once_and_only_if_the_magic_agrees),
      cmocka_unit_test(skippable_frames_in_front_are_skipped_however_long),
      cmocka_unit_test(a_stage_closed_in_the_middle_gives_all_memory_back),
  };

  if (argc > 1)
    cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
