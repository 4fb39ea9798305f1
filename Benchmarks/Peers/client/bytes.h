// A buffer that grows and is used again.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct bytes {
  char *start;
  size_t count, capacity;
};

/// Room for `count` more bytes, behind those that are there.
static inline char *reserve(struct bytes *bytes, size_t count) {
  if (bytes->count + count > bytes->capacity) {
    size_t capacity = bytes->capacity ? bytes->capacity : 512;
    while (capacity < bytes->count + count) capacity *= 2;
    bytes->start = realloc(bytes->start, capacity);
    if (!bytes->start) abort();
    bytes->capacity = capacity;
  }
  return bytes->start + bytes->count;
}

static inline void append(struct bytes *bytes, const char *from, size_t count) {
  memcpy(reserve(bytes, count), from, count);
  bytes->count += count;
}

static inline void appendText(struct bytes *bytes, const char *text) {
  append(bytes, text, strlen(text));
}

/// Appends the decimal digits of a number.
static inline void appendNumber(struct bytes *bytes, uint64_t number) {
  char digits[20];
  size_t first = sizeof digits;
  do digits[--first] = (char)('0' + number % 10);
  while (number /= 10);
  append(bytes, digits + first, sizeof digits - first);
}

/// The number at `*at`, and `*at` moved behind its digits.
static inline uint64_t takeNumber(const char **at, const char *end) {
  uint64_t number = 0;
  while (*at < end && **at >= '0' && **at <= '9') number = number * 10 + (uint64_t)(*(*at)++ - '0');
  return number;
}
