#pragma once
#include <stddef.h>
#include <stdint.h>

// What the server and the commands need of OpenSSL, with its macros behind calls. Nothing here does I/O but the reading
// of files with certificates and keys: records go in and come out as bytes.

/// What connections are accepted or made with. Lives until it is freed, and longer where connections use it.
typedef struct watchline_tls_context watchline_tls_context;
/// One side of one connection.
typedef struct watchline_tls watchline_tls;

/// TLS 1.3 alone (RFC 8446), without tickets, early data and renegotiation; ALPN `watchline/1` where the client
/// names protocols. Files are in PEM, the certificate with its chain. A client may show a certificate where `authorities`
/// is not NULL: one that none of that file's has signed, or that is no client's, ends the handshake.
///
/// Returns NULL where a file cannot be read or the key is another's; then `error` says why.
watchline_tls_context *watchline_tls_context_new(const char *certificate, const char *key,
                                                 const char *authorities, char *error, size_t size);
/// The same for whoever makes connections: it believes certificates that one of a file's has signed, or, where that is
/// NULL, one of the system's. It shows a certificate of its own where `certificate` is not NULL.
watchline_tls_context *watchline_tls_client_context_new(const char *authorities,
                                                        const char *certificate, const char *key,
                                                        char *error, size_t size);
void watchline_tls_context_free(watchline_tls_context *context);

/// The server's side. NULL where there is no memory.
watchline_tls *watchline_tls_accept(watchline_tls_context *context);
/// The client's side; the server's certificate has to be for `host`, which is a name or an address. NULL where there is
/// no memory.
watchline_tls *watchline_tls_connect(watchline_tls_context *context, const char *host);
void watchline_tls_free(watchline_tls *tls);

/// Takes records that the peer has sent. They are used until `watchline_tls_read` returns none or an end, and have to be
/// there until then.
void watchline_tls_feed(watchline_tls *tls, const void *bytes, size_t count);

enum {
  /// The peer has ended its output, and said so.
  watchline_tls_ended = -1,
  /// The connection is of no use any more.
  watchline_tls_failed = -2,
};

/// What the peer has written, decrypted, with the handshake on the way. Returns how many bytes, 0 for none
/// yet, or one of the above.
long watchline_tls_read(watchline_tls *tls, void *bytes, size_t count);

/// Why a call for a connection has failed, to be asked before the next one.
void watchline_tls_explain(const watchline_tls *tls, char *reason, size_t size);

/// Whether the handshake is done.
int watchline_tls_is_ready(const watchline_tls *tls);

/// The names in the certificate that the peer has shown and that is believed, each with a NUL behind it: those of the
/// subject (CN), and its alternative names of the kinds DNS, email and URI. A name with a NUL in it is left out, and so is
/// what does not fit. Returns how many bytes there are.
size_t watchline_tls_peer_names(const watchline_tls *tls, char *names, size_t size);

/// Encrypts bytes, at least one, once the handshake is done. Returns 0 where that fails.
int watchline_tls_write(watchline_tls *tls, const void *bytes, size_t count);

/// Says to the peer that nothing more comes.
void watchline_tls_end(watchline_tls *tls);

/// Records to be sent to the peer: how many bytes there are, and takes them, at least one.
size_t watchline_tls_waiting(const watchline_tls *tls);
void watchline_tls_take(watchline_tls *tls, void *bytes);
