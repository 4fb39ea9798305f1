internal import EventLoop
internal import TLS
internal import Usage

/// `watchline connect`: a conversation with a server, by hand or from a script.
enum Connect: Subcommand {
  static let syntax = ConnectOptions.syntax

  static func run(_ arguments: Arguments) throws(UsageError) -> Int32 {
    let options = try ConnectOptions(arguments)
    let tls = try options.tls?.context()
    for warning in options.warnings { complain(warning) }
    return onLoop { loop throws(UVError) in
      try Conversation(options, tls, loop: loop, style: style(options)).run()
    }
  }

  private static func style(_ options: ConnectOptions) -> Console.Style {
    if options.isRaw || options.only != nil || !StandardInput.isTerminal(1) { return .raw }
    return isTypedAt ? .edited : .plain
  }
}
