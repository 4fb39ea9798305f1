#include "payload.h"

#include <string.h>

enum { PAIR = 6, SEQUENCE = 19, TIME = 34, FILLING = 57 };

static const char hex[] = "0123456789abcdef";

static void writeHex(char *to, uint64_t value, int digits) {
  while (digits > 0) {
    to[--digits] = hex[value & 15];
    value >>= 4;
  }
}

/// Digits of `hex` only; anything else gives a wrong number, which the order check then tells.
static uint64_t readHex(const char *from, int digits) {
  uint64_t value = 0;
  for (int index = 0; index < digits; index++) {
    unsigned char digit = (unsigned char)from[index];
    value = (value << 4) | (uint64_t)((digit & 15) + (digit >> 6) * 9);
  }
  return value;
}

void writePayload(char *to, struct message message) {
  // The messages of one turn have one time.
  static char template[PAYLOAD];
  static uint64_t sentAt;
  if (!template[0]) {
    memcpy(template, "{\"p\":\"000000\",\"n\":\"00000000\",\"t\":\"0000000000000000\",\"d\":\"", FILLING);
    memset(template + FILLING, 'x', PAYLOAD - 2 - FILLING);
    memcpy(template + PAYLOAD - 2, "\"}", 2);
  }
  if (message.sentAt != sentAt) {
    sentAt = message.sentAt;
    writeHex(template + TIME, sentAt, 16);
  }
  memcpy(to, template, PAYLOAD);
  writeHex(to + PAIR, message.pair, 6);
  writeHex(to + SEQUENCE, message.sequence, 8);
}

int readPayload(const char *from, struct message *message) {
  static char last[16];
  static uint64_t sentAt;
  if (memcmp(from, "{\"p\":\"", PAIR) != 0) return 0;
  if (memcmp(from + TIME, last, sizeof last) != 0) {
    memcpy(last, from + TIME, sizeof last);
    sentAt = readHex(last, sizeof last);
  }
  message->pair = (uint32_t)readHex(from + PAIR, 6);
  message->sequence = (uint32_t)readHex(from + SEQUENCE, 8);
  message->sentAt = sentAt;
  return 1;
}
