#include "histogram.h"

uint64_t percentile(const struct histogram *histogram, double share) {
  uint64_t rank = (uint64_t)((double)histogram->count * share), seen = 0;
  if (rank >= histogram->count) return histogram->largest;
  for (int index = 0; index < BUCKETS; index++) {
    seen += histogram->buckets[index];
    if (seen <= rank) continue;
    if (index < 1 << FINE) return (uint64_t)index;
    int shift = (index >> FINE) - 1;
    uint64_t base = 1ull << FINE | (uint64_t)(index & ((1 << FINE) - 1));
    uint64_t upper = ((base + 1) << shift) - 1;
    return upper < histogram->largest ? upper : histogram->largest;
  }
  return histogram->largest;
}
