#include "CWebSockets.h"

#include <libwebsockets.h>
#include <stdlib.h>
#include <string.h>

// Longest message that a page may send, in bytes.
static const size_t longest_message = 1 << 20;

struct message {
  struct message *next;
  size_t length;
  unsigned char bytes[];  // LWS_PRE bytes of room, then the message.
};

// A connection; of a page until it is upgraded.
struct client {
  struct client *next;
  struct lws *wsi;
  uint64_t id;
  struct message *first, *last;
  char *received;
  size_t received_length;
  char *page;  // A copy, while it is being sent.
  size_t length, written;
};

struct watchline_pages {
  struct watchline_page_handler handler;
  struct lws_context *context;
  struct client *clients;
  uint64_t last_id;
  lws_sorted_usec_list_t timer;
  int interval;
  int has_ended;
};

static void header(struct lws *wsi, enum lws_token_indexes token, char *text, int capacity) {
  text[0] = 0;
  if (lws_hdr_copy(wsi, text, capacity, token) < 0) text[0] = 0;
}

// What follows `?`, with `&` between its members, which libwebsockets keeps apart and puts together without.
static void arguments(struct lws *wsi, char *text, size_t capacity) {
  size_t length = 0;
  text[0] = 0;
  for (int member = 0;; member++) {
    size_t start = length + (length > 0);
    if (start >= capacity) return;
    int count = lws_hdr_copy_fragment(wsi, text + start, (int)(capacity - start),
                                      WSI_TOKEN_HTTP_URI_ARGS, member);
    if (count <= 0) {
      text[length] = 0;
      return;
    }
    if (length > 0) text[length] = '&';
    length = start + (size_t)count;
  }
}

static void forget_page(struct client *client) {
  free(client->page);
  client->page = NULL;
}

static int begin_page(struct watchline_pages *pages, struct lws *wsi, struct client *client,
                      const char *path) {
  char query[512], host[256], authorization[256];
  arguments(wsi, query, sizeof query);
  header(wsi, WSI_TOKEN_HOST, host, sizeof host);
  header(wsi, WSI_TOKEN_HTTP_AUTHORIZATION, authorization, sizeof authorization);
  struct watchline_page page =
      pages->handler.page(pages->handler.context, path, query, host, authorization);
  forget_page(client);
  client->page = malloc(page.length + 1);
  if (!client->page) return 1;
  memcpy(client->page, page.bytes, page.length);
  client->length = page.length;
  client->written = 0;
  unsigned char room[LWS_PRE + 2048], *start = room + LWS_PRE, *at = start;
  unsigned char *end = room + sizeof room;
  static const char *const fields[][2] = {
      {"content-security-policy:",
       "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"},
      {"x-content-type-options:", "nosniff"},
      {"referrer-policy:", "no-referrer"},
      {"cache-control:", "no-store"},
  };
  if (lws_add_http_common_headers(wsi, page.status, page.type, page.length, &at, end))
    return 1;
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    if (lws_add_http_header_by_name(wsi, (const unsigned char *)fields[i][0],
                                    (const unsigned char *)fields[i][1],
                                    (int)strlen(fields[i][1]), &at, end))
      return 1;
  if (lws_finalize_write_http_header(wsi, start, &at, end)) return 1;
  lws_callback_on_writable(wsi);
  return 0;
}

static int write_page(struct lws *wsi, struct client *client) {
  unsigned char room[LWS_PRE + 8192];
  size_t left = client->length - client->written;
  size_t count = left < 8192 ? left : 8192;
  memcpy(room + LWS_PRE, client->page + client->written, count);
  client->written += count;
  int is_last = client->written == client->length;
  if (lws_write(wsi, room + LWS_PRE, count, is_last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) <
      (int)count)
    return -1;
  if (is_last) {
    forget_page(client);
    return lws_http_transaction_completed(wsi) ? -1 : 0;
  }
  lws_callback_on_writable(wsi);
  return 0;
}

static int take(struct watchline_pages *pages, struct lws *wsi, struct client *client,
                const void *bytes, size_t length) {
  if (client->received_length + length > longest_message) {
    lws_close_reason(wsi, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, NULL, 0);
    return -1;
  }
  char *grown = realloc(client->received, client->received_length + length + 1);
  if (!grown) return -1;
  memcpy(grown + client->received_length, bytes, length);
  client->received = grown;
  client->received_length += length;
  if (lws_remaining_packet_payload(wsi) || !lws_is_final_fragment(wsi)) return 0;
  pages->handler.received(pages->handler.context, client->id, client->received,
                          client->received_length);
  client->received_length = 0;
  return 0;
}

static int write_message(struct lws *wsi, struct client *client) {
  struct message *message = client->first;
  if (!message) return 0;
  client->first = message->next;
  if (!client->first) client->last = NULL;
  int written = lws_write(wsi, message->bytes + LWS_PRE, message->length, LWS_WRITE_TEXT);
  int failed = written < (int)message->length;
  free(message);
  if (failed) return -1;
  if (client->first) lws_callback_on_writable(wsi);
  return 0;
}

static void leave(struct watchline_pages *pages, struct client *client) {
  struct client **at = &pages->clients;
  while (*at && *at != client) at = &(*at)->next;
  if (!*at) return;
  *at = client->next;
  while (client->first) {
    struct message *next = client->first->next;
    free(client->first);
    client->first = next;
  }
  free(client->received);
  pages->handler.closed(pages->handler.context, client->id);
}

static int handle(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                  size_t length) {
  struct watchline_pages *pages = lws_context_user(lws_get_context(wsi));
  struct client *client = user;
  switch (reason) {
    case LWS_CALLBACK_HTTP:
      return begin_page(pages, wsi, client, in);
    case LWS_CALLBACK_HTTP_WRITEABLE:
      return write_page(wsi, client);
    case LWS_CALLBACK_CLOSED_HTTP:
      if (client) forget_page(client);
      return 0;
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION: {
      char query[512], origin[256], host[256];
      arguments(wsi, query, sizeof query);
      header(wsi, WSI_TOKEN_ORIGIN, origin, sizeof origin);
      header(wsi, WSI_TOKEN_HOST, host, sizeof host);
      return !pages->handler.may_open(pages->handler.context, query, origin, host);
    }
    case LWS_CALLBACK_ESTABLISHED:
      memset(client, 0, sizeof *client);
      client->wsi = wsi;
      client->id = ++pages->last_id;
      client->next = pages->clients;
      pages->clients = client;
      pages->handler.opened(pages->handler.context, client->id);
      return 0;
    case LWS_CALLBACK_RECEIVE:
      return take(pages, wsi, client, in, length);
    case LWS_CALLBACK_SERVER_WRITEABLE:
      return write_message(wsi, client);
    case LWS_CALLBACK_CLOSED:
      leave(pages, client);
      return 0;
    default:
      return lws_callback_http_dummy(wsi, reason, user, in, length);
  }
}

static void passed(lws_sorted_usec_list_t *timer) {
  struct watchline_pages *pages = lws_container_of(timer, struct watchline_pages, timer);
  if (!pages->handler.passed(pages->handler.context)) {
    pages->has_ended = 1;
    lws_cancel_service(pages->context);
    return;
  }
  lws_sul_schedule(pages->context, 0, timer, passed, (lws_usec_t)pages->interval * 1000);
}

static const struct lws_protocols protocols[] = {
    {"watchline-studio", handle, sizeof(struct client), 4096, 0, NULL, 0},
    {NULL, NULL, 0, 0, 0, NULL, 0},
};

struct watchline_pages *watchline_pages_open(const char *address, int port,
                                             const struct watchline_page_handler *handler) {
  struct watchline_pages *pages = calloc(1, sizeof *pages);
  if (!pages) return NULL;
  pages->handler = *handler;
  struct lws_context_creation_info info;
  memset(&info, 0, sizeof info);
  lws_set_log_level(0, NULL);
  info.port = port;
  info.iface = address;
  info.protocols = protocols;
  info.user = pages;
  info.gid = -1;
  info.uid = -1;
  info.options = LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND | LWS_SERVER_OPTION_DISABLE_IPV6;
  pages->context = lws_create_context(&info);
  if (!pages->context) {
    free(pages);
    return NULL;
  }
  return pages;
}

int watchline_pages_port(const struct watchline_pages *pages) {
  struct lws_vhost *host = lws_get_vhost_by_name(pages->context, "default");
  return host ? lws_get_vhost_listen_port(host) : 0;
}

void watchline_pages_serve(struct watchline_pages *pages, int milliseconds) {
  pages->interval = milliseconds;
  lws_sul_schedule(pages->context, 0, &pages->timer, passed, (lws_usec_t)milliseconds * 1000);
  while (!pages->has_ended && lws_service(pages->context, 0) >= 0) {
  }
}

void watchline_pages_send(struct watchline_pages *pages, uint64_t id, const void *bytes,
                          size_t length) {
  struct client *client = pages->clients;
  while (client && client->id != id) client = client->next;
  if (!client) return;
  struct message *message = malloc(sizeof *message + LWS_PRE + length);
  if (!message) return;
  message->next = NULL;
  message->length = length;
  memcpy(message->bytes + LWS_PRE, bytes, length);
  if (client->last)
    client->last->next = message;
  else
    client->first = message;
  client->last = message;
  lws_callback_on_writable(client->wsi);
}

void watchline_pages_close(struct watchline_pages *pages) {
  lws_sul_schedule(pages->context, 0, &pages->timer, NULL, LWS_SET_TIMER_USEC_CANCEL);
  lws_context_destroy(pages->context);
  free(pages);
}
