// The floor's relay: a line of 200 bytes is a message. The first line of a connection says whose it
// is, `P` or `W` and the pair. Transfers: `A n` tells the phone how many bytes of its own are on the
// disk, and `F n`, which the watch writes and the relay copies, how many messages have arrived.
#include <string.h>

#include "client.h"
#include "payload.h"

enum { LINE = PAYLOAD + 1, toAcknowledge = 1 };

static void opened(struct connection *connection) {
  append(&connection->output, connection->role == PHONE ? "P" : "W", 1);
  appendNumber(&connection->output, (uint64_t)connection->pair);
  append(&connection->output, "\n", 1);
}

static void told(struct connection *phone, const char *line, const char *end) {
  const char *digits = line + 2;
  uint64_t number = takeNumber(&digits, end);
  if (line[0] == 'A') {
    uint64_t messages = number / LINE;
    accepted(phone, messages - phone->number);
    phone->number = messages;
  } else if (line[0] == 'F') {
    finished(phone, number);
  }
}

static size_t received(struct connection *connection, const char *bytes, size_t count) {
  const char *at = bytes, *end = bytes + count;
  uint64_t now = monotonic();
  if (!connection->isReady) {
    // The relay answers the first line when it knows the connection.
    if (count < 3) return 0;
    if (memcmp(bytes, "OK\n", 3) != 0) fail("the relay says %.*s", (int)count, bytes);
    connection->isReady = true;
    at += 3;
  }
  if (connection->role == PHONE) {
    for (const char *newline; (newline = memchr(at, '\n', (size_t)(end - at))); at = newline + 1)
      told(connection, at, newline);
    return (size_t)(at - bytes);
  }
  for (; end - at >= LINE; at += LINE) {
    delivered(connection, at, now);
    if (options.protocol == &relayFinish) {
      connection->number++;
      connection->state = toAcknowledge;
    } else {
      // The watch has it, and nobody is told.
      finished(connection, 1);
    }
  }
  return (size_t)(at - bytes);
}

static void send(struct connection *phone, const char *payload) {
  append(&phone->output, payload, PAYLOAD);
  append(&phone->output, "\n", 1);
}

static void acknowledge(struct connection *watch) {
  if (watch->state != toAcknowledge) return;
  watch->state = 0;
  append(&watch->output, "F ", 2);
  appendNumber(&watch->output, watch->number);
  append(&watch->output, "\n", 1);
  watch->number = 0;
}

const struct protocol relayMessage = {
    .name = "relay-message", .opened = opened, .received = received, .send = send};

const struct protocol relayTransfer = {
    .name = "relay-transfer",
    .isTransfer = true,
    .opened = opened,
    .received = received,
    .send = send};

const struct protocol relayFinish = {
    .name = "relay-finish",
    .isTransfer = true,
    .opened = opened,
    .received = received,
    .send = send,
    .turnEnded = acknowledge};
