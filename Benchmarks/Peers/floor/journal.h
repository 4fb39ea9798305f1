// One file, to which a thread of its own appends: while it syncs, the next batch collects.
#pragma once
#include <stddef.h>
#include <uv.h>

struct client;

void openJournal(uv_loop_t *loop, const char *path);
/// Copies the bytes; `synced` is called on the loop's thread when they are on the disk, once for
/// chunks that follow one another.
void appendToJournal(struct client *client, const char *bytes, size_t count);
