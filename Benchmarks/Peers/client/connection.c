#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "client.h"
#include "secure.h"

enum { READ = 256 << 10, EVENTS = 1024, OPENING = 64 };

static struct connection *connections;  // 2 a pair: the phone's, the watch's
static int epollDescriptor = -1;
static struct connection **touched;
static int touchedCount;
static int openingCount, toOpen;
static int rolesToOpen[2];
static struct bytes input;  // shared: a rest of one connection, and what was just read

struct connection *connectionOf(int pair, enum role role) {
  return &connections[2 * pair + (int)role];
}

void touch(struct connection *connection) {
  if (connection->isTouched) return;
  connection->isTouched = true;
  touched[touchedCount++] = connection;
}

// MARK: Opening and closing

static void watchFor(struct connection *connection, int operation, uint32_t events) {
  struct epoll_event event = {.events = events, .data.ptr = connection};
  if (epoll_ctl(epollDescriptor, operation, connection->descriptor, &event) != 0)
    fail("epoll_ctl: %s", strerror(errno));
}

static void openOne(struct connection *connection) {
  struct sockaddr_in address = {
      .sin_family = AF_INET,
      .sin_port = htons((uint16_t)options.port),
      .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
  };
  int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) fail("socket: %s", strerror(errno));
  // On loopback this does not wait: the kernel answers for the listener.
  if (connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0)
    fail("127.0.0.1:%d: %s", options.port, strerror(errno));
  int one = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  connection->descriptor = descriptor;
  if (options.isSecure) secure(connection);
  fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
  connection->isReady = connection->awaitsWritable = false;
  connection->output.count = connection->written = connection->rest.count = 0;
  connection->state = connection->expected = connection->headers = 0;
  connection->identifiers.count = 0;
  watchFor(connection, EPOLL_CTL_ADD, EPOLLIN);
  options.protocol->opened(connection);
  touch(connection);
}

/// A few at a time, so that no server's queue of connections overflows.
static void openMore(void) {
  static int next;
  if (toOpen == 0) next = 0;
  while (toOpen > 0 && openingCount < OPENING) {
    struct connection *connection = &connections[next++];
    if (!rolesToOpen[connection->role]) continue;
    toOpen--;
    openingCount++;
    openOne(connection);
  }
  if (toOpen == 0) next = 0;
}

static bool areOpen(void) { return toOpen == 0 && openingCount == 0; }

void openConnections(int role) {
  if (!connections) {
    size_t count = 2 * (size_t)options.pairs;
    connections = calloc(count, sizeof *connections);
    touched = calloc(count, sizeof *touched);
    epollDescriptor = epoll_create1(EPOLL_CLOEXEC);
    if (!connections || !touched || epollDescriptor < 0) fail("no memory for %zu connections", count);
    for (size_t index = 0; index < count; index++)
      connections[index] = (struct connection){
          .descriptor = -1, .pair = (int)index / 2, .role = index % 2 ? WATCH : PHONE};
  }
  rolesToOpen[PHONE] = role != WATCH;
  rolesToOpen[WATCH] = role != PHONE;
  toOpen = options.pairs * (rolesToOpen[PHONE] + rolesToOpen[WATCH]);
  if (!runLoop(monotonic() + 120 * 1000000000ull, areOpen))
    fail("the connections did not become ready in two minutes");
}

void closeConnections(int role) {
  for (int index = 0; index < 2 * options.pairs; index++) {
    struct connection *connection = &connections[index];
    if (connection->descriptor < 0 || (role >= 0 && (int)connection->role != role)) continue;
    if (connection->tls) unsecure(connection);
    close(connection->descriptor);
    connection->descriptor = -1;
  }
}

// MARK: Reading and writing

static void readFrom(struct connection *connection) {
  struct bytes *rest = &connection->rest;
  input.count = 0;
  append(&input, rest->start, rest->count);
  char *space = reserve(&input, READ);
  ssize_t count = connection->tls ? readSecurely(connection, space, READ)
                                  : read(connection->descriptor, space, READ);
  if (count < 0 && errno == EAGAIN) return;
  if (count <= 0)
    fail("the server closed the connection of pair %d's %s%s%s", connection->pair,
         connection->role == PHONE ? "phone" : "watch", count < 0 ? ": " : "",
         count < 0 ? strerror(errno) : "");
  input.count += (size_t)count;
  bool wasReady = connection->isReady;
  size_t used = options.protocol->received(connection, input.start, input.count);
  rest->count = 0;
  append(rest, input.start + used, input.count - used);
  touch(connection);
  if (connection->isReady && !wasReady) openingCount--;
}

static void flush(struct connection *connection) {
  struct bytes *output = &connection->output;
  while (connection->written < output->count) {
    const char *start = output->start + connection->written;
    size_t rest = output->count - connection->written;
    ssize_t count = connection->tls ? writeSecurely(connection, start, rest)
                                    : send(connection->descriptor, start, rest, MSG_NOSIGNAL);
    if (count < 0 && errno == EAGAIN) {
      if (!connection->awaitsWritable) watchFor(connection, EPOLL_CTL_MOD, EPOLLIN | EPOLLOUT);
      connection->awaitsWritable = true;
      return;
    }
    if (count < 0)
      fail("the connection of pair %d's %s: %s", connection->pair,
           connection->role == PHONE ? "phone" : "watch", strerror(errno));
    connection->written += (size_t)count;
  }
  output->count = connection->written = 0;
  if (connection->awaitsWritable) watchFor(connection, EPOLL_CTL_MOD, EPOLLIN);
  connection->awaitsWritable = false;
}

static void endTurn(void) {
  // What `turnEnded` appends belongs to connections that are on the list already.
  for (int index = 0; index < touchedCount; index++) {
    struct connection *connection = touched[index];
    connection->isTouched = false;
    if (connection->descriptor < 0) continue;
    if (connection->isReady && options.protocol->turnEnded) options.protocol->turnEnded(connection);
    if (!connection->awaitsWritable) flush(connection);
  }
  touchedCount = 0;
}

bool runLoop(uint64_t deadline, bool (*isDone)(void)) {
  static struct epoll_event events[EVENTS];
  for (;;) {
    openMore();
    uint64_t now = monotonic();
    uint64_t next = feed(now);
    endTurn();
    if (isDone && isDone()) return true;
    if (now >= deadline) return false;
    if (next > deadline) next = deadline;
    now = monotonic();
    uint64_t pause = next > now ? next - now : 0;
    struct timespec timeout = {(time_t)(pause / 1000000000), (long)(pause % 1000000000)};
    int count = epoll_pwait2(epollDescriptor, events, EVENTS, &timeout, NULL);
    if (count < 0 && errno != EINTR) fail("epoll_pwait2: %s", strerror(errno));
    for (int index = 0; index < count; index++) {
      struct connection *connection = events[index].data.ptr;
      if (events[index].events & EPOLLOUT) flush(connection);
      if (events[index].events & (EPOLLIN | EPOLLERR | EPOLLHUP)) readFrom(connection);
    }
  }
}
