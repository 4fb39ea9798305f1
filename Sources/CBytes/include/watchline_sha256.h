#ifndef WATCHLINE_SHA256_H
#define WATCHLINE_SHA256_H

// SHA-256 (FIPS 180-4, section 6.2) with a state that can be stored half way.

#include <stddef.h>
#include <stdint.h>

typedef struct {
  /// The eight words of the intermediate hash value.
  uint32_t state[8];
  /// Bytes digested so far; below 2^61.
  uint64_t length;
  /// The block that is not full yet: its first length % 64 bytes.
  uint8_t block[64];
} watchline_sha256;

void watchline_sha256_init(watchline_sha256 *_Nonnull hash);
void watchline_sha256_update(watchline_sha256 *_Nonnull hash, const uint8_t *_Nonnull bytes,
                             size_t count);
/// Writes the 32 bytes of the digest; the hash is of no use after that.
void watchline_sha256_final(watchline_sha256 *_Nonnull hash, uint8_t *_Nonnull digest);
/// Digests whole blocks in plain C, whatever the processor has.
void watchline_sha256_blocks_plain(uint32_t *_Nonnull state, const uint8_t *_Nonnull bytes,
                                   size_t count);
/// Digests whole blocks by the fastest way that the processor has.
void watchline_sha256_blocks(uint32_t *_Nonnull state, const uint8_t *_Nonnull bytes, size_t count);

#endif
