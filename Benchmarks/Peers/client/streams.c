// Redis streams: a stream and a consumer group a pair. The watch reads what there is, or waits for
// more; acknowledges (XACK) and removes (XTRIM) all that one reply brought, and reads on, in one write.
#include <string.h>

#include "client.h"
#include "payload.h"
#include "resp.h"

// What the next integer reply of a watch belongs to.
enum state { isMaking, isReading, awaitsAck, awaitsTrim };

/// Entries that one read asks for.
static const uint64_t most = 256;

static void appendArgument(struct bytes *output, const char *text, size_t count) {
  append(output, "$", 1);
  appendNumber(output, count);
  append(output, "\r\n", 2);
  append(output, text, count);
  append(output, "\r\n", 2);
}

static void appendWord(struct bytes *output, const char *word) {
  appendArgument(output, word, strlen(word));
}

static void appendHead(struct bytes *output, size_t words) {
  append(output, "*", 1);
  appendNumber(output, words);
  append(output, "\r\n", 2);
}

static void appendStream(struct bytes *output, int pair) {
  char name[16] = "s";
  size_t digits = 1;
  for (int rest = pair; rest >= 10; rest /= 10) digits++;
  for (size_t place = digits; place > 0; place--, pair /= 10) name[place] = (char)('0' + pair % 10);
  appendArgument(output, name, digits + 1);
}

static void appendRead(struct connection *watch) {
  struct bytes *output = &watch->output;
  appendText(output, "*11\r\n$10\r\nXREADGROUP\r\n$5\r\nGROUP\r\n$1\r\ng\r\n$1\r\nc\r\n");
  appendText(output, "$5\r\nCOUNT\r\n$3\r\n");
  appendNumber(output, most);
  appendText(output, "\r\n$5\r\nBLOCK\r\n$1\r\n0\r\n$7\r\nSTREAMS\r\n");
  appendStream(output, watch->pair);
  appendText(output, "$1\r\n>\r\n");
}

static void opened(struct connection *connection) {
  struct bytes *output = &connection->output;
  connection->state = isMaking;
  connection->number = 0;
  if (connection->role == PHONE) {
    appendText(output, "*1\r\n$4\r\nPING\r\n");
    return;
  }
  appendHead(output, 6);
  appendWord(output, "XGROUP");
  appendWord(output, "CREATE");
  appendStream(output, connection->pair);
  appendWord(output, "g");
  appendWord(output, "0");
  appendWord(output, "MKSTREAM");
}

/// XACK stream group id…; then XTRIM stream MINID last+1, which removes them.
static void acknowledge(struct connection *watch) {
  struct bytes *output = &watch->output, *identifiers = &watch->identifiers;
  appendHead(output, 3 + watch->number);
  appendWord(output, "XACK");
  appendStream(output, watch->pair);
  appendWord(output, "g");
  append(output, identifiers->start, identifiers->count);
  // The last identifier, `milliseconds-number`, is in `identifiers` as an argument.
  const char *last = identifiers->start + identifiers->count - 2, *end = last;
  while (last[-1] != '\n') last--;
  const char *dash = memchr(last, '-', (size_t)(end - last)), *digits = dash + 1;
  static struct bytes above;
  above.count = 0;
  append(&above, last, (size_t)(dash + 1 - last));
  appendNumber(&above, takeNumber(&digits, end) + 1);
  appendHead(output, 4);
  appendWord(output, "XTRIM");
  appendStream(output, watch->pair);
  appendWord(output, "MINID");
  appendArgument(output, above.start, above.count);
  identifiers->count = 0;
  watch->state = awaitsAck;
  appendRead(watch);
}

/// One token of a reply to XREADGROUP: `[[stream, [[id, [field, payload]], …]]]`. The array that
/// follows the stream's name tells how many entries there are; `expected` counts them down.
static void receivedEntry(struct connection *watch, const struct token *token, uint64_t now) {
  if (token->kind == '*' && watch->expected == 0 && watch->state == isReading) {
    // The heads before the stream's name have 1 and 2 members, and are told from this one by place.
    if (++watch->headers == 3) watch->expected = (int)token->number;
  } else if (token->kind == '$' && token->count == PAYLOAD) {
    delivered(watch, token->text, now);
    if (--watch->expected == 0) {
      watch->headers = 0;
      acknowledge(watch);
    }
  } else if (token->kind == '$' && watch->expected > 0 && token->count > 1) {
    appendArgument(&watch->identifiers, token->text, token->count);
    watch->number++;
  }
}

static void receivedByWatch(struct connection *watch, const struct token *token, uint64_t now) {
  bool exists = token->count >= 9 && memcmp(token->text, "BUSYGROUP", 9) == 0;
  switch ((enum state)watch->state) {
    case isMaking:
      if (token->kind == '-' && !exists) break;
      watch->isReady = true;
      watch->state = isReading;
      appendRead(watch);
      return;
    case awaitsAck:
      if (token->kind != ':' || (uint64_t)token->number != watch->number) break;
      watch->state = awaitsTrim;
      return;
    case awaitsTrim:
      if (token->kind != ':' || (uint64_t)token->number != watch->number) break;
      finished(watch, watch->number);
      watch->number = 0;
      watch->state = isReading;
      return;
    case isReading:
      if (token->kind == '-') break;
      receivedEntry(watch, token, now);
      return;
  }
  fail("redis-server, state %d: %c%.*s", watch->state, token->kind, (int)token->count, token->text);
}

static size_t received(struct connection *connection, const char *bytes, size_t count) {
  const char *at = bytes;
  uint64_t now = monotonic();
  struct token token;
  while (takeToken(&at, bytes + count, &token)) {
    if (connection->role == WATCH) {
      receivedByWatch(connection, &token, now);
    } else if (token.kind == '-') {
      fail("redis-server: %.*s", (int)token.count, token.text);
    } else if (!connection->isReady) {
      connection->isReady = true;
    } else {
      accepted(connection, 1);
    }
  }
  return (size_t)(at - bytes);
}

static void add(struct connection *phone, const char *payload) {
  struct bytes *output = &phone->output, *head = &phone->identifiers;
  if (head->count == 0) {
    // The command's head, which is the same each time.
    appendHead(head, 5);
    appendWord(head, "XADD");
    appendStream(head, phone->pair);
    appendText(head, "$1\r\n*\r\n$1\r\nd\r\n$200\r\n");
  }
  append(output, head->start, head->count);
  append(output, payload, PAYLOAD);
  append(output, "\r\n", 2);
}

const struct protocol redisStreams = {.name = "redis-streams",
                                      .isTransfer = true,
                                      .opened = opened,
                                      .received = received,
                                      .send = add};
