package import Foundation

/// A listening socket of the loopback, for servers that tests make up.
package struct LoopbackListener: Sendable {
  package let descriptor: Int32
  package let port: Int

  /// - Parameter port: 0 for a free one.
  package init(port: Int = 0) throws(POSIXError) {
    // Programs that other tests start must not inherit it, or closing it would not be an end.
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, size) == 0 && listen(listener, 64) == 0
          && getsockname(listener, $0, &size) == 0
      }
    }
    guard isListening else {
      defer { close(listener) }
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
    descriptor = listener
    self.port = Int(UInt16(bigEndian: address.sin_port))
  }

  /// The next connection's descriptor; nil when `stop` was called, and then it is closed.
  package func accepted() -> Int32? {
    let connection = accept(descriptor, nil, nil)
    guard connection >= 0 else {
      close(descriptor)
      return nil
    }
    _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
    return connection
  }

  /// Ends the waiting for connections.
  package func stop() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}
