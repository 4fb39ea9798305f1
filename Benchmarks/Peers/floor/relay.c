// The floor: the least that a server of lines can do with libuv. It copies lines from a pair's phone
// to its watch; nothing is parsed, queued or recovered.
//
//   relay                    one write per read chunk
//   relay --each             one write per line
//   relay --append FILE      appends to one file with group commit, and tells the phone and delivers
//                            when that is synced; what the watch says is dropped
//   relay --append FILE --finish
//                            the same, and what the watch says is appended, synced and told the phone
//
// The first line of a connection is `P` or `W` and the pair's number; it is answered `OK`. `A n` tells
// a phone that n bytes of its own are on the disk. Prints `relay listening on 127.0.0.1:PORT`; the port
// is `--port N`, or any that is free.
#include <arpa/inet.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "journal.h"
#include "relay.h"

enum { READ = 256 << 10, BACKLOG = 1024 };

static uv_loop_t loop;
static char input[READ];
static bool isEach, isFinish;
static const char *path;
static struct client **phones, **watches;  // by pair
static int pairCount, port;

static _Noreturn void fail(const char *what, int code) {
  fprintf(stderr, "relay: %s: %s\n", what, uv_strerror(code));
  exit(1);
}

// MARK: Writing

struct rest {
  uv_write_t request;
  char bytes[];
};

static void wrote(uv_write_t *request, int status) {
  (void)status;
  free(request);
}

void writeTo(struct client *client, const char *bytes, size_t count) {
  uv_buf_t buffer = uv_buf_init((char *)bytes, (unsigned)count);
  int written = uv_try_write((uv_stream_t *)&client->stream, &buffer, 1);
  if (written < 0) written = 0;
  if ((size_t)written == count) return;
  size_t left = count - (size_t)written;
  struct rest *rest = malloc(sizeof *rest + left);
  if (!rest) abort();
  memcpy(rest->bytes, bytes + written, left);
  buffer = uv_buf_init(rest->bytes, (unsigned)left);
  // A client that has gone is noticed by the read.
  if (uv_write(&rest->request, (uv_stream_t *)&client->stream, &buffer, 1, wrote) != 0) free(rest);
}

// MARK: Reading

static struct client *counterpart(struct client *client) {
  return client->isPhone ? watches[client->pair] : phones[client->pair];
}

/// Whole lines of a client.
static void relay(struct client *client, const char *lines, size_t count) {
  if (path) {
    if (client->isPhone || isFinish) appendToJournal(client, lines, count);
    return;
  }
  struct client *to = counterpart(client);
  if (!to) return;
  if (!isEach) {
    writeTo(to, lines, count);
    return;
  }
  for (const char *end = lines + count; lines < end;) {
    const char *behind = (const char *)memchr(lines, '\n', (size_t)(end - lines)) + 1;
    writeTo(to, lines, (size_t)(behind - lines));
    lines = behind;
  }
}

void synced(struct client *client, const char *lines, size_t count) {
  struct client *to = counterpart(client);
  if (client->isPhone) {
    char text[32];
    client->synced += count;
    int length = snprintf(text, sizeof text, "A %zu\n", client->synced);
    writeTo(client, text, (size_t)length);
  }
  if (to) writeTo(to, lines, count);
}

static size_t introduce(struct client *client, const char *bytes, size_t count) {
  const char *newline = memchr(bytes, '\n', count);
  if (!newline) return 0;
  int pair = atoi(bytes + 1);
  if (pair >= pairCount) {
    int more = pair + 1024;
    phones = realloc(phones, (size_t)more * sizeof *phones);
    watches = realloc(watches, (size_t)more * sizeof *watches);
    if (!phones || !watches) abort();
    for (; pairCount < more; pairCount++) phones[pairCount] = watches[pairCount] = NULL;
  }
  client->pair = pair;
  client->isPhone = bytes[0] == 'P';
  (client->isPhone ? phones : watches)[pair] = client;
  client->isKnown = true;
  writeTo(client, "OK\n", 3);
  return (size_t)(newline + 1 - bytes);
}

static void allocate(uv_handle_t *handle, size_t size, uv_buf_t *buffer) {
  (void)size;
  // What is left of a torn line stands before what is read.
  struct client *client = handle->data;
  memcpy(input, client->rest, client->restCount);
  *buffer = uv_buf_init(input + client->restCount, (unsigned)(READ - client->restCount));
}

static void closed(uv_handle_t *handle) {
  struct client *client = handle->data;
  free(client->rest);
  free(client);
}

static void received(uv_stream_t *stream, ssize_t read, const uv_buf_t *buffer) {
  (void)buffer;
  struct client *client = stream->data;
  if (read == 0) return;
  if (read < 0) {
    if (client->isKnown) (client->isPhone ? phones : watches)[client->pair] = NULL;
    // What it has in the journal still names it.
    if (path) uv_read_stop(stream);
    else uv_close((uv_handle_t *)stream, closed);
    return;
  }
  size_t count = client->restCount + (size_t)read, used = 0;
  if (!client->isKnown) used = introduce(client, input, count);
  const char *last = memrchr(input + used, '\n', count - used);
  if (client->isKnown && last) {
    size_t lines = (size_t)(last + 1 - (input + used));
    relay(client, input + used, lines);
    used += lines;
  }
  client->restCount = count - used;
  if (client->restCount == 0) return;
  if (client->restCount > READ / 2) {
    fprintf(stderr, "relay: a line is too long\n");
    exit(1);
  }
  client->rest = realloc(client->rest, client->restCount);
  if (!client->rest) abort();
  memcpy(client->rest, input + used, client->restCount);
}

static void connected(uv_stream_t *server, int status) {
  if (status != 0) fail("listening", status);
  struct client *client = calloc(1, sizeof *client);
  if (!client) abort();
  client->stream.data = client;
  uv_tcp_init(server->loop, &client->stream);
  int code = uv_accept(server, (uv_stream_t *)&client->stream);
  if (code != 0) fail("accept", code);
  uv_tcp_nodelay(&client->stream, 1);
  uv_read_start((uv_stream_t *)&client->stream, allocate, received);
}

int main(int count, char **arguments) {
  for (int index = 1; index < count; index++) {
    if (strcmp(arguments[index], "--each") == 0) isEach = true;
    else if (strcmp(arguments[index], "--finish") == 0) isFinish = true;
    else if (strcmp(arguments[index], "--append") == 0 && index + 1 < count) path = arguments[++index];
    else if (strcmp(arguments[index], "--port") == 0 && index + 1 < count) port = atoi(arguments[++index]);
    else {
      fprintf(stderr, "relay: usage: relay [--port N] [--each | --append FILE [--finish]]\n");
      return 2;
    }
  }
  signal(SIGPIPE, SIG_IGN);
  uv_loop_init(&loop);
  if (path) openJournal(&loop, path);
  static uv_tcp_t server;
  struct sockaddr_in address;
  uv_ip4_addr("127.0.0.1", port, &address);
  uv_tcp_init(&loop, &server);
  int code = uv_tcp_bind(&server, (struct sockaddr *)&address, 0);
  if (code == 0) code = uv_listen((uv_stream_t *)&server, BACKLOG, connected);
  if (code != 0) fail("listen", code);
  int size = sizeof address;
  uv_tcp_getsockname(&server, (struct sockaddr *)&address, &size);
  printf("relay listening on 127.0.0.1:%d\n", ntohs(address.sin_port));
  fflush(stdout);
  return uv_run(&loop, UV_RUN_DEFAULT);
}
