#include "secure.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <unistd.h>

/// nats-server says who it is before it speaks TLS.
static void skipGreeting(int descriptor) {
  char byte = 0;
  while (byte != '\n')
    if (read(descriptor, &byte, 1) != 1) fail("the server closed the connection before TLS");
}

void secure(struct connection *connection) {
  static SSL_CTX *context;
  if (!context) {
    context = SSL_CTX_new(TLS_client_method());
    if (!context) fail("no memory for TLS");
    SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
    // What is measured is the server, whose certificate was made for the run.
    SSL_CTX_set_verify(context, SSL_VERIFY_NONE, NULL);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                  SSL_MODE_RELEASE_BUFFERS);
  }
  if (options.protocol->greetsFirst) skipGreeting(connection->descriptor);
  SSL *tls = SSL_new(context);
  if (!tls || SSL_set_fd(tls, connection->descriptor) != 1 || SSL_connect(tls) != 1)
    fail("TLS with the server: %s", ERR_reason_error_string(ERR_get_error()));
  connection->tls = tls;
}

void unsecure(struct connection *connection) {
  SSL_free(connection->tls);
  connection->tls = NULL;
}

static ssize_t outcome(SSL *tls, int result, size_t count) {
  if (result == 1) return (ssize_t)count;
  switch (SSL_get_error(tls, result)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE: errno = EAGAIN; return -1;
    case SSL_ERROR_ZERO_RETURN: return 0;
    default: errno = EPROTO; return -1;
  }
}

ssize_t readSecurely(struct connection *connection, void *bytes, size_t count) {
  // A record is read at a time, and none may stay behind: the socket does not tell of it.
  size_t taken = 0;
  while (taken < count) {
    size_t part = 0;
    int result = SSL_read_ex(connection->tls, (char *)bytes + taken, count - taken, &part);
    if (result != 1) return taken > 0 ? (ssize_t)taken : outcome(connection->tls, result, 0);
    taken += part;
  }
  return (ssize_t)taken;
}

ssize_t writeSecurely(struct connection *connection, const void *bytes, size_t count) {
  size_t written = 0;
  int result = SSL_write_ex(connection->tls, bytes, count, &written);
  return outcome(connection->tls, result, written);
}
