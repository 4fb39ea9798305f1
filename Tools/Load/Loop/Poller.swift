internal import CLinux
internal import Glibc

/// Waits for many sockets and one moment: epoll and a timer descriptor.
///
/// libuv's timers count milliseconds, which is too coarse for an open loop of thousands a second.
final class Poller {
  private static let mostEvents = 1024
  /// The token of the timer; connections have theirs from 0.
  private static let timerToken = UInt64.max

  private let set: Int32
  private let timer: Int32
  private let events: UnsafeMutablePointer<watchline_event>

  init() throws(LoadFailure) {
    set = watchline_set_create()
    timer = watchline_timer_create()
    events = .allocate(capacity: Self.mostEvents)
    guard set >= 0, timer >= 0, watchline_set_watch(set, 1, timer, 0, Self.timerToken) == 0 else {
      throw LoadFailure("epoll: \(String(cString: strerror(errno)))")
    }
  }

  deinit {
    if set >= 0 { close(set) }
    if timer >= 0 { close(timer) }
    events.deallocate()
  }

  /// Hears of input and of room for output, which a socket has when it is open.
  func add(_ descriptor: Int32, token: Int) throws(LoadFailure) {
    try watch(descriptor, token, isNew: true, writing: true)
  }

  /// Hears of input, and of room for output only where that is asked for.
  func change(_ descriptor: Int32, token: Int, writing: Bool) throws(LoadFailure) {
    try watch(descriptor, token, isNew: false, writing: writing)
  }

  private func watch(
    _ descriptor: Int32, _ token: Int, isNew: Bool, writing: Bool
  ) throws(LoadFailure) {
    let (new, output): (Int32, Int32) = (isNew ? 1 : 0, writing ? 1 : 0)
    guard watchline_set_watch(set, new, descriptor, output, UInt64(token)) == 0 else {
      throw LoadFailure("epoll_ctl: \(String(cString: strerror(errno)))")
    }
  }

  /// Has the next wait end at a moment of `Clock`, or at once where that is past.
  func setTimer(_ moment: Int64) { _ = watchline_timer_set(timer, max(1, moment)) }

  /// Waits at most so many milliseconds.
  ///
  /// - Returns: how many events there are; the timer's is none.
  func wait(_ milliseconds: Int32) -> Int {
    let count = Int(watchline_set_wait(set, events, Int32(Self.mostEvents), milliseconds))
    var kept = 0
    for index in 0..<max(0, count) {
      let event = events[index]
      if event.token == Self.timerToken {
        var times: UInt64 = 0
        _ = read(timer, &times, 8)
        continue
      }
      events[kept] = event
      kept += 1
    }
    return kept
  }

  /// An event of the last wait. A broken connection is told by its next read.
  subscript(index: Int) -> (token: Int, isReadable: Bool, isWritable: Bool) {
    let event = events[index]
    return (
      Int(event.token), event.kinds & UInt32(watchline_readable) != 0,
      event.kinds & UInt32(watchline_writable) != 0
    )
  }
}
