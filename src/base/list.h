/*
 * A doubly linked list whose links live inside the objects.
 *
 *   struct tarn_list queue;
 *   tarn_list_init(&queue);
 *   tarn_list_append(&queue, &item->link);
 *   item = TARN_CONTAINER(tarn_list_first(&queue), struct item, link);
 *
 * A link that is in no list is linked to itself, so removing twice is fine.
 * Memory: none of its own. Threads: as the objects.
 */
#ifndef TARN_BASE_LIST_H
#define TARN_BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct tarn_list {
  struct tarn_list *next, *prev;
};

static inline void tarn_list_init(struct tarn_list *l)
{
  l->next = l->prev = l;
}

static inline bool tarn_list_empty(const struct tarn_list *l)
{
  return l->next == l;
}

/* Puts `link` behind `at`. */
static inline void tarn_list_insert(struct tarn_list *at,
                                    struct tarn_list *link)
{
  link->next = at->next;
  link->prev = at;
  at->next->prev = link;
  at->next = link;
}

static inline void tarn_list_append(struct tarn_list *l, struct tarn_list *link)
{
  tarn_list_insert(l->prev, link);
}

static inline void tarn_list_remove(struct tarn_list *link)
{
  link->prev->next = link->next;
  link->next->prev = link->prev;
  tarn_list_init(link);
}

/* The first link, or NULL. */
static inline struct tarn_list *tarn_list_first(const struct tarn_list *l)
{
  return tarn_list_empty(l) ? NULL : l->next;
}

static inline struct tarn_list *tarn_list_last(const struct tarn_list *l)
{
  return tarn_list_empty(l) ? NULL : l->prev;
}

/* Takes the first link out, or NULL. */
static inline struct tarn_list *tarn_list_shift(struct tarn_list *l)
{
  struct tarn_list *link = tarn_list_first(l);

  if (link)
    tarn_list_remove(link);
  return link;
}

/* Moves all of `from` behind the last of `to`; `from` is empty then. */
static inline void tarn_list_splice(struct tarn_list *to,
                                    struct tarn_list *from)
{
  if (tarn_list_empty(from))
    return;
  from->next->prev = to->prev;
  to->prev->next = from->next;
  from->prev->next = to;
  to->prev = from->prev;
  tarn_list_init(from);
}

#endif
