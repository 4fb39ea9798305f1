#pragma once
#include <stdint.h>

// What the C library's Swift module leaves out. Each returns -1 with errno set where it fails.

enum { watchline_readable = 1, watchline_writable = 2 };

struct watchline_event {
  uint64_t token;
  /// watchline_readable, also where the connection is broken; watchline_writable.
  uint32_t kinds;
};

/// A set of descriptors to wait for; close() ends it.
int watchline_set_create(void);

/// Adds a descriptor, or changes what is heard of it: input always, room for output where asked for.
int watchline_set_watch(
    int set, int is_new, int descriptor, int is_writing, uint64_t token);

/// Waits at most so many milliseconds for at most `capacity` events, which is 1024 or less.
///
/// Returns how many there are.
int watchline_set_wait(int set, struct watchline_event *events, int capacity, int milliseconds);

/// A descriptor that becomes readable at a moment; close() ends it.
int watchline_timer_create(void);

/// The moment, in nanoseconds of CLOCK_MONOTONIC; 0 is none.
int watchline_timer_set(int timer, int64_t nanoseconds);

/// Lets a thread run on one processor only; 0 is the calling thread, always the same one.
int watchline_pin(int thread, int processor);

/// Lets the calling thread run where it might before it was bound.
int watchline_unpin(void);

/// Whether the file system of a folder lives in memory, where a sync costs nothing.
int watchline_is_in_memory(const char *path);
