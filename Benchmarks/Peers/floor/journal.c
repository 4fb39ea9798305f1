#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "relay.h"

struct entry {
  struct client *client;
  size_t offset, count;
};

struct batch {
  char *bytes;
  struct entry *entries;
  size_t count, capacity, entryCount, entryCapacity;
};

static int file;
static struct batch batches[2];
static struct batch *collecting = &batches[0], *writing = &batches[1];
static bool isWriting;  // the loop's: the writer has `writing`
static bool hasWork;    // under the lock
static uv_mutex_t lock;
static uv_cond_t work;
static uv_async_t done;
static uv_check_t turn;
static uv_thread_t thread;

static _Noreturn void fail(const char *what) {
  fprintf(stderr, "relay: %s: %s\n", what, strerror(errno));
  exit(1);
}

static void *grown(void *from, size_t *capacity, size_t needed, size_t size) {
  if (needed <= *capacity) return from;
  while (*capacity < needed) *capacity = *capacity ? 2 * *capacity : 1024;
  from = realloc(from, *capacity * size);
  if (!from) abort();
  return from;
}

void appendToJournal(struct client *client, const char *bytes, size_t count) {
  struct batch *batch = collecting;
  batch->bytes = grown(batch->bytes, &batch->capacity, batch->count + count, 1);
  batch->entries =
      grown(batch->entries, &batch->entryCapacity, batch->entryCount + 1, sizeof *batch->entries);
  memcpy(batch->bytes + batch->count, bytes, count);
  batch->entries[batch->entryCount++] = (struct entry){client, batch->count, count};
  batch->count += count;
}

static void write_(void *unused) {
  (void)unused;
  for (;;) {
    uv_mutex_lock(&lock);
    while (!hasWork) uv_cond_wait(&work, &lock);
    hasWork = false;
    uv_mutex_unlock(&lock);
    for (size_t written = 0; written < writing->count;) {
      ssize_t count = write(file, writing->bytes + written, writing->count - written);
      if (count < 0) fail("write");
      written += (size_t)count;
    }
    if (fdatasync(file) != 0) fail("fdatasync");
    uv_async_send(&done);
  }
}

/// Gives the writer what has collected.
static void hand(void) {
  if (isWriting || collecting->entryCount == 0) return;
  struct batch *filled = collecting;
  collecting = writing;
  uv_mutex_lock(&lock);
  writing = filled;
  isWriting = hasWork = true;
  uv_cond_signal(&work);
  uv_mutex_unlock(&lock);
}

static void handAtEnd(uv_check_t *check) {
  (void)check;
  hand();
}

static void wasSynced(uv_async_t *async) {
  (void)async;
  // Entries of one client that follow one another are one write.
  struct batch *batch = writing;
  isWriting = false;
  for (size_t index = 0; index < batch->entryCount;) {
    struct entry entry = batch->entries[index++];
    while (index < batch->entryCount && batch->entries[index].client == entry.client)
      entry.count += batch->entries[index++].count;
    synced(entry.client, batch->bytes + entry.offset, entry.count);
  }
  batch->count = batch->entryCount = 0;
  hand();
}

void openJournal(uv_loop_t *loop, const char *path) {
  file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) fail(path);
  uv_mutex_init(&lock);
  uv_cond_init(&work);
  uv_async_init(loop, &done, wasSynced);
  uv_check_init(loop, &turn);
  uv_check_start(&turn, handAtEnd);
  uv_unref((uv_handle_t *)&turn);
  if (uv_thread_create(&thread, write_, NULL) != 0) fail("the writer's thread");
}
