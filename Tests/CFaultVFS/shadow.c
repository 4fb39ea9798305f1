#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

static void resize(unsigned char **data, int64_t *length, int64_t to) {
  if (to > *length) {
    *data = realloc(*data, to);
    memset(*data + *length, 0, to - *length);
  }
  *length = to;
}

static void apply(unsigned char **data, int64_t *length, const change *what) {
  if (!what->data) {
    // Down and up again, so that what lay beyond is zero later.
    *data = realloc(*data, *length > what->offset ? *length : what->offset + 1);
    resize(data, length, what->offset);
    return;
  }
  int64_t end = what->offset + what->length;
  if (end > *length) resize(data, length, end);
  memcpy(*data + what->offset, what->data, what->length);
}

shadow *shadow_at(fault_vfs *vfs, const char *path) {
  for (shadow *file = vfs->shadows; file; file = file->next)
    if (!file->ghost && !strcmp(file->path, path)) return file;
  shadow *file = calloc(1, sizeof *file);
  file->path = strdup(path);
  FILE *stream = fopen(path, "r");
  if (stream) {
    fseek(stream, 0, SEEK_END);
    file->length = file->synced_length = ftell(stream);
    rewind(stream);
    file->synced = malloc(file->length + 1);
    if (fread(file->synced, 1, file->length, stream) != (size_t)file->length) abort();
    fclose(stream);
  }
  file->next = vfs->shadows;
  return vfs->shadows = file;
}

static void append(shadow *file, int64_t offset, int64_t length, unsigned char *data) {
  change *what = calloc(1, sizeof *what);
  *what = (change){.offset = offset, .length = length, .data = data};
  if (file->last) file->last->next = what;
  else file->first = what;
  file->last = what;
}

void shadow_write(shadow *file, const void *data, int64_t length, int64_t offset) {
  if (length == 0) return;
  unsigned char *copy = malloc(length);
  memcpy(copy, data, length);
  append(file, offset, length, copy);
  if (offset + length > file->length) file->length = offset + length;
}

void shadow_truncate(shadow *file, int64_t length) {
  append(file, length, 0, NULL);
  file->length = length;
}

void shadow_forget(shadow *file) {
  while (file->first) {
    change *what = file->first;
    file->first = what->next;
    free(what->data);
    free(what);
  }
  file->last = NULL;
}

static void release(shadow **link) {
  shadow *file = *link;
  *link = file->next;
  shadow_forget(file);
  free(file->synced);
  free(file->path);
  free(file);
}

/// Removes what is left of an earlier file at the path.
static void drop_ghosts(fault_vfs *vfs, const char *path) {
  for (shadow **link = &vfs->shadows; *link;) {
    if ((*link)->ghost && !strcmp((*link)->path, path)) release(link);
    else link = &(*link)->next;
  }
}

void shadow_sync(fault_vfs *vfs, shadow *file) {
  for (change *what = file->first; what; what = what->next)
    apply(&file->synced, &file->synced_length, what);
  shadow_forget(file);
  drop_ghosts(vfs, file->path);
}

void shadow_delete(fault_vfs *vfs, const char *path, int durable) {
  shadow *file = shadow_at(vfs, path);
  drop_ghosts(vfs, path);
  file->ghost = 1;
  if (durable) drop_ghosts(vfs, path);
}

void shadows_free(fault_vfs *vfs) {
  while (vfs->shadows) release(&vfs->shadows);
}

int64_t shadows_length(const fault_vfs *vfs) {
  int64_t length = 0;
  for (shadow *file = vfs->shadows; file; file = file->next)
    if (!file->ghost) length += file->length;
  return length;
}

/// xorshift64*: <https://www.jstatsoft.org/article/view/v008i14>.
static uint64_t draw(uint64_t *state) {
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return *state * 0x2545F4914F6CDD1DULL >> 16;
}

static int write_after_loss(const shadow *file, const char *directory, uint64_t *random) {
  unsigned char *data = malloc(file->synced_length + 1);
  int64_t length = file->synced_length;
  if (length) memcpy(data, file->synced, length);
  // 0: nothing since the sync, 1: everything, 2: some writes, 3: some sectors.
  uint64_t manner = *random ? draw(random) % 4 : 1;
  for (const change *what = file->first; what && manner; what = what->next) {
    if (manner == 2 && draw(random) % 2) continue;
    if (manner < 3 || !what->data) {
      apply(&data, &length, what);
      continue;
    }
    for (int64_t at = 0; at < what->length;) {
      int64_t end = (what->offset + at) / 512 * 512 + 512 - what->offset;
      if (end > what->length) end = what->length;
      change sector = {.offset = what->offset + at, .length = end - at, .data = what->data + at};
      if (draw(random) % 4) apply(&data, &length, &sector);
      at = end;
    }
  }
  const char *name = strrchr(file->path, '/');
  char path[4096];
  snprintf(path, sizeof path, "%s%s", directory, name ? name : "/file");
  FILE *stream = fopen(path, "w");
  int failed = !stream || fwrite(data, 1, length, stream) != (size_t)length;
  if (stream && fclose(stream)) failed = 1;
  free(data);
  return failed ? -1 : 0;
}

int fault_vfs_lose_power(fault_vfs *vfs, const char *directory, uint64_t seed) {
  uint64_t random = seed * 0x9E3779B97F4A7C15ULL;
  int result = 0;
  pthread_mutex_lock(&vfs->mutex);
  for (int ghosts = 0; ghosts < 2; ghosts++)
    for (shadow *file = vfs->shadows; file; file = file->next)
      // A ghost takes the place of the new file, which nobody has synced.
      if (file->ghost == ghosts && (!ghosts || (random && draw(&random) % 2)))
        result |= write_after_loss(file, directory, &random);
  pthread_mutex_unlock(&vfs->mutex);
  return result;
}
