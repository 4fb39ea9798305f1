#pragma once
#include <uv.h>

#include <errno.h>
#include <linux/sockios.h>
#include <malloc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <wchar.h>

// What libuv has no call for. Each returns 0 (or a count) or a negative UV_ code, as libuv does.

/// Bytes that were written to the socket and that the peer's kernel has not acknowledged.
static inline int watchline_unacknowledged_bytes(const uv_tcp_t *handle) {
  uv_os_fd_t descriptor;
  int code = uv_fileno((const uv_handle_t *)handle, &descriptor);
  if (code != 0) return code;
  int count = 0;
  if (ioctl(descriptor, SIOCOUTQ, &count) != 0) return uv_translate_sys_error(errno);
  return count;
}

/// How long written bytes may stay unacknowledged before the kernel ends the connection; 0 is the
/// system's default.
static inline int watchline_set_user_timeout(const uv_tcp_t *handle, unsigned int milliseconds) {
  uv_os_fd_t descriptor;
  int code = uv_fileno((const uv_handle_t *)handle, &descriptor);
  if (code != 0) return code;
  if (setsockopt(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds) != 0)
    return uv_translate_sys_error(errno);
  return 0;
}

/// The error that the socket has had and no call has told yet; 0 for none.
static inline int watchline_take_socket_error(const uv_tcp_t *handle) {
  uv_os_fd_t descriptor;
  int code = uv_fileno((const uv_handle_t *)handle, &descriptor);
  if (code != 0) return code;
  int error = 0;
  socklen_t size = sizeof error;
  if (getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  return error == 0 ? 0 : uv_translate_sys_error(error);
}

/// Has the loop count how long it waits (`uv_metrics_idle_time`). Variadic functions cannot be called from Swift.
static inline int watchline_count_idle_time(uv_loop_t *loop) {
  return uv_loop_configure(loop, UV_METRICS_IDLE_TIME);
}

/// Declared by <wchar.h> only with _XOPEN_SOURCE, which must not depend on who includes it first.
extern int wcwidth(wchar_t character);
