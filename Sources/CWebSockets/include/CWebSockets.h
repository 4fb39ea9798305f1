#pragma once
#include <stddef.h>
#include <stdint.h>

// A server of pages and of WebSockets on one port and one thread, by libwebsockets.

struct watchline_pages;

struct watchline_page {
  int status;
  const char *type;
  /// Stays where it is until the next page is asked for.
  const void *bytes;
  size_t length;
};

struct watchline_page_handler {
  void *context;
  /// A page is asked for: its path, what follows `?`, and the headers Host and Authorization; empty where there is none.
  struct watchline_page (*page)(void *context, const char *path, const char *query, const char *host,
                                const char *authorization);
  /// Somebody wants a WebSocket. Returns whether they may.
  int (*may_open)(void *context, const char *query, const char *origin, const char *host);
  void (*opened)(void *context, uint64_t client);
  /// A whole message has come.
  void (*received)(void *context, uint64_t client, const void *bytes, size_t length);
  void (*closed)(void *context, uint64_t client);
  /// So much time has passed as `watchline_pages_serve` was told. Returns whether to go on.
  int (*passed)(void *context);
};

/// Listens at an address; `port` 0 is any that is free.
///
/// Returns NULL where it cannot.
struct watchline_pages *watchline_pages_open(
    const char *address, int port, const struct watchline_page_handler *handler);

/// The port that it listens at.
int watchline_pages_port(const struct watchline_pages *pages);

/// Serves until `passed` returns 0; asks that every so many milliseconds.
void watchline_pages_serve(struct watchline_pages *pages, int milliseconds);

/// Puts a message on its way; has no effect where there is no such client.
void watchline_pages_send(
    struct watchline_pages *pages, uint64_t client, const void *bytes, size_t length);

void watchline_pages_close(struct watchline_pages *pages);
