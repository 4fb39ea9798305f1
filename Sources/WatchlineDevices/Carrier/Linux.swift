import Foundation

/// What only Linux has.
extension SocketConnection {
  /// Of `socket`: programs that are started do not inherit it.
  static let closesOnExec = Int32(SOCK_CLOEXEC.rawValue)
  /// Of `send`: a peer that is gone is an error, and no signal.
  static let noSignal = Int32(MSG_NOSIGNAL)
}
