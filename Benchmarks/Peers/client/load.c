// Who may send how much, and whether everything that was sent has come: once, and in order.
#include <string.h>

#include "client.h"
#include "histogram.h"
#include "load.h"
#include "payload.h"

struct pair {
  uint32_t sent, delivered;
  uint64_t accepted, finished;
  uint32_t highest;    // the highest sequence number that has come; the first is 1
  uint64_t *seen;      // a ring of bits: which of the last `ringSize` numbers have come
  bool hasRoom;        // it is on the list of those that may send
};

static struct pair *pairs;
static int *withRoom, withRoomCount;
static uint32_t ringSize;  // a power of two
static bool isSending;
static uint64_t scheduleStart, scheduled;  // open loop: when it began, and how many have been sent
static uint64_t measuredFrom, measuredTo;
static struct counts total;
struct histogram latency;

void makePairs(void) {
  ringSize = options.rate > 0 || options.backlog ? 65536 : 1024;
  while (ringSize < 2 * (uint32_t)options.window) ringSize *= 2;
  size_t count = (size_t)options.pairs, words = ringSize / 64;
  pairs = calloc(count, sizeof *pairs);
  withRoom = calloc(count, sizeof *withRoom);
  uint64_t *bits = calloc(count * words, sizeof *bits);
  if (!pairs || !withRoom || !bits) fail("no memory for %zu pairs", count);
  for (size_t index = 0; index < count; index++) pairs[index].seen = bits + index * words;
}

void measureFrom(uint64_t begin, uint64_t end) {
  measuredFrom = begin;
  measuredTo = end;
}

struct counts counts(void) {
  struct counts result = total;
  result.lost = result.sent - result.delivered;
  result.done = 0;
  for (int index = 0; index < options.pairs; index++) {
    struct pair *pair = &pairs[index];
    bool isTransfer = options.protocol->isTransfer;
    result.done += isTransfer ? (pair->accepted < pair->finished ? pair->accepted : pair->finished)
                              : pair->delivered;
  }
  return result;
}

bool isDrained(void) {
  struct counts now = counts();
  return now.done >= now.sent && now.delivered >= now.sent;
}

// MARK: Sending

static uint64_t inFlight(const struct pair *pair) {
  if (options.backlog) return pair->sent - pair->accepted;
  if (!options.protocol->isTransfer) return pair->sent - pair->delivered;
  return pair->sent - (pair->accepted < pair->finished ? pair->accepted : pair->finished);
}

static void hasRoom(int pair) {
  if (pairs[pair].hasRoom) return;
  pairs[pair].hasRoom = true;
  withRoom[withRoomCount++] = pair;
}

void beginLoad(uint64_t now) {
  isSending = true;
  scheduleStart = now;
  scheduled = 0;
  for (int pair = 0; pair < options.pairs; pair++) hasRoom(pair);
}

void stopLoad(void) { isSending = false; }

static void sendOne(int index, uint64_t sentAt) {
  struct connection *phone = connectionOf(index, PHONE);
  char payload[PAYLOAD];
  total.sent++;
  writePayload(payload, (struct message){(uint32_t)index, ++pairs[index].sent, sentAt});
  options.protocol->send(phone, payload);
  touch(phone);
}

/// How many a pair may send in all.
static uint32_t share(int pair) {
  if (!options.backlog) return UINT32_MAX;
  return (uint32_t)(options.backlog / options.pairs + (pair < options.backlog % options.pairs));
}

static void fillWindows(uint64_t now) {
  for (int index = 0; index < withRoomCount; index++) {
    int number = withRoom[index];
    struct pair *pair = &pairs[number];
    pair->hasRoom = false;
    for (uint64_t count = inFlight(pair); count < (uint64_t)options.window; count++) {
      if (pair->sent == share(number)) break;
      sendOne(number, now);
    }
  }
  withRoomCount = 0;
}

uint64_t feed(uint64_t now) {
  if (!isSending) return UINT64_MAX;
  if (options.rate == 0) {
    fillWindows(now);
    return UINT64_MAX;
  }
  withRoomCount = 0;
  for (;;) {
    uint64_t due = scheduleStart + (uint64_t)((double)scheduled * 1e9 / options.rate);
    if (due > now) return due;
    sendOne((int)(scheduled++ % (uint64_t)options.pairs), due);
  }
}

bool isFilled(void) {
  for (int index = 0; index < options.pairs; index++)
    if (pairs[index].accepted < share(index)) return false;
  return true;
}

// MARK: What comes

/// Marks a number as come. Returns whether it had come before.
static bool hasCome(struct pair *pair, uint32_t sequence) {
  uint64_t bit = 1ull << (sequence & 63);
  uint64_t *word = &pair->seen[(sequence & (ringSize - 1)) / 64];
  bool before = *word & bit;
  *word |= bit;
  return before;
}

void delivered(struct connection *watch, const char *payload, uint64_t now) {
  struct message message;
  struct pair *pair = &pairs[watch->pair];
  if (!readPayload(payload, &message) || message.pair != (uint32_t)watch->pair ||
      message.sequence == 0 || message.sequence > pair->sent) {
    total.foreign++;
    return;
  }
  uint32_t sequence = message.sequence;
  if (sequence > pair->highest) {
    // The ring goes on: the bits of what was one round ago are those of numbers that are new.
    for (uint32_t next = pair->highest + 1; next <= sequence; next++)
      pair->seen[(next & (ringSize - 1)) / 64] &= ~(1ull << (next & 63));
    pair->highest = sequence;
    hasCome(pair, sequence);
  } else if (pair->highest - sequence >= ringSize || hasCome(pair, sequence)) {
    total.duplicated++;
    return;
  } else {
    total.reordered++;
  }
  pair->delivered++;
  total.delivered++;
  if (message.sentAt >= measuredFrom && message.sentAt < measuredTo)
    record(&latency, now > message.sentAt ? now - message.sentAt : 0);
  if (!options.protocol->isTransfer) hasRoom(watch->pair);
}

void accepted(struct connection *phone, uint64_t count) {
  pairs[phone->pair].accepted += count;
  hasRoom(phone->pair);
}

void finished(struct connection *connection, uint64_t count) {
  pairs[connection->pair].finished += count;
  hasRoom(connection->pair);
}
