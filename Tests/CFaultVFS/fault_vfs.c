#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/// An open file: SQLite's file object, ours, and after it the one of the real VFS.
typedef struct fault_file {
  sqlite3_file base;
  fault_vfs *vfs;
  char *path;
  sqlite3_file *real;
  int allocates;  // A chunk size is set: hints of a size allocate.
} fault_file;

/// Counts a call. Returns the code that it fails with, or SQLITE_OK. The mutex is held.
static int fate(fault_vfs *vfs, fault_operation operation) {
  if (vfs->left[operation] == 0) return SQLITE_OK;
  if (--vfs->until_first[operation] > 0) return SQLITE_OK;
  vfs->left[operation]--;
  vfs->fired++;
  return vfs->codes[operation];
}

static int fault_close(sqlite3_file *base) {
  fault_file *file = (fault_file *)base;
  int code = file->real->pMethods ? file->real->pMethods->xClose(file->real) : SQLITE_OK;
  free(file->path);
  return code;
}

static int fault_read(sqlite3_file *base, void *data, int length, sqlite3_int64 offset) {
  fault_file *file = (fault_file *)base;
  pthread_mutex_lock(&file->vfs->mutex);
  int code = fate(file->vfs, FAULT_READ);
  pthread_mutex_unlock(&file->vfs->mutex);
  return code ? code : file->real->pMethods->xRead(file->real, data, length, offset);
}

static int fault_write(sqlite3_file *base, const void *data, int length, sqlite3_int64 offset) {
  fault_file *file = (fault_file *)base;
  fault_vfs *vfs = file->vfs;
  pthread_mutex_lock(&vfs->mutex);
  shadow *shadow = shadow_at(vfs, file->path);
  int code = fate(vfs, FAULT_WRITE);
  int count = !code ? length : vfs->torn ? length / 2 : 0;
  int64_t growth = offset + length - shadow->length;
  if (!code && growth > 0 && vfs->limit >= 0 && shadows_length(vfs) + growth > vfs->limit) {
    code = SQLITE_FULL;
    count = length / 2;
    vfs->fired++;
  }
  if (count) {
    int real = file->real->pMethods->xWrite(file->real, data, count, offset);
    if (real) code = real;
    else shadow_write(shadow, data, count, offset);
  }
  pthread_mutex_unlock(&vfs->mutex);
  return code;
}

static int fault_truncate(sqlite3_file *base, sqlite3_int64 length) {
  fault_file *file = (fault_file *)base;
  pthread_mutex_lock(&file->vfs->mutex);
  int code = fate(file->vfs, FAULT_TRUNCATE);
  if (!code) code = file->real->pMethods->xTruncate(file->real, length);
  if (!code) shadow_truncate(shadow_at(file->vfs, file->path), length);
  pthread_mutex_unlock(&file->vfs->mutex);
  return code;
}

static int fault_sync(sqlite3_file *base, int flags) {
  fault_file *file = (fault_file *)base;
  (void)flags;  // The shadow says what is durable; the real device need not be kept busy.
  pthread_mutex_lock(&file->vfs->mutex);
  shadow *shadow = shadow_at(file->vfs, file->path);
  int code = fate(file->vfs, FAULT_SYNC);
  if (code && !file->vfs->torn) shadow_forget(shadow);
  else shadow_sync(file->vfs, shadow);
  pthread_mutex_unlock(&file->vfs->mutex);
  return code;
}

static int fault_size(sqlite3_file *base, sqlite3_int64 *size) {
  fault_file *file = (fault_file *)base;
  return file->real->pMethods->xFileSize(file->real, size);
}

static int fault_lock(sqlite3_file *base, int level) {
  fault_file *file = (fault_file *)base;
  return file->real->pMethods->xLock(file->real, level);
}

static int fault_unlock(sqlite3_file *base, int level) {
  fault_file *file = (fault_file *)base;
  return file->real->pMethods->xUnlock(file->real, level);
}

static int fault_reserved(sqlite3_file *base, int *result) {
  fault_file *file = (fault_file *)base;
  return file->real->pMethods->xCheckReservedLock(file->real, result);
}

static int fault_allocate(fault_file *file, sqlite3_int64 length) {
  fault_vfs *vfs = file->vfs;
  pthread_mutex_lock(&vfs->mutex);
  shadow *shadow = shadow_at(vfs, file->path);
  int64_t growth = length - shadow->length;
  int code = fate(vfs, FAULT_WRITE);
  if (!code && vfs->limit >= 0 && shadows_length(vfs) + growth > vfs->limit) code = SQLITE_FULL;
  if (!code) code = file->real->pMethods->xTruncate(file->real, length);
  if (!code) shadow_truncate(shadow, length);
  pthread_mutex_unlock(&vfs->mutex);
  return code;
}

static int fault_control(sqlite3_file *base, int operation, void *argument) {
  fault_file *file = (fault_file *)base;
  if (operation == SQLITE_FCNTL_CHUNK_SIZE) file->allocates = 1;
  if (operation == SQLITE_FCNTL_SIZE_HINT && file->allocates) {
    return fault_allocate(file, *(sqlite3_int64 *)argument);
  }
  return file->real->pMethods->xFileControl(file->real, operation, argument);
}

static int fault_sector(sqlite3_file *base) {
  fault_file *file = (fault_file *)base;
  return file->real->pMethods->xSectorSize(file->real);
}

static int fault_device(sqlite3_file *base) {
  fault_file *file = (fault_file *)base;
  return file->real->pMethods->xDeviceCharacteristics(file->real);
}

static const sqlite3_io_methods methods = {
  .iVersion = 1,  // No shared memory, no memory map.
  .xClose = fault_close,
  .xRead = fault_read,
  .xWrite = fault_write,
  .xTruncate = fault_truncate,
  .xSync = fault_sync,
  .xFileSize = fault_size,
  .xLock = fault_lock,
  .xUnlock = fault_unlock,
  .xCheckReservedLock = fault_reserved,
  .xFileControl = fault_control,
  .xSectorSize = fault_sector,
  .xDeviceCharacteristics = fault_device,
};

static int fault_open(
  sqlite3_vfs *base, const char *path, sqlite3_file *out, int flags, int *result) {
  fault_vfs *vfs = (fault_vfs *)base;
  fault_file *file = (fault_file *)out;
  memset(file, 0, sizeof *file);
  pthread_mutex_lock(&vfs->mutex);
  int code = fate(vfs, FAULT_OPEN);
  if (!code) {
    file->vfs = vfs;
    file->path = strdup(path ? path : "/temporary");
    file->real = (sqlite3_file *)(file + 1);
    code = vfs->real->xOpen(vfs->real, path, file->real, flags, result);
    if (!code) shadow_at(vfs, file->path);
    // xClose comes when there are methods, and may not come when there are none.
    if (file->real->pMethods) file->base.pMethods = &methods;
    else free(file->path);
  }
  pthread_mutex_unlock(&vfs->mutex);
  return code;
}

static int fault_delete(sqlite3_vfs *base, const char *path, int sync_directory) {
  fault_vfs *vfs = (fault_vfs *)base;
  pthread_mutex_lock(&vfs->mutex);
  int code = fate(vfs, FAULT_DELETE);
  if (!code) {
    shadow_at(vfs, path);
    code = vfs->real->xDelete(vfs->real, path, sync_directory);
    shadow_delete(vfs, path, code != SQLITE_OK || sync_directory);
  }
  pthread_mutex_unlock(&vfs->mutex);
  return code;
}

static int fault_access(sqlite3_vfs *base, const char *path, int flags, int *result) {
  sqlite3_vfs *real = ((fault_vfs *)base)->real;
  return real->xAccess(real, path, flags, result);
}

static int fault_full_path(sqlite3_vfs *base, const char *path, int length, char *out) {
  sqlite3_vfs *real = ((fault_vfs *)base)->real;
  return real->xFullPathname(real, path, length, out);
}

static int fault_last_error(sqlite3_vfs *base, int length, char *out) {
  (void)base, (void)length, (void)out;
  return 0;
}

/// SQLite says here at which of its lines it found a database damaged.
static void log_damage(void *context, int code, const char *text) {
  (void)context;
  if ((code & 0xFF) == SQLITE_CORRUPT) fprintf(stderr, "SQLite: %s\n", text);
}

static void set_up(void) {
  // Refused, and no matter, where another test has come first.
  sqlite3_config(SQLITE_CONFIG_LOG, log_damage, NULL);
  sqlite3_initialize();
}

fault_vfs *fault_vfs_create(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  static atomic_int count;
  pthread_once(&once, set_up);
  fault_vfs *vfs = calloc(1, sizeof *vfs);
  vfs->real = sqlite3_vfs_find(NULL);
  vfs->base = *vfs->real;  // Randomness, sleep and time as they are.
  vfs->base.iVersion = 2;
  vfs->base.szOsFile = sizeof(fault_file) + vfs->real->szOsFile;
  vfs->base.pNext = NULL;
  snprintf(vfs->name, sizeof vfs->name, "fault-%d", atomic_fetch_add(&count, 1));
  vfs->base.zName = vfs->name;
  vfs->base.xOpen = fault_open;
  vfs->base.xDelete = fault_delete;
  vfs->base.xAccess = fault_access;
  vfs->base.xFullPathname = fault_full_path;
  vfs->base.xGetLastError = fault_last_error;
  vfs->limit = -1;
  pthread_mutex_init(&vfs->mutex, NULL);
  sqlite3_vfs_register(&vfs->base, 0);
  return vfs;
}

const char *fault_vfs_name(const fault_vfs *vfs) { return vfs->name; }

void fault_vfs_destroy(fault_vfs *vfs) {
  sqlite3_vfs_unregister(&vfs->base);
  shadows_free(vfs);
  pthread_mutex_destroy(&vfs->mutex);
  free(vfs);
}

void fault_vfs_arm(
  fault_vfs *vfs, fault_operation operation, int64_t first, int64_t count, int code, int torn) {
  pthread_mutex_lock(&vfs->mutex);
  vfs->until_first[operation] = first;
  vfs->left[operation] = count;
  vfs->codes[operation] = code;
  vfs->torn = torn;
  vfs->fired = 0;
  pthread_mutex_unlock(&vfs->mutex);
}

int64_t fault_vfs_fired(fault_vfs *vfs) {
  pthread_mutex_lock(&vfs->mutex);
  int64_t fired = vfs->fired;
  pthread_mutex_unlock(&vfs->mutex);
  return fired;
}

void fault_vfs_limit(fault_vfs *vfs, int64_t bytes) {
  pthread_mutex_lock(&vfs->mutex);
  vfs->limit = bytes;
  pthread_mutex_unlock(&vfs->mutex);
}
