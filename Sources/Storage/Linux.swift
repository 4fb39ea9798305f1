import Glibc

// What only Linux has.

/// A descriptor that holds a file and can neither be read nor written (`O_PATH`, which is not imported:
/// <https://man7.org/linux/man-pages/man2/open.2.html>).
///
/// - Returns: less than 0 where it cannot be had; `errno` says why.
func openToLookAt(_ path: String) -> Int32 { open(path, 0o10_000_000 | O_CLOEXEC) }

/// For `top -H` and debuggers. `pthread_setname_np` is not in Swift's Glibc.
func nameThread(_ name: String) {
  let descriptor = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return }
  write(descriptor, name, name.utf8.count)
  close(descriptor)
}

/// Has conditions wait by the clock that nobody sets.
///
/// - Returns: an error's number, or 0.
func waitByMonotonicClock(_ attributes: inout pthread_condattr_t) -> Int32 {
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
}
