// TLS 1.3 on a connection, where the options want it.
#pragma once
#include <sys/types.h>

#include "client.h"

/// Shakes hands on a socket that waits.
void secure(struct connection *);
void unsecure(struct connection *);
/// As read(2) and send(2), with errno EAGAIN where nothing can be done yet.
ssize_t readSecurely(struct connection *, void *bytes, size_t count);
ssize_t writeSecurely(struct connection *, const void *bytes, size_t count);
