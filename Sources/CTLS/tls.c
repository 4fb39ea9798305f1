#include "ctls.h"

#include <limits.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static SSL_CTX *context_of(watchline_tls_context *context) { return (SSL_CTX *)context; }
static SSL *ssl_of(const watchline_tls *tls) { return (SSL *)tls; }

/// The first reason that OpenSSL has noted, which is the one nearest to the cause.
static void tell(char *error, size_t size) {
  unsigned long code = ERR_get_error();
  const char *reason = NULL;
  if (ERR_SYSTEM_ERROR(code)) {
    reason = strerror(ERR_GET_REASON(code));
  } else {
    reason = ERR_reason_error_string(code);
  }
  // OpenSSL's words for it are "no start line", "unsupported" and "no certificate or crl found".
  int library = ERR_GET_LIB(code), number = ERR_GET_REASON(code);
  if ((library == ERR_LIB_PEM && number == PEM_R_NO_START_LINE) ||
      library == ERR_LIB_OSSL_DECODER ||
      (library == ERR_LIB_X509 && number == X509_R_NO_CERTIFICATE_OR_CRL_FOUND))
    reason = "it has nothing of that kind in PEM";
  // And "wrong version number".
  if (library == ERR_LIB_SSL && number == SSL_R_WRONG_VERSION_NUMBER)
    reason = "what has come is no TLS";
  snprintf(error, size, "%s", reason ? reason : "TLS failed");
  ERR_clear_error();
}

/// A key with a password would have the server wait at a terminal.
static int no_password(char *buffer, int size, int writes, void *data) {
  (void)buffer, (void)size, (void)writes, (void)data;
  return -1;
}

static const unsigned char protocol[] = "\x0bwatchline/1";

static int choose_protocol(SSL *ssl, const unsigned char **chosen, unsigned char *length,
                           const unsigned char *offered, unsigned int count, void *data) {
  (void)ssl, (void)data;
  unsigned char *found = NULL;
  if (SSL_select_next_proto(&found, length, protocol, sizeof protocol - 1, offered, count) !=
      OPENSSL_NPN_NEGOTIATED)
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  *chosen = found;
  return SSL_TLSEXT_ERR_OK;
}

/// The same with a file's name in front.
static void tell_of(const char *file, char *error, size_t size) {
  int length = snprintf(error, size, "%s: ", file);
  if (length > 0 && (size_t)length < size) tell(error + length, size - (size_t)length);
}

/// A context of TLS 1.3 alone.
static SSL_CTX *new_context(const SSL_METHOD *method, char *error, size_t size) {
  ERR_clear_error();
  SSL_CTX *context = SSL_CTX_new(method);
  if (!context) {
    tell(error, size);
    return NULL;
  }
  SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  // An idle connection gives its buffers back.
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  return context;
}

/// Returns 0 where a file cannot be read or the key is another's; then `error` says why.
static int use(SSL_CTX *context, const char *certificate, const char *key, char *error,
               size_t size) {
  SSL_CTX_set_default_passwd_cb(context, no_password);
  if (SSL_CTX_use_certificate_chain_file(context, certificate) != 1) {
    tell_of(certificate, error, size);
  } else if (SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) != 1 ||
             SSL_CTX_check_private_key(context) != 1) {
    tell_of(key, error, size);
  } else {
    return 1;
  }
  return 0;
}

/// Returns 0 where the file cannot be read; then `error` says why.
static int ask_for_certificates(SSL_CTX *context, const char *authorities, char *error,
                                size_t size) {
  STACK_OF(X509_NAME) *names = SSL_load_client_CA_file(authorities);
  if (!names || SSL_CTX_load_verify_file(context, authorities) != 1) {
    sk_X509_NAME_pop_free(names, X509_NAME_free);
    tell_of(authorities, error, size);
    return 0;
  }
  SSL_CTX_set_client_CA_list(context, names);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
  return 1;
}

watchline_tls_context *watchline_tls_context_new(const char *certificate, const char *key,
                                                 const char *authorities, char *error,
                                                 size_t size) {
  SSL_CTX *context = new_context(TLS_server_method(), error, size);
  if (!context) return NULL;
  SSL_CTX_set_num_tickets(context, 0);
  // AES with 128 bits costs less than with 256. Who has no instructions for AES puts ChaCha20 first, and gets it.
  SSL_CTX_set_ciphersuites(
      context, "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256");
  SSL_CTX_set_options(context, SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
  SSL_CTX_set_alpn_select_cb(context, choose_protocol, NULL);
  if (use(context, certificate, key, error, size) &&
      (!authorities || ask_for_certificates(context, authorities, error, size)))
    return (watchline_tls_context *)context;
  SSL_CTX_free(context);
  return NULL;
}

watchline_tls_context *watchline_tls_client_context_new(const char *authorities,
                                                        const char *certificate, const char *key,
                                                        char *error, size_t size) {
  SSL_CTX *context = new_context(TLS_client_method(), error, size);
  if (!context) return NULL;
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
  SSL_CTX_set_alpn_protos(context, protocol, sizeof protocol - 1);
  int is_read = authorities ? SSL_CTX_load_verify_file(context, authorities)
                            : SSL_CTX_set_default_verify_paths(context);
  if (is_read != 1) {
    tell_of(authorities ? authorities : "the system's certificates", error, size);
  } else if (!certificate || use(context, certificate, key, error, size)) {
    return (watchline_tls_context *)context;
  }
  SSL_CTX_free(context);
  return NULL;
}

void watchline_tls_context_free(watchline_tls_context *context) {
  SSL_CTX_free(context_of(context));
}

/// The two ends of a connection's records. OpenSSL's own buffers of bytes (BIO_s_mem) clear what they grow by, and copy
/// once more.
struct ends {
  /// What has come and is not read: the caller's memory, for the time of a call.
  const char *in;
  size_t in_count;
  /// What is to be sent.
  char *out;
  size_t out_count, out_room;
};

static struct ends *ends_of(const watchline_tls *tls) {
  return (struct ends *)BIO_get_data(SSL_get_rbio(ssl_of(tls)));
}

static int read_end(BIO *bio, char *bytes, size_t count, size_t *taken) {
  struct ends *ends = (struct ends *)BIO_get_data(bio);
  BIO_clear_retry_flags(bio);
  *taken = count < ends->in_count ? count : ends->in_count;
  if (*taken == 0) {
    // That is not the end: more may come.
    BIO_set_retry_read(bio);
    return 0;
  }
  memcpy(bytes, ends->in, *taken);
  ends->in += *taken;
  ends->in_count -= *taken;
  return 1;
}

static int write_end(BIO *bio, const char *bytes, size_t count, size_t *written) {
  struct ends *ends = (struct ends *)BIO_get_data(bio);
  *written = 0;
  if (count > ends->out_room - ends->out_count) {
    size_t room = 2 * ends->out_room > ends->out_count + count ? 2 * ends->out_room
                                                               : ends->out_count + count;
    char *grown = (char *)realloc(ends->out, room);
    if (!grown) return 0;
    ends->out = grown;
    ends->out_room = room;
  }
  memcpy(ends->out + ends->out_count, bytes, count);
  ends->out_count += count;
  *written = count;
  return 1;
}

static long control_end(BIO *bio, int command, long number, void *pointer) {
  (void)bio, (void)number, (void)pointer;
  return command == BIO_CTRL_FLUSH;
}

static int free_end(BIO *bio) {
  struct ends *ends = (struct ends *)BIO_get_data(bio);
  if (ends) free(ends->out);
  free(ends);
  return 1;
}

static BIO_METHOD *end_method(void) {
  static BIO_METHOD *method;
  if (method) return method;
  BIO_METHOD *made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "watchline");
  if (!made) return NULL;
  BIO_meth_set_read_ex(made, read_end);
  BIO_meth_set_write_ex(made, write_end);
  BIO_meth_set_ctrl(made, control_end);
  BIO_meth_set_destroy(made, free_end);
  return method = made;
}

static SSL *new_side(watchline_tls_context *context) {
  BIO_METHOD *method = end_method();
  SSL *ssl = SSL_new(context_of(context));
  BIO *bio = method ? BIO_new(method) : NULL;
  struct ends *ends = (struct ends *)calloc(1, sizeof *ends);
  if (!ssl || !bio || !ends) {
    SSL_free(ssl);
    BIO_free(bio);
    free(ends);
    ERR_clear_error();
    return NULL;
  }
  BIO_set_data(bio, ends);
  BIO_set_init(bio, 1);
  // One for both directions.
  SSL_set_bio(ssl, bio, bio);
  return ssl;
}

watchline_tls *watchline_tls_accept(watchline_tls_context *context) {
  SSL *ssl = new_side(context);
  if (ssl) SSL_set_accept_state(ssl);
  return (watchline_tls *)ssl;
}

watchline_tls *watchline_tls_connect(watchline_tls_context *context, const char *host) {
  SSL *ssl = new_side(context);
  if (!ssl) return NULL;
  SSL_set_connect_state(ssl);
  // An address is looked for among the certificate's addresses, a name among its names; only a name is told (SNI).
  int is_set = X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) == 1;
  if (!is_set) is_set = SSL_set1_host(ssl, host) == 1 && SSL_set_tlsext_host_name(ssl, host) == 1;
  ERR_clear_error();
  if (is_set) return (watchline_tls *)ssl;
  SSL_free(ssl);
  return NULL;
}

void watchline_tls_free(watchline_tls *tls) { SSL_free(ssl_of(tls)); }

void watchline_tls_feed(watchline_tls *tls, const void *bytes, size_t count) {
  ends_of(tls)->in = (const char *)bytes;
  ends_of(tls)->in_count = count;
}

void watchline_tls_explain(const watchline_tls *tls, char *reason, size_t size) {
  long verdict = SSL_get_verify_result(ssl_of(tls));
  if (verdict == X509_V_OK) return tell(reason, size);
  snprintf(reason, size, "the certificate is not believed: %s",
           X509_verify_cert_error_string(verdict));
  ERR_clear_error();
}

long watchline_tls_read(watchline_tls *tls, void *bytes, size_t count) {
  size_t taken = 0;
  ERR_clear_error();
  int result = SSL_read_ex(ssl_of(tls), bytes, count < LONG_MAX ? count : LONG_MAX, &taken);
  if (result == 1) return (long)taken;
  switch (SSL_get_error(ssl_of(tls), result)) {
  case SSL_ERROR_WANT_READ:
  case SSL_ERROR_WANT_WRITE:
    return 0;
  case SSL_ERROR_ZERO_RETURN:
    return watchline_tls_ended;
  default:
    return watchline_tls_failed;
  }
}

int watchline_tls_is_ready(const watchline_tls *tls) { return SSL_is_init_finished(ssl_of(tls)); }

/// Adds a name, and returns how many bytes there are then.
static size_t add_name(char *names, size_t used, size_t size, const unsigned char *name,
                       int length) {
  if (length <= 0 || memchr(name, 0, (size_t)length) || (size_t)length >= size - used) return used;
  memcpy(names + used, name, (size_t)length);
  names[used + (size_t)length] = 0;
  return used + (size_t)length + 1;
}

size_t watchline_tls_peer_names(const watchline_tls *tls, char *names, size_t size) {
  X509 *certificate = SSL_get0_peer_certificate(ssl_of(tls));
  if (!certificate || SSL_get_verify_result(ssl_of(tls)) != X509_V_OK) return 0;
  size_t used = 0;
  X509_NAME *subject = X509_get_subject_name(certificate);
  int place = -1;
  while ((place = X509_NAME_get_index_by_NID(subject, NID_commonName, place)) >= 0) {
    unsigned char *text = NULL;
    ASN1_STRING *entry = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, place));
    int length = ASN1_STRING_to_UTF8(&text, entry);
    used = add_name(names, used, size, text, length);
    OPENSSL_free(text);
  }
  GENERAL_NAMES *others = X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
  for (int index = 0; index < sk_GENERAL_NAME_num(others); index++) {
    int kind = 0;
    ASN1_STRING *value = GENERAL_NAME_get0_value(sk_GENERAL_NAME_value(others, index), &kind);
    if (kind == GEN_DNS || kind == GEN_EMAIL || kind == GEN_URI)
      used = add_name(names, used, size, ASN1_STRING_get0_data(value), ASN1_STRING_length(value));
  }
  GENERAL_NAMES_free(others);
  ERR_clear_error();
  return used;
}

int watchline_tls_write(watchline_tls *tls, const void *bytes, size_t count) {
  size_t written = 0;
  ERR_clear_error();
  int result = SSL_write_ex(ssl_of(tls), bytes, count, &written);
  ERR_clear_error();
  return result == 1 && written == count;
}

void watchline_tls_end(watchline_tls *tls) {
  SSL_shutdown(ssl_of(tls));
  ERR_clear_error();
}

size_t watchline_tls_waiting(const watchline_tls *tls) { return ends_of(tls)->out_count; }

void watchline_tls_take(watchline_tls *tls, void *bytes) {
  struct ends *ends = ends_of(tls);
  memcpy(bytes, ends->out, ends->out_count);
  ends->out_count = 0;
  // An idle connection holds no memory for it.
  free(ends->out);
  ends->out = NULL;
  ends->out_room = 0;
}
