package import Foundation

/// Opens a blocking connection to a server on this machine; programs that a test starts do not inherit it.
///
/// - Parameters:
///   - host: an address of IPv4 or IPv6.
///   - receiveBuffer: the size of the kernel's buffer, so that it is full soon.
/// - Returns: its descriptor, which is the caller's to close.
/// - Throws: the code of `socket` or `connect`.
package func loopbackConnection(
  host: String = "127.0.0.1", port: Int, receiveBuffer: Int? = nil
) throws(POSIXError) -> Int32 {
  var hints = addrinfo()
  hints.ai_flags = AI_NUMERICHOST
  hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
  var list: UnsafeMutablePointer<addrinfo>?
  guard getaddrinfo(host, "\(port)", &hints, &list) == 0, let address = list?.pointee else {
    throw POSIXError(.EADDRNOTAVAIL)
  }
  defer { freeaddrinfo(list) }
  let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
  let descriptor = socket(address.ai_family, type, 0)
  func set(_ level: Int, _ option: Int32, _ value: Int) {
    var value = Int32(value)
    setsockopt(
      descriptor, Int32(level), option, &value, socklen_t(MemoryLayout<Int32>.size))
  }
  if let receiveBuffer { set(Int(SOL_SOCKET), SO_RCVBUF, receiveBuffer) }
  set(IPPROTO_TCP, TCP_NODELAY, 1)
  guard descriptor >= 0, connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 else {
    let code = errno
    if descriptor >= 0 { close(descriptor) }
    throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO)
  }
  return descriptor
}
