// A connection of the relay.
#pragma once
#include <stdbool.h>
#include <uv.h>

struct client {
  uv_tcp_t stream;
  int pair;
  bool isKnown, isPhone;
  size_t synced;      // bytes of a phone that are on the disk
  char *rest;         // the beginning of a line whose end has not come
  size_t restCount;
};

/// At once where the kernel takes it, else in order as soon as it does.
void writeTo(struct client *client, const char *bytes, size_t count);
/// Lines that were given to `appendToJournal` are on the disk.
void synced(struct client *client, const char *lines, size_t count);
