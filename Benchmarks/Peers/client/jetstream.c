// NATS JetStream (https://docs.nats.io/reference/reference-protocols/nats_api_reference): one stream
// in a file, from which a message goes when it has been acknowledged; a durable push consumer a pair,
// each message acknowledged on its own. The phone asks for the stream's acknowledgement of each.
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "client.h"
#include "nats.h"
#include "payload.h"

#define STREAM \
  "{\"name\":\"bench\",\"subjects\":[\"d.*\"],\"retention\":\"workqueue\",\"storage\":\"file\"," \
  "\"max_consumers\":-1,\"max_msgs\":-1,\"max_bytes\":-1,\"max_age\":0,\"num_replicas\":1}"

enum { made = 1 };

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

/// Makes the stream, on a connection of its own.
static void prepare(int port, int pairs) {
  (void)pairs;
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0)
    fail("127.0.0.1:%d: %s", port, strerror(errno));
  struct bytes output = {0}, input = {0};
  appendText(&output, NATS_CONNECT "SUB _r 1\r\n");
  request(&output, "$JS.API.STREAM.CREATE.bench", "_r", STREAM);
  if (write(descriptor, output.start, output.count) != (ssize_t)output.count)
    fail("JetStream: %s", strerror(errno));
  struct natsFrame frame = {.kind = NATS_OTHER};
  while (frame.kind != NATS_MESSAGE) {
    ssize_t count = read(descriptor, reserve(&input, 4096), 4096);
    if (count <= 0) fail("JetStream: the server closed the connection");
    input.count += (size_t)count;
    const char *at = input.start;
    while (frame.kind != NATS_MESSAGE && takeNats(&at, input.start + input.count, &frame)) {
    }
    if (frame.kind == NATS_MESSAGE) check("the stream", &frame);
    size_t used = (size_t)(at - input.start);
    memmove(input.start, at, input.count - used);
    input.count -= used;
  }
  close(descriptor);
  free(output.start);
  free(input.start);
}

static void opened(struct connection *connection) {
  struct bytes *output = &connection->output;
  uint64_t pair = (uint64_t)connection->pair;
  appendText(output, NATS_CONNECT "SUB ");
  appendText(output, connection->role == PHONE ? "a." : "i.");
  appendNumber(output, pair);
  appendText(output, " 1\r\n");
  if (connection->role == PHONE) {
    appendText(output, "PING\r\n");
    return;
  }
  char subject[80], reply[40], body[400];
  snprintf(reply, sizeof reply, "r.%lu", pair);
  snprintf(subject, sizeof subject, "$JS.API.CONSUMER.DURABLE.CREATE.bench.c%lu", pair);
  snprintf(body, sizeof body,
           "{\"stream_name\":\"bench\",\"config\":{\"durable_name\":\"c%lu\",\"deliver_subject\":\"i.%lu\","
           "\"deliver_policy\":\"all\",\"ack_policy\":\"explicit\",\"ack_wait\":60000000000,"
           "\"filter_subject\":\"d.%lu\",\"replay_policy\":\"instant\",\"max_ack_pending\":32768}}",
           pair, pair, pair);
  appendText(output, "SUB ");
  appendText(output, reply);
  appendText(output, " 2\r\n");
  if (connection->number == made) {
    // The consumer is there; it sends again as soon as it is listened to.
    appendText(output, "PING\r\n");
    return;
  }
  request(output, subject, reply, body);
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
    check("the consumer", frame);
    connection->number = made;
    connection->isReady = true;
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
                                   .prepare = prepare,
                                   .opened = opened,
                                   .received = received,
                                   .send = publish};
