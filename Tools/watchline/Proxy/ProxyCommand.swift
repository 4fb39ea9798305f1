internal import EventLoop
internal import Proxy

/// `watchline proxy`: faults between real sockets.
enum ProxyCommand: Subcommand {
  static let syntax = ProxyOptions.syntax

  static func run(_ arguments: Arguments) throws(UsageError) -> Int32 {
    let options = try ProxyOptions(arguments)
    return onLoop { loop throws(UVError) in
      try ProxySession(options, loop: loop).run()
    }
  }
}
