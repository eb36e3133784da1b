#include "codec_harness.h"

#include "every.h"

#include <stdlib.h>
#include <string.h>

static unsigned next_random(unsigned *seed)
{
  *seed = *seed * 1103515245u + 12345u;
  return *seed >> 16 & 0x7fff;
}

uint8_t *bytes_room(struct bytes *b, size_t len)
{
  if (b->cap - b->len < len || !b->ptr) {
    b->cap = 2 * b->cap + len + 64;
    b->ptr = realloc(b->ptr, b->cap);
    assert_non_null(b->ptr);
  }
  return b->ptr + b->len;
}

void bytes_put(struct bytes *b, const void *ptr, size_t len)
{
  uint8_t *room = bytes_room(b, len);

  if (len)
    memcpy(room, ptr, len);
  b->len += len;
}

void bytes_zeros(struct bytes *b, size_t len)
{
  memset(bytes_room(b, len), 0, len);
  b->len += len;
}

void bytes_fill(struct bytes *b, size_t len, unsigned seed)
{
  uint8_t *room = bytes_room(b, len);
  size_t i;

  for (i = 0; i < len; i++) {
    unsigned r = next_random(&seed);

    room[i] = i > 40 && r % 8 ? room[i - 40 + r % 2] : (uint8_t)r;
  }
  b->len += len;
}

void bytes_noise(struct bytes *b, size_t len, unsigned seed)
{
  uint8_t *room = bytes_room(b, len);
  size_t i;

  for (i = 0; i < len; i++)
    room[i] = (uint8_t)(next_random(&seed) >> 3);
  b->len += len;
}

void bytes_free(struct bytes *b)
{
  free(b->ptr);
  memset(b, 0, sizeof *b);
}

static size_t cut_len(enum codec_cut cut, size_t left, unsigned *seed)
{
  size_t len = left;

  if (cut == CODEC_BYTES)
    len = 1;
  else if (cut == CODEC_RANDOM)
    len = 1 + next_random(seed) % (next_random(seed) % 4 ? 17 : 4096);
  return len < left ? len : left;
}

/* Steps over one piece of input, in blocks of exactly the sizes told. */
static int step_piece(struct tarn_decoder *dec, const uint8_t *ptr, size_t len,
                      size_t window, struct bytes *plain, struct tarn_err *err)
{
  uint8_t *piece = malloc(len ? len : 1), *room = malloc(window);
  struct tarn_in in = {piece, len, 0};
  struct tarn_out out = {room, window, 0};
  int rc;

  assert_non_null(piece);
  assert_non_null(room);
  if (len)
    memcpy(piece, ptr, len);
  do {
    out.pos = 0;
    rc = tarn_decoder_step(dec, &in, &out, err);
    bytes_put(plain, room, out.pos);
  } while (rc == 0 && (in.pos < in.size || out.pos == out.size));
  free(piece);
  free(room);
  return rc;
}

int codec_decode(const struct tarn_codec *codec,
                 const struct tarn_decode_limits *limits,
                 const struct bytes *in, enum codec_cut cut, size_t window,
                 struct bytes *plain, struct tarn_err *err)
{
  struct tarn_decoder *dec = NULL;
  unsigned seed = (unsigned)(in->len * 31 + window);
  size_t at = 0;
  int rc;

  plain->len = 0;
  rc = tarn_decoder_new(&dec, codec, limits, err);
  if (rc < 0)
    return rc;
  while (rc == 0 && at < in->len) {
    size_t len = cut_len(cut, in->len - at, &seed);

    rc = step_piece(dec, in->ptr + at, len, window, plain, err);
    at += len;
  }
  if (rc == 0) {
    assert_int_equal(tarn_decoder_in(dec), in->len);
    rc = tarn_decoder_finish(dec, err);
  }
  assert_int_equal(tarn_decoder_out(dec), plain->len);
  assert_true(tarn_decoder_memory(dec) > 0);
  tarn_decoder_free(dec);
  return rc;
}

/* The first three have no tiny window. */
static const struct {
  enum codec_cut cut;
  size_t window;
} ways[] = {{CODEC_WHOLE, 9 << 20}, {CODEC_BYTES, 5000}, {CODEC_RANDOM, 80000},
            {CODEC_WHOLE, 1},       {CODEC_BYTES, 300},  {CODEC_BYTES, 1},
            {CODEC_RANDOM, 7},      {CODEC_RANDOM, 1000}};

#define N_WAYS       (sizeof ways / sizeof ways[0])
#define N_LARGE_WAYS 3u

static void same_bytes(const struct bytes *a, const struct bytes *b)
{
  assert_int_equal(a->len, b->len);
  if (a->len)
    assert_memory_equal(a->ptr, b->ptr, a->len);
}

static void gives(const struct tarn_codec *codec, const struct bytes *in,
                  const struct bytes *plain, size_t n_ways)
{
  struct bytes have = {0};
  struct tarn_err err = {0};
  size_t i;

  for (i = 0; i < n_ways; i++) {
    int rc =
        codec_decode(codec, NULL, in, ways[i].cut, ways[i].window, &have, &err);

    if (rc)
      print_error("way %zu: %s\n", i, err.text);
    assert_int_equal(rc, 0);
    same_bytes(&have, plain);
  }
  bytes_free(&have);
}

void codec_gives(const struct tarn_codec *codec, const struct bytes *in,
                 const struct bytes *plain)
{
  gives(codec, in, plain, N_WAYS);
}

void codec_gives_large(const struct tarn_codec *codec, const struct bytes *in,
                       const struct bytes *plain)
{
  gives(codec, in, plain, N_LARGE_WAYS);
}

void codec_gives_any_row(const struct tarn_codec *codec,
                         const struct bytes *parts, const struct bytes *plains,
                         size_t n_parts, unsigned seed)
{
  struct bytes in = {0}, plain = {0};
  unsigned n = 1 + next_random(&seed) % 12;

  while (n-- > 0) {
    size_t i = next_random(&seed) % n_parts;

    bytes_put(&in, parts[i].ptr, parts[i].len);
    bytes_put(&plain, plains[i].ptr, plains[i].len);
  }
  codec_gives(codec, &in, &plain);
  bytes_free(&in);
  bytes_free(&plain);
}

void codec_refuses(const struct tarn_codec *codec, const struct bytes *in,
                   int code, const char *text, struct tarn_err *err)
{
  struct bytes have = {0};
  struct tarn_err own = {0};
  size_t i;

  if (!err)
    err = &own;
  for (i = 0; i < N_WAYS; i++) {
    int rc =
        codec_decode(codec, NULL, in, ways[i].cut, ways[i].window, &have, err);

    if (rc != code || !strstr(err->text, text))
      print_error("way %zu: %d %s\n", i, rc, err->text);
    assert_int_equal(rc, code);
    assert_int_equal(err->code, code);
    assert_non_null(strstr(err->text, text));
    assert_true(err->at <= in->len);
    assert_int_equal(strncmp(err->text, codec->name, strlen(codec->name)), 0);
  }
  bytes_free(&have);
}

void codec_misses_the_end(const struct tarn_codec *codec,
                          const struct bytes *in)
{
  struct bytes have = {0}, part = *in;
  struct tarn_err err = {0};

  for (part.len = 0; part.len < in->len; part.len += test_every()) {
    enum codec_cut cut = part.len % 2 ? CODEC_BYTES : CODEC_WHOLE;
    int rc = codec_decode(codec, NULL, &part, cut, 300, &have, &err);

    if (rc != TARN_ETRUNCATED)
      print_error("%zu of %zu bytes: %d %s\n", part.len, in->len, rc, err.text);
    assert_int_equal(rc, TARN_ETRUNCATED);
    assert_int_equal(err.at, part.len);
  }
  bytes_free(&have);
}

/* Flips `bits` of one byte; whatever decodes well must be what it was. */
static void damage_one(const struct tarn_codec *codec, const struct bytes *in,
                       size_t at, uint8_t bits, const struct bytes *plain,
                       struct bytes *have)
{
  struct tarn_err err = {0};
  int rc;

  in->ptr[at] ^= bits;
  rc = codec_decode(codec, NULL, in, CODEC_WHOLE, 1000, have, &err);
  in->ptr[at] ^= bits;
  if (rc == 0) {
    same_bytes(have, plain);
    return;
  }
  assert_true(rc == TARN_EDATA || rc == TARN_ETRUNCATED || rc == TARN_ENOTSUP);
  assert_true(err.at <= in->len);
}

void codec_sees_damage(const struct tarn_codec *codec, const struct bytes *in,
                       const struct bytes *plain)
{
  struct bytes have = {0};
  size_t at, bit;

  for (at = 0; at < in->len; at += test_every()) {
    for (bit = 0; bit < 8; bit++)
      damage_one(codec, in, at, (uint8_t)(1u << bit), plain, &have);
    damage_one(codec, in, at, 0xff, plain, &have);
  }
  bytes_free(&have);
}

/* ---- tests that every codec passes ---- */

void codec_test_reads_on(void **state)
{
  const struct codec_pair *pair = *state;
  const struct tarn_codec *codec = pair->codec;
  struct bytes in = {0}, plain = {0};
  struct tarn_err err = {0};
  size_t n_zeros;

  bytes_put(&in, pair->a.ptr, pair->a.len);
  bytes_put(&in, pair->b.ptr, pair->b.len);
  bytes_put(&in, pair->a.ptr, pair->a.len);
  bytes_put(&plain, pair->plain_a.ptr, pair->plain_a.len);
  bytes_put(&plain, pair->plain_b.ptr, pair->plain_b.len);
  bytes_put(&plain, pair->plain_a.ptr, pair->plain_a.len);
  codec_gives(codec, &in, &plain);
  for (n_zeros = 1; n_zeros < 10; n_zeros++) {
    bytes_zeros(&in, 1);
    codec_gives(codec, &in, &plain);
  }
  bytes_put(&in, "x", 1);
  codec_refuses(codec, &in, TARN_EDATA, "neither", &err);
  assert_int_equal(err.at, in.len - 1);

  /* Bytes at once behind a frame, whatever they look like. */
  in.len = pair->a.len;
  bytes_put(&in, "not a frame", 11);
  codec_refuses(codec, &in, TARN_EDATA, "neither", NULL);
  in.len = pair->a.len + 1;
  codec_refuses(codec, &in, TARN_EDATA, "neither", NULL);
  /* The second frame ends early. */
  in.len = pair->a.len;
  bytes_put(&in, pair->b.ptr, pair->b.len - 1);
  codec_refuses(codec, &in, TARN_ETRUNCATED, " 2 ", &err);
  assert_int_equal(err.at, in.len);
  /* The first bytes are no frame at all. */
  in.len = 0;
  bytes_put(&in, "\0\0hello hello hello", 19);
  codec_refuses(codec, &in, TARN_EDATA, "starts at byte 0", NULL);
  in.len = 0;
  codec_refuses(codec, &in, TARN_ETRUNCATED, "no data", NULL);
  bytes_free(&in);
  bytes_free(&plain);
}

void codec_test_cuts(void **state)
{
  const struct codec_pair *pair = *state;

  codec_misses_the_end(pair->codec, &pair->a);
}

void codec_test_damage(void **state)
{
  const struct codec_pair *pair = *state;

  codec_sees_damage(pair->codec, &pair->a, &pair->plain_a);
}

void codec_test_skippable(void **state)
{
  static const uint8_t skippable[] = {0x5a, 0x2a, 0x4d, 0x18, 9, 0, 0, 0, 1,
                                      2,    'a',  'b',  'c',  0, 0, 0, 0};
  static const uint8_t empty[] = {0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0};
  const struct codec_pair *pair = *state;
  struct bytes in = {0}, plain = {0};

  bytes_put(&in, skippable, sizeof skippable);
  codec_gives(pair->codec, &in, &plain);
  codec_misses_the_end(pair->codec, &in);
  bytes_put(&in, empty, sizeof empty);
  bytes_put(&in, pair->a.ptr, pair->a.len);
  bytes_put(&in, skippable, sizeof skippable);
  bytes_put(&in, skippable, sizeof skippable);
  bytes_put(&in, pair->b.ptr, pair->b.len);
  bytes_put(&in, empty, sizeof empty);
  bytes_zeros(&in, 5);
  bytes_put(&plain, pair->plain_a.ptr, pair->plain_a.len);
  bytes_put(&plain, pair->plain_b.ptr, pair->plain_b.len);
  codec_gives(pair->codec, &in, &plain);
  bytes_free(&in);
  bytes_free(&plain);
}

/* ---- the group ---- */

/* What set_up makes a pair of. */
struct recipe {
  const struct tarn_codec *codec;
  codec_pack_fn pack;
};

static int set_up(void **state)
{
  const struct recipe *recipe = *state;
  struct codec_pair *pair = calloc(1, sizeof *pair);

  assert_non_null(pair);
  pair->codec = recipe->codec;
  bytes_fill(&pair->plain_a, 900, 1);
  bytes_fill(&pair->plain_b, 70000, 2);
  recipe->pack(&pair->a, &pair->plain_a);
  recipe->pack(&pair->b, &pair->plain_b);
  *state = pair;
  return 0;
}

static int tear_down(void **state)
{
  struct codec_pair *pair = *state;

  bytes_free(&pair->plain_a);
  bytes_free(&pair->plain_b);
  bytes_free(&pair->a);
  bytes_free(&pair->b);
  free(pair);
  return 0;
}

int codec_run(const struct tarn_codec *codec, codec_pack_fn pack,
              struct CMUnitTest *tests, size_t n_tests)
{
  struct recipe recipe = {codec, pack};
  size_t i;

  for (i = 0; i < n_tests; i++) {
    tests[i].setup_func = set_up;
    tests[i].teardown_func = tear_down;
    tests[i].initial_state = &recipe;
  }
  /* What the macro calls; the macro takes arrays only. */
  return _cmocka_run_group_tests(codec->name, tests, n_tests, NULL, NULL);
}
