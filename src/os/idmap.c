#include "os/idmap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Ids end below the one that chown takes for "leave it". */
#define N_IDS ((uint64_t)UINT32_MAX)

/* A decimal number, and what must follow it. */
static bool take_number(const char **at, char follows, uint64_t *value)
{
  const char *p = *at;

  *value = 0;
  for (; *p >= '0' && *p <= '9' && *value <= N_IDS; p++)
    *value = *value * 10 + (uint64_t)(*p - '0');
  if (p == *at || *value > N_IDS)
    return false;
  if (follows && *p++ != follows)
    return false;
  *at = p;
  return true;
}

static bool overlaps(const struct tarn_id_map *map, uint64_t from,
                     uint64_t count)
{
  size_t i;

  for (i = 0; i < map->n; i++)
    if (from < (uint64_t)map->ranges[i].from + map->ranges[i].count &&
        map->ranges[i].from < from + count)
      return true;
  return false;
}

/* Takes one range. Returns NULL, or what is wrong with it. */
static const char *take_range(struct tarn_id_map *map, const char **at)
{
  uint64_t from, to, count;

  if (!take_number(at, ':', &from) || !take_number(at, ':', &to) ||
      !take_number(at, 0, &count) || (**at && **at != ','))
    return "is not FROM:TO:COUNT with commas between";
  if (!count)
    return "has a range of no ids";
  if (from + count > N_IDS || to + count > N_IDS)
    return "has a range beyond the last id, 4294967294";
  if (overlaps(map, from, count))
    return "has ranges that overlap";
  map->ranges[map->n++] =
      (struct tarn_id_range){(uint32_t)from, (uint32_t)to, (uint32_t)count};
  return NULL;
}

int tarn_id_map_parse(struct tarn_id_map *map, const char *text,
                      const char *name, struct tarn_err *err)
{
  const char *p, *wrong = NULL;
  size_t n = 1;

  memset(map, 0, sizeof *map);
  if (!text)
    return 0;
  for (p = text; *p; p++)
    n += *p == ',';
  map->ranges = calloc(n, sizeof *map->ranges);
  if (!map->ranges)
    return tarn_err_nomem(err, name);
  for (p = text; !wrong; p++) {
    wrong = take_range(map, &p);
    if (!wrong && !*p)
      return 0;
  }
  tarn_id_map_close(map);
  return tarn_err_set(err, TARN_EINVAL, "%s: \"%s\" %s", name, text, wrong);
}

void tarn_id_map_close(struct tarn_id_map *map)
{
  free(map->ranges);
  memset(map, 0, sizeof *map);
}

bool tarn_id_map_find(const struct tarn_id_map *map, uint64_t id, uint64_t *to)
{
  size_t i;

  for (i = 0; i < map->n; i++) {
    const struct tarn_id_range *r = &map->ranges[i];

    if (id >= r->from && id - r->from < r->count) {
      *to = r->to + (id - r->from);
      return true;
    }
  }
  if (map->n)
    return false;
  *to = id;
  return true;
}
