#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

#include "client.h"
#include "runs.h"

struct options options = {.pairs = 1, .window = 1, .seconds = 4, .warmUp = 1, .drain = 5};

static const struct protocol *const protocols[] = {
    &watchlineMessage, &watchlineTransfer, &natsCore,     &jetStream,     &jetStreamEach, &redisPubSub,
    &redisStreams,     &mqttQoS0,          &mqttQoS1,     &relayMessage,  &relayTransfer, &relayFinish};
enum { PROTOCOLS = sizeof protocols / sizeof *protocols };

uint64_t monotonic(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

void fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("client: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  exit(1);
}

static _Noreturn void usage(const char *what, const char *value) {
  fprintf(stderr, "client: %s%s\n", what, value);
  fputs("usage: client PROTOCOL --port N [--pairs N] [--window N] [--rate PER_SECOND]\n"
        "              [--seconds S] [--warm-up S] [--drain S] [--backlog COUNT | --idle]\n"
        "              [--server-process ID] [--tls]\n"
        "protocols:",
        stderr);
  for (int index = 0; index < PROTOCOLS; index++) fprintf(stderr, " %s", protocols[index]->name);
  fputc('\n', stderr);
  exit(2);
}

static double number(const char *text, const char *name, double least, double most) {
  char *end;
  errno = 0;
  double value = strtod(text, &end);
  if (errno || end == text || *end || !(value >= least && value <= most)) usage("a bad ", name);
  return value;
}

static void readOptions(int count, char **arguments) {
  if (count < 2) usage("no protocol given", "");
  for (int index = 0; index < PROTOCOLS; index++)
    if (strcmp(arguments[1], protocols[index]->name) == 0) options.protocol = protocols[index];
  if (!options.protocol) usage("unknown protocol ", arguments[1]);
  for (int index = 2; index < count; index++) {
    const char *name = arguments[index];
    if (strcmp(name, "--tls") == 0) {
      options.isSecure = true;
      continue;
    }
    if (strcmp(name, "--idle") == 0) {
      options.isIdle = true;
      continue;
    }
    if (index + 1 == count) usage("no value for ", name);
    const char *value = arguments[++index];
    if (strcmp(name, "--port") == 0) options.port = (int)number(value, name, 1, 65535);
    else if (strcmp(name, "--pairs") == 0) options.pairs = (int)number(value, name, 1, 1 << 20);
    else if (strcmp(name, "--window") == 0) options.window = (int)number(value, name, 1, 32768);
    else if (strcmp(name, "--rate") == 0) options.rate = number(value, name, 1, 1e8);
    else if (strcmp(name, "--seconds") == 0) options.seconds = number(value, name, 0.01, 1e6);
    else if (strcmp(name, "--warm-up") == 0) options.warmUp = number(value, name, 0, 1e6);
    else if (strcmp(name, "--drain") == 0) options.drain = number(value, name, 0.01, 1e6);
    else if (strcmp(name, "--backlog") == 0) options.backlog = (long)number(value, name, 1, 1e9);
    else if (strcmp(name, "--server-process") == 0)
      options.process = (int)number(value, name, 1, 1 << 30);
    else usage("unknown option ", name);
  }
  if (!options.port) usage("no --port", "");
  if (options.backlog && !options.protocol->isTransfer)
    usage("no backlog with ", options.protocol->name);
}

int main(int count, char **arguments) {
  readOptions(count, arguments);
  // Descriptors for all connections, and a clock that wakes when it is asked to.
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  prctl(PR_SET_TIMERSLACK, 1);
  makePairs();
  if (options.isIdle) runIdle();
  else if (options.backlog) runBacklog();
  else runForTime();
  return 0;
}
