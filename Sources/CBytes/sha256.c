#include "watchline_sha256.h"

#include <string.h>

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (section 4.2.2).
static const uint32_t constants[64] __attribute__((aligned(16))) = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotated(uint32_t word, int count) { return word >> count | word << (32 - count); }

static uint32_t big_endian(const uint8_t *bytes) {
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

void watchline_sha256_blocks_plain(uint32_t *state, const uint8_t *bytes, size_t count) {
  for (; count > 0; count--, bytes += 64) {
    uint32_t w[64];
    for (int t = 0; t < 16; t++) w[t] = big_endian(bytes + 4 * t);
    for (int t = 16; t < 64; t++) {
      uint32_t low = rotated(w[t - 15], 7) ^ rotated(w[t - 15], 18) ^ w[t - 15] >> 3;
      uint32_t high = rotated(w[t - 2], 17) ^ rotated(w[t - 2], 19) ^ w[t - 2] >> 10;
      w[t] = high + w[t - 7] + low + w[t - 16];
    }
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (int t = 0; t < 64; t++) {
      uint32_t first = h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) +
                       ((e & f) ^ (~e & g)) + constants[t] + w[t];
      uint32_t second =
          (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g;
      g = f;
      f = e;
      e = d + first;
      d = c;
      c = b;
      b = a;
      a = first + second;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
  }
}

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

// The processor's own rounds: two words of the state, ABEF and CDGH, and four rounds a turn.
__attribute__((target("sha,sse4.1,ssse3"))) static void blocks_in_hardware(uint32_t *state,
                                                                           const uint8_t *bytes,
                                                                           size_t count) {
  const __m128i order = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  __m128i dcba = _mm_loadu_si128((const __m128i *)state);
  __m128i hgfe = _mm_loadu_si128((const __m128i *)(state + 4));
  __m128i cdab = _mm_shuffle_epi32(dcba, 0xB1);
  __m128i efgh = _mm_shuffle_epi32(hgfe, 0x1B);
  __m128i abef = _mm_alignr_epi8(cdab, efgh, 8);
  __m128i cdgh = _mm_blend_epi16(efgh, cdab, 0xF0);
  for (; count > 0; count--, bytes += 64) {
    const __m128i first = abef, second = cdgh;
    __m128i w[4];
#pragma clang loop unroll(full)
    for (int turn = 0; turn < 16; turn++) {
      __m128i words;
      if (turn < 4) {
        words = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(bytes + 16 * turn)), order);
      } else {
        // w[t] of four t at once: w[t-16] + low(w[t-15]) + w[t-7] + high(w[t-2]).
        const __m128i *old = w;
        __m128i part = _mm_sha256msg1_epu32(old[turn & 3], old[(turn + 1) & 3]);
        part = _mm_add_epi32(part, _mm_alignr_epi8(old[(turn + 3) & 3], old[(turn + 2) & 3], 4));
        words = _mm_sha256msg2_epu32(part, old[(turn + 3) & 3]);
      }
      w[turn & 3] = words;
      __m128i sum = _mm_add_epi32(words, _mm_load_si128((const __m128i *)(constants + 4 * turn)));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0E));
    }
    abef = _mm_add_epi32(abef, first);
    cdgh = _mm_add_epi32(cdgh, second);
  }
  __m128i feba = _mm_shuffle_epi32(abef, 0x1B);
  __m128i dchg = _mm_shuffle_epi32(cdgh, 0xB1);
  _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(feba, dchg, 0xF0));
  _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

/// Whether the processor has SHA, SSSE3 and SSE4.1.
static int has_hardware(void) {
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & 1 << 9) || !(c & 1 << 19)) return 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & 1 << 29);
}
#endif

void watchline_sha256_blocks(uint32_t *state, const uint8_t *bytes, size_t count) {
#if defined(__x86_64__)
  // 0 where it is not known; looked up twice where two threads come at once, with one answer.
  static _Atomic int kind = 0;
  if (kind == 0) kind = has_hardware() ? 2 : 1;
  if (kind == 2) return blocks_in_hardware(state, bytes, count);
#endif
  watchline_sha256_blocks_plain(state, bytes, count);
}

void watchline_sha256_init(watchline_sha256 *hash) {
  static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  memcpy(hash->state, start, sizeof start);
  hash->length = 0;
  memset(hash->block, 0, sizeof hash->block);
}

void watchline_sha256_update(watchline_sha256 *hash, const uint8_t *bytes, size_t count) {
  size_t filled = hash->length % 64;
  hash->length += count;
  if (filled + count < 64) {
    memcpy(hash->block + filled, bytes, count);
    return;
  }
  if (filled > 0) {
    size_t rest = 64 - filled;
    memcpy(hash->block + filled, bytes, rest);
    watchline_sha256_blocks(hash->state, hash->block, 1);
    bytes += rest;
    count -= rest;
  }
  watchline_sha256_blocks(hash->state, bytes, count / 64);
  memcpy(hash->block, bytes + count / 64 * 64, count % 64);
}

void watchline_sha256_final(watchline_sha256 *hash, uint8_t *digest) {
  size_t filled = hash->length % 64;
  uint64_t bits = hash->length * 8;
  hash->block[filled++] = 0x80;
  if (filled > 56) {
    memset(hash->block + filled, 0, 64 - filled);
    watchline_sha256_blocks(hash->state, hash->block, 1);
    filled = 0;
  }
  memset(hash->block + filled, 0, 56 - filled);
  for (int index = 0; index < 8; index++) hash->block[56 + index] = (uint8_t)(bits >> (56 - 8 * index));
  watchline_sha256_blocks(hash->state, hash->block, 1);
  for (int index = 0; index < 32; index++) {
    digest[index] = (uint8_t)(hash->state[index / 4] >> (24 - 8 * (index % 4)));
  }
}
