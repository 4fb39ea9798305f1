#ifndef WATCHLINE_BYTES_H
#define WATCHLINE_BYTES_H

// Looking for bytes sixteen at a time. In C because Swift's vectors have no instruction that makes
// one number of a comparison's sixteen answers; inline, so that a call costs nothing.

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
// SSE2 is in every x86-64 machine.
typedef char watchline_block __attribute__((vector_size(16), aligned(1)));

static inline uint32_t watchline_marks(watchline_block marks) {
  return (uint32_t)__builtin_ia32_pmovmskb128(marks);
}

static inline watchline_block watchline_load(const uint8_t *_Nonnull bytes) {
  return *(const watchline_block *)bytes;
}

/// Which of sixteen bytes are a quote, a backslash, a control character or, where `ascii` is set, not
/// ASCII: as signed numbers, what is not ASCII is below a blank too.
static inline uint32_t watchline_marked(const uint8_t *_Nonnull bytes, int ascii) {
  watchline_block block = watchline_load(bytes);
  watchline_block low = ascii ? block < 0x20 : (block < 0x20) & (block > -1);
  return watchline_marks(low | (block == 0x22) | (block == 0x5C));
}
#define WATCHLINE_HAS_BLOCKS 1
#endif

/// The first LF or 0xFF in bytes[from..<count]; count where there is none.
static inline ptrdiff_t watchline_line_end(const uint8_t *_Nonnull bytes, ptrdiff_t from,
                                           ptrdiff_t count) {
  ptrdiff_t at = from;
#ifdef WATCHLINE_HAS_BLOCKS
  for (; at + 32 <= count; at += 32) {
    watchline_block first = watchline_load(bytes + at);
    watchline_block second = watchline_load(bytes + at + 16);
    uint32_t marks = watchline_marks((first == 10) | (first == -1)) |
                     watchline_marks((second == 10) | (second == -1)) << 16;
    if (marks) return at + __builtin_ctz(marks);
  }
#endif
  while (at < count && bytes[at] != 0x0A && bytes[at] != 0xFF) at++;
  return at;
}

/// Whether 0xFF is among the bytes.
static inline int watchline_holds_ff(const uint8_t *_Nonnull bytes, ptrdiff_t count) {
  return memchr(bytes, 0xFF, (size_t)count) != NULL;
}

/// The first byte in bytes[from..<count] that is a quote, a backslash, a control character or, where
/// `ascii` is set, not ASCII; count where there is none.
static inline __attribute__((always_inline)) ptrdiff_t
watchline_first_marked(const uint8_t *_Nonnull bytes, ptrdiff_t from, ptrdiff_t count, int ascii) {
  ptrdiff_t at = from;
#ifdef WATCHLINE_HAS_BLOCKS
  for (; at + 16 <= count; at += 16) {
    uint32_t marks = watchline_marked(bytes + at, ascii);
    if (marks) return at + __builtin_ctz(marks);
  }
  if (count >= 16 && at < count) {
    // The last sixteen bytes again, without those that have been looked at.
    uint32_t marks = watchline_marked(bytes + count - 16, ascii) >> (at - (count - 16));
    return marks ? at + __builtin_ctz(marks) : count;
  }
#endif
  while (at < count && bytes[at] >= 0x20 && (!ascii || bytes[at] < 0x80) && bytes[at] != 0x22 &&
         bytes[at] != 0x5C)
    at++;
  return at;
}

/// The first byte that ends plain ASCII text of a string.
static inline ptrdiff_t watchline_plain_end(const uint8_t *_Nonnull bytes, ptrdiff_t from,
                                            ptrdiff_t count) {
  return watchline_first_marked(bytes, from, count, 1);
}

/// The first byte that is a quote, a backslash or a control character.
static inline ptrdiff_t watchline_first_escaped(const uint8_t *_Nonnull bytes, ptrdiff_t from,
                                                ptrdiff_t count) {
  return watchline_first_marked(bytes, from, count, 0);
}

#endif
