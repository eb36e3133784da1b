#include "codec/formats.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"

/* There is nothing to remember, but a state must not be NULL. */
struct plain {
  char unused;
};

static int plain_open(void **state, const struct tarn_decode_limits *limits,
                      struct tarn_err *err)
{
  (void)limits;
  *state = calloc(1, sizeof(struct plain));
  return *state ? 0 : tarn_err_nomem(err, "none");
}

static int plain_step(void *state, struct tarn_in *in, struct tarn_out *out,
                      struct tarn_err *err)
{
  size_t len = tarn_min_size(in->size - in->pos, out->size - out->pos);

  (void)state;
  (void)err;
  if (len)
    memcpy(out->ptr + out->pos, in->ptr + in->pos, len);
  in->pos += len;
  out->pos += len;
  return 0;
}

/* Plain bytes have no end of their own: any length is right. */
static int plain_finish(void *state, struct tarn_err *err)
{
  (void)state;
  (void)err;
  return 0;
}

static void plain_close(void *state)
{
  free(state);
}

static size_t plain_memory(const void *state)
{
  (void)state;
  return sizeof(struct plain);
}

const struct tarn_codec tarn_codec_plain = {
    .name = "none",
    .open = plain_open,
    .step = plain_step,
    .finish = plain_finish,
    .close = plain_close,
    .memory = plain_memory,
};

const char *tarn_plain_version(void)
{
  return "built in";
}
