// A load generator with one thread and epoll, which speaks the protocols of several servers with the
// same care for each: encoded by hand, many messages a write, buffers that are used again.
//
//   phone of pair p ──► server ──► watch of pair p        2 connections a pair
//
// Each phone keeps `window` messages in flight (closed loop), or all of them together send `rate`
// messages a second at set times (open loop).
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"

enum role { PHONE, WATCH };

struct connection {
  int descriptor;  // -1 when it is not open
  int pair;
  enum role role;
  bool isReady;         // its handshake is over
  bool isTouched;       // it is on the list of those to be flushed at the end of the turn
  bool awaitsWritable;  // the kernel's buffer is full
  struct bytes output;
  size_t written;     // bytes of `output` that the kernel has
  struct bytes rest;  // an unfinished line or frame, until its other half comes
  // The protocol's own.
  struct bytes identifiers;
  uint64_t number;
  int state;
  int expected, headers;
  void *tls;  // null where lines are sent as they are
};

/// What a server is spoken to with.
struct protocol {
  const char *name;
  /// Whether the server sends a line of its own before it speaks TLS.
  bool greetsFirst;
  /// Whether a message is done when the sender has been told that it is stored and the receiver has
  /// acknowledged it; else when it has arrived.
  bool isTransfer;
  /// The connection is open: appends the handshake.
  void (*opened)(struct connection *);
  /// Bytes came in. Returns how many were used; the rest comes again with what follows it.
  size_t (*received)(struct connection *, const char *bytes, size_t count);
  /// Appends one message of PAYLOAD bytes to the phone's output.
  void (*send)(struct connection *, const char *payload);
  /// All that a turn brought has been received: appends acknowledgements. Whatever makes room to send
  /// was told before, in `received`. May be null.
  void (*turnEnded)(struct connection *);
};

extern const struct protocol watchlineMessage, watchlineTransfer, natsCore, jetStream, jetStreamEach,
    redisPubSub, redisStreams, mqttQoS0, mqttQoS1, relayMessage, relayTransfer, relayFinish;

struct options {
  const struct protocol *protocol;
  int port, pairs, window;
  double rate;        // messages a second over all pairs; 0 for a closed loop
  double seconds, warmUp;
  double drain;       // seconds of silence after which what has not come is lost
  long backlog;       // transfers over all pairs to fill and drain; 0 for a run by time
  bool isIdle;        // connections that do nothing
  bool isSecure;      // TLS 1.3
  int process;        // the server's, for its CPU and memory; 0 for unknown
};
extern struct options options;

// connection.c
/// Opens the connections of a role, or of both (-1), and returns when all are ready.
void openConnections(int role);
void closeConnections(int role);
struct connection *connectionOf(int pair, enum role role);
/// Has the connection's output flushed at the end of the turn, after the protocol's `turnEnded`.
void touch(struct connection *);
/// Turns the loop until `isDone` says so or until `deadline`, in nanoseconds. Returns `isDone()`.
bool runLoop(uint64_t deadline, bool (*isDone)(void));

// load.c
void makePairs(void);
void beginLoad(uint64_t now);
void stopLoad(void);
/// Sends what windows or the schedule have room for. Returns when to be called again, in nanoseconds.
uint64_t feed(uint64_t now);
void delivered(struct connection *, const char *payload, uint64_t now);
void accepted(struct connection *, uint64_t count);
void finished(struct connection *, uint64_t count);
bool isDrained(void);
bool isFilled(void);
struct counts {
  uint64_t sent, delivered, done, lost, duplicated, reordered, foreign;
};
struct counts counts(void);
void measureFrom(uint64_t begin, uint64_t end);

// main.c
/// Nanoseconds of a clock that never goes back.
uint64_t monotonic(void);
/// One sentence on standard error, and exit 1.
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
