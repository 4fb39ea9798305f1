// NATS JetStream (https://docs.nats.io/reference/reference-protocols/nats_api_reference): one stream
// for all pairs, or one for each, in a file, from which a message goes when it has been acknowledged; a
// durable push consumer a pair, each message acknowledged on its own. The phone asks for the stream's
// acknowledgement of each.
#include <stdio.h>
#include <string.h>

#include "client.h"
#include "nats.h"
#include "payload.h"

// What a watch waits for before it is ready.
enum state { awaitsStream, awaitsConsumer, hasConsumer };

/// The stream of a pair, and the subjects in it: `bench` and `d.*`, or `bench7` and `d.7`.
struct names {
  char stream[24], subjects[24];
};

static struct names namesOf(int pair) {
  struct names names = {"bench", "d.*"};
  if (options.protocol == &jetStreamEach) {
    snprintf(names.stream, sizeof names.stream, "bench%d", pair);
    snprintf(names.subjects, sizeof names.subjects, "d.%d", pair);
  }
  return names;
}

/// Appends a request, the answer to which comes to the subject `reply`.
static void request(struct bytes *output, const char *subject, const char *reply, const char *body) {
  appendText(output, "PUB ");
  appendText(output, subject);
  appendText(output, " ");
  appendText(output, reply);
  appendText(output, " ");
  appendNumber(output, strlen(body));
  appendText(output, "\r\n");
  appendText(output, body);
  appendText(output, "\r\n");
}

/// Fails where an answer of the API is an error.
static void check(const char *what, const struct natsFrame *frame) {
  if (memmem(frame->payload, frame->payloadCount, "\"error\"", 7) || frame->payloadCount < 2)
    fail("JetStream, %s: %.*s", what, (int)frame->payloadCount, frame->payload);
}

/// Making what is there already, in the same form, is no error.
static void makeStream(struct connection *watch) {
  struct names names = namesOf(watch->pair);
  char subject[80], reply[40], body[400];
  snprintf(subject, sizeof subject, "$JS.API.STREAM.CREATE.%s", names.stream);
  snprintf(reply, sizeof reply, "r.%d", watch->pair);
  snprintf(body, sizeof body,
           "{\"name\":\"%s\",\"subjects\":[\"%s\"],\"retention\":\"workqueue\",\"storage\":\"file\","
           "\"max_consumers\":-1,\"max_msgs\":-1,\"max_bytes\":-1,\"max_age\":0,\"num_replicas\":1}",
           names.stream, names.subjects);
  request(&watch->output, subject, reply, body);
}

static void makeConsumer(struct connection *watch) {
  struct names names = namesOf(watch->pair);
  int pair = watch->pair;
  char subject[80], reply[40], body[400];
  snprintf(subject, sizeof subject, "$JS.API.CONSUMER.DURABLE.CREATE.%s.c%d", names.stream, pair);
  snprintf(reply, sizeof reply, "r.%d", pair);
  snprintf(body, sizeof body,
           "{\"stream_name\":\"%s\",\"config\":{\"durable_name\":\"c%d\",\"deliver_subject\":\"i.%d\","
           "\"deliver_policy\":\"all\",\"ack_policy\":\"explicit\",\"ack_wait\":60000000000,"
           "\"filter_subject\":\"d.%d\",\"replay_policy\":\"instant\",\"max_ack_pending\":32768}}",
           names.stream, pair, pair, pair);
  request(&watch->output, subject, reply, body);
}

static void appendSubscription(struct bytes *output, const char *prefix, int pair, int number) {
  appendText(output, "SUB ");
  appendText(output, prefix);
  appendNumber(output, (uint64_t)pair);
  appendText(output, " ");
  appendNumber(output, (uint64_t)number);
  appendText(output, "\r\n");
}

static void opened(struct connection *connection) {
  struct bytes *output = &connection->output;
  appendText(output, NATS_CONNECT);
  if (connection->role == PHONE) {
    appendSubscription(output, "a.", connection->pair, 1);
    appendText(output, "PING\r\n");
    return;
  }
  appendSubscription(output, "i.", connection->pair, 1);
  appendSubscription(output, "r.", connection->pair, 2);
  makeStream(connection);
}

static void receivedMessage(struct connection *connection, const struct natsFrame *frame,
                            uint64_t now) {
  if (connection->role == PHONE) {
    // {"stream":"bench","seq":1}
    check("publishing", frame);
    accepted(connection, 1);
  } else if (frame->payloadCount == PAYLOAD && memcmp(frame->payload, "{\"p\":", 5) == 0) {
    delivered(connection, frame->payload, now);
    struct bytes *output = &connection->output;
    append(output, "PUB ", 4);
    append(output, frame->reply, frame->replyCount);
    append(output, " 4\r\n+ACK\r\n", 10);
    finished(connection, 1);
  } else {
    check(connection->state == awaitsStream ? "the stream" : "the consumer", frame);
    if (connection->state++ == awaitsStream) makeConsumer(connection);
    connection->isReady = connection->state == hasConsumer;
  }
}

static size_t received(struct connection *connection, const char *bytes, size_t count) {
  const char *at = bytes;
  uint64_t now = monotonic();
  struct natsFrame frame;
  while (takeNats(&at, bytes + count, &frame)) switch (frame.kind) {
      case NATS_MESSAGE: receivedMessage(connection, &frame, now); break;
      case NATS_PING: appendText(&connection->output, "PONG\r\n"); break;
      case NATS_PONG: connection->isReady = true; break;
      case NATS_OTHER: break;
    }
  return (size_t)(at - bytes);
}

static void publish(struct connection *phone, const char *payload) {
  struct bytes *output = &phone->output;
  append(output, "PUB d.", 6);
  appendNumber(output, (uint64_t)phone->pair);
  append(output, " a.", 3);
  appendNumber(output, (uint64_t)phone->pair);
  append(output, " 200\r\n", 6);
  append(output, payload, PAYLOAD);
  append(output, "\r\n", 2);
}

const struct protocol jetStream = {.name = "jetstream",
                                   .isTransfer = true,
                                   .opened = opened,
                                   .received = received,
                                   .send = publish};

const struct protocol jetStreamEach = {.name = "jetstream-each",
                                       .isTransfer = true,
                                       .opened = opened,
                                       .received = received,
                                       .send = publish};
