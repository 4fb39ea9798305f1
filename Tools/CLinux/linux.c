#define _GNU_SOURCE
#include "watchline_linux.h"

#include <errno.h>
#include <linux/magic.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <sys/vfs.h>

enum { most_events = 1024 };

int watchline_set_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

int watchline_set_watch(int set, int is_new, int descriptor, int is_writing, uint64_t token) {
  struct epoll_event event = {
      .events = EPOLLIN | (is_writing ? EPOLLOUT : 0),
      .data = {.u64 = token},
  };
  return epoll_ctl(set, is_new ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, descriptor, &event);
}

int watchline_set_wait(int set, struct watchline_event *events, int capacity, int milliseconds) {
  struct epoll_event found[most_events];
  int count = epoll_wait(set, found, capacity < most_events ? capacity : most_events, milliseconds);
  for (int i = 0; i < count; i++) {
    events[i].token = found[i].data.u64;
    events[i].kinds = (found[i].events & (EPOLLIN | EPOLLERR | EPOLLHUP) ? watchline_readable : 0) |
                      (found[i].events & EPOLLOUT ? watchline_writable : 0);
  }
  return count;
}

int watchline_timer_create(void) {
  return timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
}

int watchline_timer_set(int timer, int64_t nanoseconds) {
  struct itimerspec when = {
      .it_value = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000},
  };
  return timerfd_settime(timer, TFD_TIMER_ABSTIME, &when, 0);
}

/// What this thread might run on before it was bound.
static cpu_set_t free_set;
static int is_bound;

int watchline_pin(int thread, int processor) {
  if (processor < 0 || processor >= CPU_SETSIZE) {
    errno = EINVAL;
    return -1;
  }
  if (thread == 0 && !is_bound) {
    if (sched_getaffinity(0, sizeof free_set, &free_set) != 0) return -1;
    is_bound = 1;
  }
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  return sched_setaffinity(thread, sizeof set, &set);
}

int watchline_unpin(void) {
  return is_bound ? sched_setaffinity(0, sizeof free_set, &free_set) : 0;
}

int watchline_is_in_memory(const char *path) {
  struct statfs system;
  if (statfs(path, &system) != 0) return 0;
  return (uint32_t)system.f_type == TMPFS_MAGIC || (uint32_t)system.f_type == RAMFS_MAGIC;
}
