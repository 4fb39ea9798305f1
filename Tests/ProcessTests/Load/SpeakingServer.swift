import Foundation

/// Says the same to everyone who connects, reads on, and answers nothing else.
final class SpeakingServer: Sendable {
  let port: Int
  private let listener: Int32

  init(_ text: String) throws {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = listener
    let isListening = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 && listen(descriptor, 64) == 0
          && getsockname(descriptor, $0, &size) == 0
      }
    }
    guard isListening else { throw Failure("a listener: errno \(errno)") }
    port = Int(UInt16(bigEndian: address.sin_port))
    Thread.detachNewThread {
      let bytes = Array(text.utf8)
      // They stay open until the test's process ends.
      while true {
        let accepted = accept(descriptor, nil, nil)
        guard accepted >= 0 else { break }
        _ = send(accepted, bytes, bytes.count, Int32(MSG_NOSIGNAL))
      }
      close(descriptor)
    }
  }

  /// Ends the thread.
  func stop() { shutdown(listener, Int32(SHUT_RDWR)) }
}
