#pragma once
#include <pthread.h>
#include <sqlite3.h>

#include "fault_vfs.h"

/// A write, or with `data` null a truncation to `offset`, that is not synced.
typedef struct change {
  struct change *next;
  int64_t offset;
  int64_t length;
  unsigned char *data;
} change;

/// What is known of the file at a path.
typedef struct shadow {
  struct shadow *next;
  char *path;
  unsigned char *synced;
  int64_t synced_length;
  int64_t length;
  change *first;
  change *last;
  /// Deleted: it may come back until a new file of that name is synced.
  int ghost;
} shadow;

struct fault_vfs {
  sqlite3_vfs base;
  sqlite3_vfs *real;
  char name[32];
  pthread_mutex_t mutex;
  shadow *shadows;
  int64_t until_first[FAULT_OPERATIONS];
  int64_t left[FAULT_OPERATIONS];
  int codes[FAULT_OPERATIONS];
  int torn;
  int64_t fired;
  int64_t limit;
};

/// The living file at a path; made from what is on the disk, or empty, when it is not known.
shadow *shadow_at(fault_vfs *vfs, const char *path);
void shadow_write(shadow *file, const void *data, int64_t length, int64_t offset);
void shadow_truncate(shadow *file, int64_t length);
void shadow_sync(fault_vfs *vfs, shadow *file);
/// Drops what is not synced, as a failed sync does.
void shadow_forget(shadow *file);
void shadow_delete(fault_vfs *vfs, const char *path, int durable);
void shadows_free(fault_vfs *vfs);
/// The bytes of all living files.
int64_t shadows_length(const fault_vfs *vfs);
