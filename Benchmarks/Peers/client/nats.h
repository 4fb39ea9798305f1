// The NATS client protocol (https://docs.nats.io/reference/reference-protocols/nats-protocol), as far
// as a load needs it.
#pragma once
#include <stddef.h>

struct natsFrame {
  enum { NATS_MESSAGE, NATS_PING, NATS_PONG, NATS_OTHER } kind;
  const char *reply, *payload;  // of a message; `reply` may be empty
  size_t replyCount, payloadCount;
};

/// The frame at `*at`, and `*at` moved behind it. Returns 0 where it is not complete. A frame `-ERR`
/// ends the run.
int takeNats(const char **at, const char *end, struct natsFrame *frame);

/// The line that a client begins with.
#define NATS_CONNECT \
  "CONNECT {\"verbose\":false,\"pedantic\":false,\"lang\":\"c\",\"version\":\"1\",\"protocol\":1}\r\n"
