internal import EventLoop
internal import Glibc

/// `watchline connect`: a conversation with a server, by hand or from a script.
enum Connect: Subcommand {
  static let syntax = ConnectOptions.syntax

  static func run(_ arguments: Arguments) throws(UsageError) -> Int32 {
    let options = try ConnectOptions(arguments)
    do throws(UVError) {
      let loop = try EventLoop()
      let conversation = try Conversation(options, loop: loop, style: style(options))
      let ending = try conversation.run()
      if let reason = ending.reason { complain(reason) }
      if let signal = conversation.signal { raiseAgain(signal) }
      do throws(UVError) {
        try loop.close()
      } catch {
        // Time is up, and the reader of our output does not read: a thread waits for it for ever,
        // and an ordinary exit would wait for the thread.
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

  private static func style(_ options: ConnectOptions) -> Console.Style {
    if options.isRaw || !StandardInput.isTerminal(1) { return .raw }
    let isDumb = environment("TERM").map { $0 == "dumb" } ?? true
    return StandardInput.isTerminal(0) && !isDumb ? .edited : .plain
  }

  /// A variable of the environment; nil where it is not set or empty.
  static func environment(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }

  /// Ends the process by the signal that it was sent, as the one who sent it expects.
  private static func raiseAgain(_ number: Int32) {
    _ = Glibc.signal(number, SIG_DFL)
    raise(number)
  }
}
