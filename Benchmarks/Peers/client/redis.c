// Redis publish/subscribe: a channel a pair. Nothing is stored.
#include <string.h>

#include "client.h"
#include "payload.h"
#include "resp.h"

int takeToken(const char **at, const char *end, struct token *token) {
  const char *line = *at, *newline = memchr(line, '\n', (size_t)(end - line));
  if (!newline) return 0;
  const char *digits = line + 1;
  int isNegative = *digits == '-';
  digits += isNegative;
  token->kind = *line;
  token->text = line + 1;
  token->count = (size_t)(newline - line - 2);
  const char *behind = newline + 1;
  if (*line != '+' && *line != '-') {
    token->number = (int64_t)takeNumber(&digits, newline);
    if (isNegative) token->number = -token->number;
  }
  if (*line == '$' && token->number >= 0) {
    if (end - behind < token->number + 2) return 0;
    token->text = behind;
    token->count = (size_t)token->number;
    behind += token->number + 2;
  }
  *at = behind;
  return 1;
}

static void opened(struct connection *connection) {
  struct bytes *output = &connection->output;
  if (connection->role == PHONE) {
    appendText(output, "*1\r\n$4\r\nPING\r\n");
    return;
  }
  appendText(output, "SUBSCRIBE d");
  appendNumber(output, (uint64_t)connection->pair);
  appendText(output, "\r\n");
}

/// Answers: +PONG; `*3 subscribe channel 1`; `*3 message channel payload`; `:1` for each PUBLISH.
static size_t received(struct connection *connection, const char *bytes, size_t count) {
  const char *at = bytes;
  uint64_t now = monotonic();
  struct token token;
  while (takeToken(&at, bytes + count, &token)) {
    if (token.kind == '-') fail("redis-server: %.*s", (int)token.count, token.text);
    if (token.kind == '$' && token.count == PAYLOAD) delivered(connection, token.text, now);
    if (!connection->isReady && (token.kind == '+' || token.kind == ':')) connection->isReady = true;
  }
  return (size_t)(at - bytes);
}

static void publish(struct connection *phone, const char *payload) {
  struct bytes *output = &phone->output;
  if (phone->identifiers.count == 0) {
    // The command's head, which is the same each time.
    struct bytes name = {0};
    append(&name, "d", 1);
    appendNumber(&name, (uint64_t)phone->pair);
    appendText(&phone->identifiers, "*3\r\n$7\r\nPUBLISH\r\n$");
    appendNumber(&phone->identifiers, name.count);
    appendText(&phone->identifiers, "\r\n");
    append(&phone->identifiers, name.start, name.count);
    appendText(&phone->identifiers, "\r\n$200\r\n");
    free(name.start);
  }
  append(output, phone->identifiers.start, phone->identifiers.count);
  append(output, payload, PAYLOAD);
  append(output, "\r\n", 2);
}

const struct protocol redisPubSub = {
    .name = "redis-pubsub", .opened = opened, .received = received, .send = publish};
