/*
 * A decoder in the middle of a program: bytes are given by tarn_put and come
 * back decoded by callback, with credit in both directions.
 *
 *   embed_put <compressed >plain
 *
 * tarn_put takes what fits into the job's memory; when it takes less, the
 * room callback says when to go on. What on_data got is lent until
 * tarn_consumed gives it back, so a slow consumer slows the giver down.
 */
#include <stdio.h>

#include <tarn/tarn.h>

struct app {
  struct tarn *tarn;
  char buffer[65536];
  size_t len, at; /* what of the buffer has not been taken yet */
  int exit_status;
};

static void give(struct tarn_job *job, void *user)
{
  struct app *app = user;
  int64_t n;

  for (;;) {
    if (app->at == app->len) {
      app->len = fread(app->buffer, 1, sizeof app->buffer, stdin);
      app->at = 0;
    }
    if (app->len == 0) {
      (void)tarn_put_end(job);
      return;
    }
    n = tarn_put(job, app->buffer + app->at, app->len - app->at);
    if (n < 0) { /* the job is over; its done callback says why */
      tarn_cancel(job);
      return;
    }
    app->at += (size_t)n;
    if (app->at < app->len) {
      tarn_on_room(job, give, app);
      return;
    }
  }
}

static void on_data(struct tarn_job *job, const void *ptr, size_t len,
                    void *user)
{
  (void)user;
  if (fwrite(ptr, 1, len, stdout) != len)
    tarn_cancel(job);
  tarn_consumed(job, len);
}

static void on_done(struct tarn_job *job, const struct tarn_result *res,
                    void *user)
{
  struct app *app = user;

  (void)job;
  if (res->err.code != 0)
    fprintf(stderr, "%s\n", res->err.text);
  app->exit_status = tarn_exit_code(res->err.code);
  tarn_close(app->tarn, NULL, NULL);
}

int main(void)
{
  struct tarn_get_options get = TARN_GET_OPTIONS_INIT;
  static struct app app;
  struct tarn_job *job;
  struct tarn_err err;

  if (tarn_open(&app.tarn, uv_default_loop(), NULL, &err) != 0) {
    fprintf(stderr, "%s\n", err.text);
    return tarn_exit_code(err.code);
  }
  get.source = TARN_FROM_PUT;
  get.target = TARN_TO_CALLBACK;
  get.on_data = on_data;
  get.on_done = on_done;
  get.user = &app;
  get.memory = 4u << 20;
  if (tarn_get(app.tarn, &get, &job, &err) != 0) {
    fprintf(stderr, "%s\n", err.text);
    return tarn_exit_code(err.code);
  }
  give(job, &app);
  uv_run(uv_default_loop(), UV_RUN_DEFAULT);
  uv_loop_close(uv_default_loop());
  return app.exit_status;
}
