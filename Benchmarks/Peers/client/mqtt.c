// MQTT 3.1.1 (https://docs.oasis-open.org/mqtt/mqtt/v3.1.1/mqtt-v3.1.1.html): a topic a pair, QoS 0
// or 1, with sessions that the broker keeps for QoS 1.
#include <string.h>

#include "client.h"
#include "payload.h"

enum { CONNACK = 2, PUBLISH = 3, PUBACK = 4, SUBACK = 9 };

/// `d/` and six digits.
enum { TOPIC = 8 };

static void appendTopic(struct bytes *output, int pair) {
  char topic[2 + TOPIC] = {0, TOPIC, 'd', '/'};
  for (int place = 2 + TOPIC; place > 4; pair /= 10) topic[--place] = (char)('0' + pair % 10);
  append(output, topic, sizeof topic);
}

static void open(struct connection *connection, int quality) {
  struct bytes *output = &connection->output;
  char name[] = {0, 9, connection->role == PHONE ? 'p' : 'w', 0, 0, 0, 0, 0, 0, 0, 0};
  uint32_t pair = (uint32_t)connection->pair;
  for (int place = sizeof name; place > 3; pair /= 10) name[--place] = (char)('0' + pair % 10);
  // Flags: a clean session for QoS 0. No keep-alive.
  char variable[] = {0, 4, 'M', 'Q', 'T', 'T', 4, quality == 0 ? 2 : 0, 0, 0};
  char head[] = {0x10, sizeof variable + sizeof name};
  append(output, head, sizeof head);
  append(output, variable, sizeof variable);
  append(output, name, sizeof name);
  if (connection->role == PHONE) return;
  char subscribe[] = {(char)0x82, 2 + 2 + TOPIC + 1, 0, 1};
  append(output, subscribe, sizeof subscribe);
  appendTopic(output, connection->pair);
  append(output, quality == 0 ? "\0" : "\1", 1);
}

static void opened0(struct connection *connection) { open(connection, 0); }
static void opened1(struct connection *connection) { open(connection, 1); }

static void receivedPacket(struct connection *connection, const unsigned char *packet,
                           const char *body, size_t count, uint64_t now) {
  int quality = (packet[0] >> 1) & 3;
  switch (packet[0] >> 4) {
    case CONNACK:
      if (body[1] != 0) fail("mosquitto refuses the connection: %d", body[1]);
      if (connection->role == PHONE) connection->isReady = true;
      return;
    case SUBACK:
      if ((body[2] & 0x80) != 0) fail("mosquitto refuses the subscription");
      connection->isReady = true;
      return;
    case PUBACK: accepted(connection, 1); return;
    case PUBLISH: {
      size_t behind = 2 + TOPIC + (quality ? 2 : 0);
      if (count != behind + PAYLOAD) fail("mosquitto: a message of another size");
      delivered(connection, body + behind, now);
      if (quality == 0) return;
      char acknowledgement[] = {PUBACK << 4, 2, body[2 + TOPIC], body[3 + TOPIC]};
      append(&connection->output, acknowledgement, sizeof acknowledgement);
      finished(connection, 1);
      return;
    }
    default: fail("mosquitto: a packet of kind %d", packet[0] >> 4);
  }
}

static size_t received(struct connection *connection, const char *bytes, size_t count) {
  const unsigned char *at = (const unsigned char *)bytes, *end = at + count;
  uint64_t now = monotonic();
  for (;;) {
    // A byte of kind and flags, the length in groups of seven bits, the body.
    size_t length = 0, place = 1, shift = 0;
    while (at + place < end && at[place] & 0x80 && place < 4) {
      length |= (size_t)(at[place++] & 0x7f) << shift;
      shift += 7;
    }
    if (at + place >= end) break;
    length |= (size_t)(at[place++] & 0x7f) << shift;
    if ((size_t)(end - at) < place + length) break;
    receivedPacket(connection, at, (const char *)at + place, length, now);
    at += place + length;
  }
  return (size_t)((const char *)at - bytes);
}

static void publish(struct connection *phone, const char *payload, int quality) {
  enum { BODY = 2 + TOPIC + PAYLOAD };
  struct bytes *output = &phone->output;
  int length = BODY + (quality ? 2 : 0);
  char head[] = {(char)(PUBLISH << 4 | quality << 1), (char)(0x80 | (length & 0x7f)), (char)(length >> 7)};
  append(output, head, sizeof head);
  appendTopic(output, phone->pair);
  if (quality) {
    // 1 to 65,535: a window is smaller, so that none is in use twice.
    phone->number = phone->number % 65535 + 1;
    char identifier[] = {(char)(phone->number >> 8), (char)phone->number};
    append(output, identifier, sizeof identifier);
  }
  append(output, payload, PAYLOAD);
}

static void publish0(struct connection *phone, const char *payload) { publish(phone, payload, 0); }
static void publish1(struct connection *phone, const char *payload) { publish(phone, payload, 1); }

const struct protocol mqttQoS0 = {
    .name = "mqtt-0", .opened = opened0, .received = received, .send = publish0};

const struct protocol mqttQoS1 = {.name = "mqtt-1",
                                  .isTransfer = true,
                                  .opened = opened1,
                                  .received = received,
                                  .send = publish1};
