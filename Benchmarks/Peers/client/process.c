#include "process.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "client.h"

static void readProc(int process, const char *name, char *text, size_t size) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/%s", process, name);
  FILE *file = fopen(path, "r");
  if (!file) fail("the server (process %d) has ended", process);
  text[fread(text, 1, size - 1, file)] = 0;
  fclose(file);
}

double processorSeconds(int process) {
  char text[1024];
  readProc(process, "stat", text, sizeof text);
  // Its name, in parentheses, may hold blanks; the 12th and 13th field behind it count.
  const char *behind = strrchr(text, ')');
  unsigned long user = 0, system = 0;
  if (!behind ||
      sscanf(behind + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system) != 2)
    fail("/proc/%d/stat is in no form that is known", process);
  return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

uint64_t residentBytes(int process) {
  char text[256];
  unsigned long pages = 0;
  readProc(process, "statm", text, sizeof text);
  if (sscanf(text, "%*u %lu", &pages) != 1)
    fail("/proc/%d/statm is in no form that is known", process);
  return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

double ownProcessorSeconds(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}
