// The disk alone: appends a block and syncs it, over and over, for some seconds. Prints one JSON
// object.
//
//   disk FILE BYTES SECONDS
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int ascending(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

int main(int count, char **arguments) {
  size_t size = count == 4 ? strtoul(arguments[2], NULL, 10) : 0;
  double seconds = count == 4 ? atof(arguments[3]) : 0;
  if (size == 0 || seconds <= 0) {
    fputs("disk: usage: disk FILE BYTES SECONDS\n", stderr);
    return 2;
  }
  int file = open(arguments[1], O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
  char *block = malloc(size);
  enum { MOST = 1 << 20 };
  double *times = malloc(MOST * sizeof *times);
  if (file < 0 || !block || !times) {
    fprintf(stderr, "disk: %s: %s\n", arguments[1], strerror(errno));
    return 1;
  }
  memset(block, 'x', size);
  int done = 0;
  double begin = now(), last = begin;
  while (last - begin < seconds && done < MOST) {
    if (write(file, block, size) != (ssize_t)size || fdatasync(file) != 0) {
      fprintf(stderr, "disk: %s: %s\n", arguments[1], strerror(errno));
      return 1;
    }
    double time = now();
    times[done++] = time - last;
    last = time;
  }
  qsort(times, (size_t)done, sizeof *times, ascending);
  printf("{\"bytes\":%zu,\"syncsPerSecond\":%.1f,\"p50Milliseconds\":%.4f,\"p99Milliseconds\":%.4f}\n",
         size, done / (last - begin), times[done / 2] * 1e3, times[done * 99 / 100] * 1e3);
  return 0;
}
