// Latencies in buckets whose width is 1/64 of their value, so that a percentile is off by at most
// 1.6 %.
#pragma once
#include <stdint.h>

enum { FINE = 6, BUCKETS = (64 - FINE + 1) << FINE };

struct histogram {
  uint64_t buckets[BUCKETS];
  uint64_t count, largest;
};

static inline int bucketOf(uint64_t value) {
  if (value >> FINE == 0) return (int)value;
  int shift = 63 - FINE - __builtin_clzll(value);
  return ((shift + 1) << FINE) + (int)((value >> shift) & ((1 << FINE) - 1));
}

static inline void record(struct histogram *histogram, uint64_t nanoseconds) {
  histogram->buckets[bucketOf(nanoseconds)]++;
  histogram->count++;
  if (nanoseconds > histogram->largest) histogram->largest = nanoseconds;
}

/// The value that a share of the recorded ones (0 to 1) does not exceed; 0 where there are none.
uint64_t percentile(const struct histogram *histogram, double share);
