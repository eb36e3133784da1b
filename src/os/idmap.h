/*
 * A map of user or group ids: "FROM:TO:COUNT,...", as in /proc/PID/uid_map.
 *
 * Ids FROM to FROM + COUNT - 1 become TO and those behind it. An id that no
 * range holds has no value. Ranges of FROM must not overlap, ids are below
 * 2^32 - 1, as the last one means "leave it" to chown.
 *
 *   rc = tarn_id_map_parse(&map, "0:100000:65536", "uid_map", &err);
 *   if (!tarn_id_map_find(&map, entry->uid, &uid))
 *     refuse the entry;
 *   tarn_id_map_close(&map);
 *
 * Memory: 12 bytes for a range. Threads: any may ask.
 */
#ifndef TARN_OS_IDMAP_H
#define TARN_OS_IDMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct tarn_id_range {
  uint32_t from, to, count;
};

struct tarn_id_map {
  struct tarn_id_range *ranges;
  size_t n;
};

/*
 * 0, TARN_EINVAL (*err says what is wrong with `name`) or TARN_ENOMEM; then
 * the map is empty. A NULL text is no map at all.
 */
int tarn_id_map_parse(struct tarn_id_map *map, const char *text,
                      const char *name, struct tarn_err *err);
void tarn_id_map_close(struct tarn_id_map *map);

/* False when the id is in no range. A map without ranges changes nothing. */
bool tarn_id_map_find(const struct tarn_id_map *map, uint64_t id, uint64_t *to);

#endif
