// Watchline: a JSON object a line (PROTOCOL.md clauses 4.1, 5.5 and 5.7). A watch acknowledges
// cumulatively, once for all that a turn brought.
#include <string.h>

#include "client.h"
#include "payload.h"

#define TEXT(literal) literal, sizeof literal - 1
#define BEGINS(line, count, literal) \
  ((count) >= sizeof literal - 1 && memcmp(line, literal, sizeof literal - 1) == 0)

#define MESSAGE "{\"type\":\"didReceiveMessage\",\"from\":\"phone\",\"payload\":"
#define USER_INFO "{\"type\":\"didReceiveUserInfo\",\"from\":\"phone\",\"payload\":"

enum { toAcknowledge = 1 };

static void opened(struct connection *connection) {
  struct bytes *output = &connection->output;
  appendText(output, "{\"type\":\"activate\",\"pair\":\"bench");
  appendNumber(output, (uint64_t)connection->pair);
  appendText(output, connection->role == PHONE ? "\",\"role\":\"phone\"}\n" : "\",\"role\":\"watch\"}\n");
}

static void other(struct connection *connection, const char *line, size_t count) {
  if (BEGINS(line, count, "{\"type\":\"activationDidComplete\""))
    connection->isReady = true;
  else if (BEGINS(line, count, "{\"type\":\"error\"") || memmem(line, count, TEXT("\"error\":")))
    fail("watchline: %.*s", (int)(count < 400 ? count : 400), line);
}

static void receivedByPhone(struct connection *phone, const char *line, size_t count) {
  if (BEGINS(line, count, "{\"type\":\"accepted\""))
    accepted(phone, 1);
  else if (BEGINS(line, count, "{\"type\":\"didFinishUserInfoTransfer\"") &&
           !memmem(line, count, TEXT("\"error\":")))
    finished(phone, 1);
  else
    other(phone, line, count);
}

static void receivedByWatch(struct connection *watch, const char *line, size_t count, uint64_t now) {
  if (BEGINS(line, count, MESSAGE) && count >= sizeof MESSAGE + PAYLOAD) {
    delivered(watch, line + sizeof MESSAGE - 1, now);
  } else if (BEGINS(line, count, USER_INFO) && count >= sizeof USER_INFO + PAYLOAD) {
    const char *payload = line + sizeof USER_INFO - 1, *end = line + count;
    const char *seq = payload + PAYLOAD + sizeof ",\"seq\":" - 1;
    delivered(watch, payload, now);
    watch->number = takeNumber(&seq, end);
    watch->state = toAcknowledge;
  } else {
    other(watch, line, count);
  }
}

static size_t received(struct connection *connection, const char *bytes, size_t count) {
  const char *at = bytes, *end = bytes + count;
  uint64_t now = monotonic();
  for (;;) {
    // No delivery ends within its payload.
    size_t skipped = connection->role == WATCH && end - at > (long)sizeof MESSAGE + PAYLOAD &&
                             BEGINS(at, (size_t)(end - at), "{\"type\":\"didReceive")
                         ? sizeof MESSAGE - 1 + PAYLOAD
                         : 0;
    const char *newline = memchr(at + skipped, '\n', (size_t)(end - at) - skipped);
    if (!newline) return (size_t)(at - bytes);
    if (connection->role == PHONE)
      receivedByPhone(connection, at, (size_t)(newline - at));
    else
      receivedByWatch(connection, at, (size_t)(newline - at), now);
    at = newline + 1;
  }
}

static void acknowledge(struct connection *watch) {
  if (watch->state != toAcknowledge) return;
  watch->state = 0;
  appendText(&watch->output, "{\"type\":\"acknowledge\",\"seq\":");
  appendNumber(&watch->output, watch->number);
  appendText(&watch->output, "}\n");
}

static void sendMessage(struct connection *phone, const char *payload) {
  append(&phone->output, TEXT("{\"type\":\"sendMessage\",\"payload\":"));
  append(&phone->output, payload, PAYLOAD);
  append(&phone->output, TEXT("}\n"));
}

static void transferUserInfo(struct connection *phone, const char *payload) {
  append(&phone->output, TEXT("{\"type\":\"transferUserInfo\",\"payload\":"));
  append(&phone->output, payload, PAYLOAD);
  append(&phone->output, TEXT("}\n"));
}

const struct protocol watchlineMessage = {
    .name = "watchline-message", .opened = opened, .received = received, .send = sendMessage};

const struct protocol watchlineTransfer = {
    .name = "watchline-transfer",
    .isTransfer = true,
    .opened = opened,
    .received = received,
    .send = transferUserInfo,
    .turnEnded = acknowledge};
