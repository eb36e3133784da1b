/*
 * Two downloads and a timer of the program's own, on one libuv loop.
 *
 *   embed_uv URL DIR URL DIR
 *
 * Each archive is fetched, decoded and unpacked into its directory. The
 * timer prints how far both are: that it ticks shows that the library never
 * holds the loop. Build it with
 *
 *   cc embed_uv.c $(pkg-config --cflags --libs tarn) -o embed_uv
 */
#include <stdio.h>

#include <tarn/tarn.h>

enum { N_JOBS = 2, TICK_MS = 200 };

/* One download. The library's struct is lent to us until it is done. */
struct download {
  struct app *app;
  const char *url;
  struct tarn_job *job; /* NULL once done */
};

struct app {
  uv_loop_t *loop;
  uv_timer_t timer;
  struct tarn *tarn;
  struct download downloads[N_JOBS];
  unsigned n_running;
  int exit_status; /* of the first download that failed */
};

/* Our own work on the loop. */
static void on_tick(uv_timer_t *timer)
{
  struct app *app = timer->data;
  int i;

  for (i = 0; i < N_JOBS; i++) {
    struct tarn_progress p;

    if (!app->downloads[i].job)
      continue;
    p.size = sizeof p; /* says which fields we know */
    if (tarn_job_progress(app->downloads[i].job, &p) == 0)
      printf("%s: %llu bytes, %llu files\n", app->downloads[i].url,
             (unsigned long long)p.wire_bytes, (unsigned long long)p.files);
  }
}

/* All handles of the context are closed; nothing of it is left. */
static void on_closed(struct tarn *tarn, void *user)
{
  struct app *app = user;

  (void)tarn;
  uv_close((uv_handle_t *)&app->timer, NULL);
}

/* Comes exactly once for each job. A callback may call anything: here the
   last one closes the context. */
static void on_done(struct tarn_job *job, const struct tarn_result *res,
                    void *user)
{
  struct download *d = user;
  struct app *app = d->app;

  (void)job;
  d->job = NULL;
  if (res->err.code == 0) {
    printf("%s: done, %llu files\n", d->url,
           (unsigned long long)res->progress.files);
  } else {
    fprintf(stderr, "%s\n", res->err.text);
    if (app->exit_status == 0)
      app->exit_status = tarn_exit_code(res->err.code);
  }
  if (--app->n_running == 0)
    tarn_close(app->tarn, on_closed, app);
}

/* Warnings and retries. Nothing is printed that we do not print. */
static void on_event(struct tarn_job *job, const struct tarn_event *event,
                     void *user)
{
  (void)job;
  (void)user;
  if (event->kind == TARN_EVENT_WARNING || event->kind == TARN_EVENT_RETRY)
    fprintf(stderr, "%s\n", event->text);
}

static int start(struct app *app, struct download *d, char *url, char *dir)
{
  struct tarn_get_options get = TARN_GET_OPTIONS_INIT;
  struct tarn_err err;

  d->app = app;
  d->url = url;
  get.url = url; /* strings are copied before tarn_get returns */
  get.path = dir;
  get.on_done = on_done;
  get.on_event = on_event;
  get.user = d;
  get.memory = 32u << 20; /* a budget for each job */
  if (tarn_get(app->tarn, &get, &d->job, &err) != 0) {
    /* There is no job, and no callback will come. */
    fprintf(stderr, "%s: %s\n", url, err.text);
    app->exit_status = tarn_exit_code(err.code);
    return -1;
  }
  app->n_running++;
  return 0;
}

int main(int argc, char **argv)
{
  struct app app = {0};
  struct tarn_err err;
  int i;

  if (argc != 1 + 2 * N_JOBS) {
    fprintf(stderr, "usage: embed_uv URL DIR URL DIR\n");
    return 64;
  }
  app.loop = uv_default_loop();
  if (tarn_open(&app.tarn, app.loop, NULL, &err) != 0) {
    fprintf(stderr, "%s\n", err.text);
    return tarn_exit_code(err.code);
  }
  uv_timer_init(app.loop, &app.timer);
  app.timer.data = &app;
  uv_timer_start(&app.timer, on_tick, TICK_MS, TICK_MS);
  for (i = 0; i < N_JOBS; i++)
    (void)start(&app, &app.downloads[i], argv[1 + 2 * i], argv[2 + 2 * i]);
  if (app.n_running == 0)
    tarn_close(app.tarn, on_closed, &app);
  uv_run(app.loop, UV_RUN_DEFAULT);
  uv_loop_close(app.loop);
  return app.exit_status;
}
