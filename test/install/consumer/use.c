/* Opens a context, has a job refused for a reason, closes: links and runs. */
#include <stdio.h>
#include <string.h>

#include <tarn/tarn.h>

static void on_close(struct tarn *ctx, void *user)
{
  (void)ctx;
  *(int *)user = 1;
}

int main(int argc, char **argv)
{
  struct tarn_get_options get = TARN_GET_OPTIONS_INIT;
  struct tarn_job *job;
  struct tarn_err err;
  struct tarn *ctx;
  uv_loop_t loop;
  int closed = 0;

  if (argc != 2 || strcmp(tarn_version(), argv[1]) != 0)
    return 1;
  if (uv_loop_init(&loop) || tarn_open(&ctx, &loop, NULL, &err))
    return 2;
  if (tarn_get(ctx, &get, &job, &err) != TARN_EINVAL) /* no url */
    return 3;
  tarn_close(ctx, on_close, &closed);
  uv_run(&loop, UV_RUN_DEFAULT);
  if (!closed || uv_loop_close(&loop))
    return 4;
  printf("tarn %s: %s\n", tarn_version(), err.text);
  return 0;
}
