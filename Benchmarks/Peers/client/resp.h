// The Redis serialization protocol, version 2
// (https://redis.io/docs/latest/develop/reference/protocol-spec/).
#pragma once
#include <stddef.h>
#include <stdint.h>

struct token {
  char kind;         // * $ : + or -, as on the wire
  int64_t number;    // of * and :, and the bytes of $; -1 for null
  const char *text;  // of $ and +
  size_t count;
};

/// The token at `*at`, and `*at` moved behind it: of an array its head only. Returns 0 where it is not
/// complete.
int takeToken(const char **at, const char *end, struct token *token);
