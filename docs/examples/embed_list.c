/*
 * Looks into an archive without writing anything: the largest members of a
 * local file, with where they begin in the decoded stream.
 *
 *   embed_list ARCHIVE
 *
 * Each member comes as an event that is valid during the call, so what is
 * wanted later is copied. Exit 0 means that the archive was read to its end
 * and is sound.
 */
#include <stdio.h>
#include <string.h>

#include <tarn/tarn.h>

#define MOST 3

struct largest {
  char path[256];
  uint64_t length, at;
};

struct app {
  struct tarn *tarn;
  struct largest top[MOST];
  int exit_status;
};

static void on_event(struct tarn_job *job, const struct tarn_event *event,
                     void *user)
{
  struct app *app = user;
  const struct tarn_member *m = event->member;
  int i = MOST;

  (void)job;
  if (event->kind == TARN_EVENT_WARNING)
    fprintf(stderr, "%s\n", event->text);
  if (event->kind != TARN_EVENT_ENTRY || m->type != TARN_MEMBER_FILE)
    return;
  while (i > 0 && app->top[i - 1].length < m->length)
    i--;
  if (i == MOST)
    return;
  memmove(&app->top[i + 1], &app->top[i],
          (size_t)(MOST - 1 - i) * sizeof app->top[0]);
  snprintf(app->top[i].path, sizeof app->top[i].path, "%s", m->path);
  app->top[i].length = m->length;
  app->top[i].at = m->header_at;
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

int main(int argc, char **argv)
{
  struct tarn_get_options get = TARN_GET_OPTIONS_INIT;
  static struct app app;
  struct tarn_err err;
  int i;

  if (argc != 2)
    return 64;
  if (tarn_open(&app.tarn, uv_default_loop(), NULL, &err) != 0) {
    fprintf(stderr, "%s\n", err.text);
    return tarn_exit_code(err.code);
  }
  get.source = TARN_FROM_FILE;
  get.input = argv[1];
  get.target = TARN_TO_LIST;
  get.on_event = on_event;
  get.on_done = on_done;
  get.user = &app;
  if (tarn_get(app.tarn, &get, NULL, &err) != 0) {
    fprintf(stderr, "%s\n", err.text);
    return tarn_exit_code(err.code);
  }
  uv_run(uv_default_loop(), UV_RUN_DEFAULT);
  uv_loop_close(uv_default_loop());
  for (i = 0; i < MOST && app.top[i].path[0]; i++)
    printf("%llu bytes at %llu: %s\n", (unsigned long long)app.top[i].length,
           (unsigned long long)app.top[i].at, app.top[i].path);
  return app.exit_status;
}
