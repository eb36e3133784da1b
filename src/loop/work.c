#include "loop/work.h"

#include "base/check.h"
#include "base/err.h"

static void dispatch(struct tarn_work *w);
static void wait_again(struct tarn_lane *lane);

void tarn_work_init(struct tarn_work *w, uv_loop_t *loop, unsigned cap)
{
  w->loop = loop;
  w->cap = cap;
  w->active = 0;
  w->fail_countdown = 0;
  tarn_list_init(&w->lanes);
}

void tarn_lane_init(struct tarn_lane *lane, struct tarn_work *w, unsigned cap)
{
  tarn_list_init(&lane->link);
  tarn_list_init(&lane->queue);
  lane->work = w;
  lane->cap = cap;
  lane->active = 0;
  lane->busy_ns = 0;
}

bool tarn_lane_free(const struct tarn_lane *lane)
{
  return tarn_list_empty(&lane->queue) && lane->active < lane->cap;
}

static void run_on_worker(uv_work_t *req)
{
  struct tarn_item *item = req->data;
  uint64_t start = uv_hrtime();

  if (item->run)
    item->run(item);
  item->run_ns = uv_hrtime() - start;
}

static void on_done(uv_work_t *req, int status)
{
  struct tarn_item *item = req->data;
  struct tarn_lane *lane = item->lane;
  struct tarn_work *w = lane->work;
  bool failed = !item->run;

  (void)status; /* items in flight are never canceled */
  lane->busy_ns += item->run_ns;
  lane->active--;
  w->active--;
  /* The lane may be gone once done has returned: refill first. */
  wait_again(lane);
  dispatch(w);
  item->done(item, failed ? TARN_EINTERNAL : 0);
}

static void start(struct tarn_item *item)
{
  struct tarn_lane *lane = item->lane;

  lane->active++;
  lane->work->active++;
  item->req.data = item;
  if (lane->work->fail_countdown > 0 && --lane->work->fail_countdown == 0)
    item->run = NULL;
  TARN_CHECK(
      uv_queue_work(lane->work->loop, &item->req, run_on_worker, on_done) == 0);
}

static bool lane_ready(const struct tarn_lane *lane)
{
  return !tarn_list_empty(&lane->queue) && lane->active < lane->cap;
}

static void wait_again(struct tarn_lane *lane)
{
  if (lane_ready(lane) && tarn_list_empty(&lane->link))
    tarn_list_append(&lane->work->lanes, &lane->link);
}

static void dispatch(struct tarn_work *w)
{
  struct tarn_list *link;

  while (w->active < w->cap && (link = tarn_list_shift(&w->lanes))) {
    struct tarn_lane *lane = TARN_CONTAINER(link, struct tarn_lane, link);

    if (!lane_ready(lane))
      continue;
    start(
        TARN_CONTAINER(tarn_list_shift(&lane->queue), struct tarn_item, link));
    wait_again(lane);
  }
}

void tarn_lane_put(struct tarn_lane *lane, struct tarn_item *item)
{
  item->lane = lane;
  item->run_ns = 0;
  tarn_list_init(&item->link);
  tarn_list_append(&lane->queue, &item->link);
  wait_again(lane);
  dispatch(lane->work);
}
