internal import EventLoop
internal import Proxy
internal import TLS
internal import Usage

/// `watchline proxy`: faults between real sockets.
enum ProxyCommand: Subcommand {
  static let syntax = ProxyOptions.syntax

  static func run(_ arguments: Arguments) throws(UsageError) -> Int32 {
    let options = try ProxyOptions(arguments)
    let tls = try options.tls?.context()
    return onLoop { loop throws(UVError) in
      try ProxySession(options, tls, loop: loop).run()
    }
  }
}
