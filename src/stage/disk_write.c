#include <errno.h>
#include <unistd.h>

#include "base/num.h"
#include "stage/disk.h"

static int write_piece_on_worker(int fd, const struct disk_piece *piece)
{
  size_t done = 0;

  while (done < piece->slice.len) {
    ssize_t n = pwrite(fd, piece->slice.ptr + done, piece->slice.len - done,
                       (off_t)(piece->at + done));

    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return n == 0 ? -EIO : -errno;
    done += (size_t)n;
  }
  return 0;
}

static void write_share_on_worker(struct disk_share *share)
{
  struct tarn_list *link;

  share->what = "write";
  for (link = share->pieces.next; link != &share->pieces && share->rc == 0;
       link = link->next)
    share->rc = write_piece_on_worker(
        share->fd, TARN_CONTAINER(link, struct disk_piece, link));
  if (!share->meta)
    return;
  /* The last hole is behind the last piece. */
  if (share->rc == 0 && share->set_size &&
      ftruncate(share->fd, (off_t)share->size) != 0)
    share->rc = -errno;
  /* A file that failed is closed all the same: its name goes next. */
  if (share->rc == 0)
    share->meta_rc = tarn_meta_apply_fd(share->fd, share->meta, &share->what);
  if (close(share->fd) != 0 && errno != EINTR && share->rc == 0) {
    share->rc = -errno;
    share->what = "close";
  }
}

void tarn_disk_write_on_worker(struct tarn_item *item)
{
  struct disk_write *w = TARN_CONTAINER(item, struct disk_write, item);
  unsigned i;

  for (i = 0; i < w->n_shares; i++)
    write_share_on_worker(&w->shares[i]);
}
