internal import EventLoop
internal import Glibc

/// Why the program ends, and with which status.
package struct Ending: Equatable {
  package let status: Int32
  /// For the standard error; nil where there is nothing to say.
  package let reason: String?
  /// The signal that the process was sent; it ends by it in its turn.
  let signal: Int32?

  package init(_ status: Int32, _ reason: String? = nil) {
    self.status = status
    self.reason = reason
    signal = nil
  }

  init(by signal: Int32) {
    status = 1
    reason = nil
    self.signal = signal
  }
}

/// Runs something on a loop of its own until it ends, and takes the process's leave.
///
/// - Returns: the exit status.
func onLoop(_ body: (EventLoop) throws(UVError) -> Ending) -> Int32 {
  do throws(UVError) {
    let loop = try EventLoop()
    let ending = try body(loop)
    if let reason = ending.reason { complain(reason) }
    if let number = ending.signal {
      // As the one who sent it expects.
      _ = signal(number, SIG_DFL)
      raise(number)
    }
    do throws(UVError) {
      try loop.close()
    } catch {
      // The reader of our output does not read: a thread waits for it for ever, and an ordinary
      // exit would wait for the thread.
      _exit(ending.status)
    }
    return ending.status
  } catch {
    StandardInput.resetTerminal()
    complain("\(error)")
    // A loop that could not be closed must not be released either.
    _exit(1)
  }
}
