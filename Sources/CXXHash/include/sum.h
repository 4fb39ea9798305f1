#pragma once
#include <stddef.h>
#include <stdint.h>

/// XXH3 with 64 bits of `count` bytes (<https://github.com/Cyan4973/xxHash>, doc/xxhash_spec.md).
uint64_t watchline_xxh3(const void *bytes, size_t count, uint64_t seed);
