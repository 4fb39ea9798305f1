#pragma once
#include <stdint.h>

/// An SQLite VFS that fails on demand and knows what a loss of power would leave.
///
/// It passes everything on to SQLite's own VFS and keeps beside each file what has been synced and the
/// writes since then. A sync that fails forgets those writes, as Linux does: the file still shows them
/// and the next sync succeeds without them. It has no shared memory: WAL works in EXCLUSIVE mode only.
/// All functions may be called from any thread.
typedef struct fault_vfs fault_vfs;

typedef enum fault_operation {
  FAULT_OPEN,
  FAULT_READ,
  FAULT_WRITE,
  FAULT_SYNC,
  FAULT_TRUNCATE,
  FAULT_DELETE,
  FAULT_OPERATIONS,
} fault_operation;

/// Makes a VFS and registers it under a name of its own.
fault_vfs *fault_vfs_create(void);
const char *fault_vfs_name(const fault_vfs *vfs);
/// Takes it back; no file may be open.
void fault_vfs_destroy(fault_vfs *vfs);

/// Lets the calls of `operation` fail with `code` from the `first`-th one from now on (1 is the next
/// one), `count` of them. With `torn`, a write that fails has written half of its bytes, and a sync that
/// fails has reached the disk all the same.
void fault_vfs_arm(
  fault_vfs *vfs, fault_operation operation, int64_t first, int64_t count, int code, int torn);
/// How many calls have failed since the last `fault_vfs_arm`.
int64_t fault_vfs_fired(fault_vfs *vfs);

/// Lets writes fail with SQLITE_FULL where all files together would exceed `bytes`; -1 is no limit.
void fault_vfs_limit(fault_vfs *vfs, int64_t bytes);

/// Writes into `directory` what a loss of power at this moment leaves of the files: all that was synced,
/// and of the writes since then what `seed` picks, down to single sectors. Seed 0 keeps them all, as when
/// the process is killed.
///
/// Returns 0, or -1 when a file cannot be written.
int fault_vfs_lose_power(fault_vfs *vfs, const char *directory, uint64_t seed);
