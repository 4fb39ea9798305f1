// NATS core: a subject a pair. Nothing is stored.
#include "nats.h"

#include <string.h>

#include "client.h"
#include "payload.h"

int takeNats(const char **at, const char *end, struct natsFrame *frame) {
  const char *line = *at, *newline = memchr(line, '\n', (size_t)(end - line));
  if (!newline) return 0;
  if (newline - line >= 4 && memcmp(line, "MSG ", 4) == 0) {
    // MSG subject sid [reply] bytes
    const char *fields[4], *next = line + 4;
    int count = 0;
    while (count < 4) {
      fields[count++] = next;
      while (next < newline && *next != ' ' && *next != '\r') next++;
      if (*next != ' ') break;
      next++;
    }
    const char *size = fields[count - 1];
    frame->kind = NATS_MESSAGE;
    frame->reply = fields[2];
    frame->replyCount = count == 4 ? (size_t)(fields[3] - fields[2] - 1) : 0;
    frame->payloadCount = takeNumber(&size, newline);
    frame->payload = newline + 1;
    if ((size_t)(end - frame->payload) < frame->payloadCount + 2) return 0;
    *at = frame->payload + frame->payloadCount + 2;
    return 1;
  }
  if (memcmp(line, "-ERR", 4) == 0) fail("nats-server: %.*s", (int)(newline - line), line);
  frame->kind = memcmp(line, "PING", 4) == 0   ? NATS_PING
                : memcmp(line, "PONG", 4) == 0 ? NATS_PONG
                                               : NATS_OTHER;
  *at = newline + 1;
  return 1;
}

static void opened(struct connection *connection) {
  struct bytes *output = &connection->output;
  appendText(output, NATS_CONNECT);
  if (connection->role == WATCH) {
    appendText(output, "SUB d.");
    appendNumber(output, (uint64_t)connection->pair);
    appendText(output, " 1\r\n");
  }
  // Its answer tells that the subscription stands.
  appendText(output, "PING\r\n");
}

static size_t received(struct connection *connection, const char *bytes, size_t count) {
  const char *at = bytes;
  uint64_t now = monotonic();
  struct natsFrame frame;
  while (takeNats(&at, bytes + count, &frame)) switch (frame.kind) {
      case NATS_MESSAGE:
        if (frame.payloadCount != PAYLOAD) fail("nats-server: a message of another size");
        delivered(connection, frame.payload, now);
        break;
      case NATS_PING: appendText(&connection->output, "PONG\r\n"); break;
      case NATS_PONG: connection->isReady = true; break;
      case NATS_OTHER: break;
    }
  return (size_t)(at - bytes);
}

static void publish(struct connection *phone, const char *payload) {
  append(&phone->output, "PUB d.", 6);
  appendNumber(&phone->output, (uint64_t)phone->pair);
  append(&phone->output, " 200\r\n", 6);
  append(&phone->output, payload, PAYLOAD);
  append(&phone->output, "\r\n", 2);
}

const struct protocol natsCore = {
    .name = "nats", .greetsFirst = true, .opened = opened, .received = received, .send = publish};
