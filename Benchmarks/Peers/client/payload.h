// What is sent: a JSON object of 200 bytes, so that a server of JSON lines has no fewer bytes than
// the others. Every server gets the same.
//
//   {"p":"00002a","n":"00000311","t":"000003a7c8d1e2f4","d":"xxx…"}
//        pair          sequence       nanoseconds
#pragma once
#include <stdint.h>

enum { PAYLOAD = 200 };

struct message {
  uint32_t pair, sequence;
  uint64_t sentAt;  // nanoseconds, of `monotonic()`
};

/// Writes PAYLOAD bytes.
void writePayload(char *to, struct message message);
/// Reads them again. Returns false where they are something else.
int readPayload(const char *from, struct message *message);
