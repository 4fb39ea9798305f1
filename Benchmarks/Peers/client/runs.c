#include "runs.h"

#include <stdio.h>

#include "client.h"
#include "load.h"
#include "process.h"

static const uint64_t second = 1000000000;
static const double milli = 1e6;

struct moment {
  uint64_t time;
  struct counts counts;
  double server, own;  // CPU seconds
};

static struct moment moment(void) {
  return (struct moment){.time = monotonic(),
                         .counts = counts(),
                         .server = options.process ? processorSeconds(options.process) : 0,
                         .own = ownProcessorSeconds()};
}

static double secondsBetween(struct moment from, struct moment to) {
  return (double)(to.time - from.time) / (double)second;
}

/// CPU seconds of the server per million messages.
static double perMillion(struct moment from, struct moment to) {
  uint64_t done = to.counts.done - from.counts.done;
  return done ? (to.server - from.server) / (double)done * 1e6 : 0;
}

static void printCheck(void) {
  struct counts now = counts();
  printf("\"sent\":%lu,\"lost\":%lu,\"duplicated\":%lu,\"reordered\":%lu,\"foreign\":%lu", now.sent,
         now.lost, now.duplicated, now.reordered, now.foreign);
}

/// Waits for what is under way, until nothing has come for `drain` seconds.
static void drain(void) {
  uint64_t before;
  do {
    before = counts().delivered;
    if (runLoop(monotonic() + (uint64_t)(options.drain * (double)second), isDrained)) return;
  } while (counts().delivered > before);
}

void runForTime(void) {
  openConnections(-1);
  beginLoad(monotonic());
  uint64_t begin = monotonic() + (uint64_t)(options.warmUp * (double)second);
  uint64_t end = begin + (uint64_t)(options.seconds * (double)second);
  measureFrom(begin, end);
  runLoop(begin, NULL);
  struct moment from = moment();
  runLoop(end, NULL);
  struct moment to = moment();
  stopLoad();
  drain();
  uint64_t resident = options.process ? residentBytes(options.process) : 0;

  double seconds = secondsBetween(from, to);
  printf("{\"messagesPerSecond\":%.1f,", (double)(to.counts.done - from.counts.done) / seconds);
  printf("\"serverCPUSecondsPerMillion\":%.4f,", perMillion(from, to));
  printf("\"serverCPUPercent\":%.1f,", 100 * (to.server - from.server) / seconds);
  printf("\"clientCPUPercent\":%.1f,", 100 * (to.own - from.own) / seconds);
  printf("\"serverResidentBytes\":%lu,\"seconds\":%.3f,", resident, seconds);
  printf("\"latencyMilliseconds\":{\"p50\":%.4f,\"p99\":%.4f,\"p999\":%.4f,\"max\":%.4f},",
         (double)percentile(&latency, 0.5) / milli, (double)percentile(&latency, 0.99) / milli,
         (double)percentile(&latency, 0.999) / milli, (double)latency.largest / milli);
  printCheck();
  puts("}");
}

void runBacklog(void) {
  // Both sides have been there once, so that the pairs, groups and consumers exist.
  openConnections(-1);
  closeConnections(WATCH);
  // Until the server has noticed: what it hands to a connection that is gone, some send again late.
  runLoop(monotonic() + second / 2, NULL);
  struct moment empty = moment();
  beginLoad(monotonic());
  if (!runLoop(monotonic() + 600 * second, isFilled)) fail("not filled in ten minutes");
  struct moment full = moment();
  stopLoad();
  uint64_t resident = options.process ? residentBytes(options.process) : 0;
  openConnections(WATCH);
  if (!runLoop(monotonic() + 600 * second, isDrained)) fail("not drained in ten minutes");
  struct moment drained = moment();

  double count = (double)drained.counts.done, million = count / 1e6;
  printf("{\"fillPerSecond\":%.1f,", count / secondsBetween(empty, full));
  printf("\"drainPerSecond\":%.1f,", count / secondsBetween(full, drained));
  printf("\"fillCPUSecondsPerMillion\":%.4f,", (full.server - empty.server) / million);
  printf("\"drainCPUSecondsPerMillion\":%.4f,", (drained.server - full.server) / million);
  printf("\"serverResidentBytes\":%lu,", resident);
  printf("\"clientCPUPercent\":%.1f,",
         100 * (drained.own - empty.own) / secondsBetween(empty, drained));
  printCheck();
  puts("}");
}

void runIdle(void) {
  if (!options.process) fail("--idle needs --server-process");
  uint64_t before = residentBytes(options.process);
  openConnections(-1);
  runLoop(monotonic() + (uint64_t)(options.seconds * (double)second), NULL);
  uint64_t after = residentBytes(options.process);
  int connections = 2 * options.pairs;
  printf("{\"connections\":%d,\"bytesPerConnection\":%.1f,\"serverResidentBytes\":%lu}\n", connections,
         ((double)after - (double)before) / connections, after);
}
