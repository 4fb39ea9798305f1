internal import CUV
internal import Glibc

/// An IPv4 or IPv6 address and a port.
struct SocketAddress: CustomStringConvertible {
  private(set) var storage = sockaddr_storage()

  /// The address that `read`, one of libuv's name functions, fills in.
  init(
    _ function: StaticString,
    _ read: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<Int32>) -> Int32
  ) throws(UVError) {
    var size = Int32(MemoryLayout<sockaddr_storage>.size)
    try check(withMutablePointer { read($0, &size) }, function)
  }

  /// A literal address, or a name that is looked up in the calling thread, which may take seconds
  /// unless it is in the hosts file.
  ///
  /// Of a name's addresses the first IPv4 one is taken, else the first: `localhost` is then the
  /// same for those who listen and those who connect.
  /// - Throws: `EINVAL` for a port outside 0...65,535; the codes of `uv_getaddrinfo`, such as
  ///   `EAI_NONAME`.
  init(host: String, port: Int, loop: EventLoop) throws(UVError) {
    guard (0...65_535).contains(port) else {
      throw UVError(code: UV_EINVAL.rawValue, function: "port")
    }
    if parse(host: host, port: port) { return }

    var request = uv_getaddrinfo_t()
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    // Without a callback the call answers before it returns.
    try check(
      uv_getaddrinfo(loop.pointer, &request, nil, host, nil, &hints), "uv_getaddrinfo")
    defer { uv_freeaddrinfo(request.addrinfo) }

    var chosen: UnsafeMutablePointer<addrinfo>?
    var next = request.addrinfo
    while let candidate = next, chosen?.pointee.ai_family != AF_INET {
      if chosen == nil || candidate.pointee.ai_family == AF_INET { chosen = candidate }
      next = candidate.pointee.ai_next
    }
    guard let chosen, chosen.pointee.ai_family == AF_INET || chosen.pointee.ai_family == AF_INET6
    else { throw UVError(code: UV_EAI_NONAME.rawValue, function: "uv_getaddrinfo") }
    withUnsafeMutableBytes(of: &storage) {
      let bytes = UnsafeRawBufferPointer(
        start: chosen.pointee.ai_addr, count: Int(chosen.pointee.ai_addrlen))
      $0.copyMemory(from: bytes)
    }
    setPort(port)
  }

  var isIPv6: Bool { Int32(storage.ss_family) == AF_INET6 }

  var port: Int {
    var storage = storage
    let isIPv6 = isIPv6
    let raw = withUnsafeBytes(of: &storage) { bytes in
      isIPv6
        ? bytes.load(as: sockaddr_in6.self).sin6_port : bytes.load(as: sockaddr_in.self).sin_port
    }
    return Int(UInt16(bigEndian: raw))
  }

  /// Whether it is in 127.0.0.0/8, as it is or mapped into IPv6, or ::1.
  var isLoopback: Bool {
    withUnsafeBytes(of: storage) { bytes in
      guard isIPv6 else { return bytes[Self.hostOfFour] == 127 }
      let host = bytes[Self.hostOfSix..<(Self.hostOfSix + 16)]
      let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 127]
      return host.elementsEqual([UInt8](repeating: 0, count: 15) + [1]) || host.starts(with: mapped)
    }
  }

  private static let hostOfFour = MemoryLayout<sockaddr_in>.offset(of: \.sin_addr)!
  private static let hostOfSix = MemoryLayout<sockaddr_in6>.offset(of: \.sin6_addr)!

  /// The host and the port, an IPv6 host in brackets.
  ///
  /// The corresponding C function is `uv_ip_name`, in 1.44.2 `uv_ip4_name` and `uv_ip6_name`.
  var description: String {
    let host = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
      text.initialize(repeating: 0)
      let code = withPointer { pointer in
        isIPv6
          ? pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
            uv_ip6_name($0, text.baseAddress, text.count)
          }
          : pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
            uv_ip4_name($0, text.baseAddress, text.count)
          }
      }
      // Fails only when the text does not fit, and the longest takes 46 bytes.
      require(code, "uv_ip_name")
      return String(cString: text.baseAddress!)
    }
    return isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)"
  }

  func withPointer<Result>(_ body: (UnsafePointer<sockaddr>) -> Result) -> Result {
    withUnsafePointer(to: storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
    }
  }

  private mutating func withMutablePointer<Result>(
    _ body: (UnsafeMutablePointer<sockaddr>) -> Result
  ) -> Result {
    withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
    }
  }

  /// The corresponding C functions are `uv_ip4_addr` and `uv_ip6_addr`.
  private mutating func parse(host: String, port: Int) -> Bool {
    withUnsafeMutableBytes(of: &storage) { bytes in
      let four = bytes.baseAddress!.assumingMemoryBound(to: sockaddr_in.self)
      if uv_ip4_addr(host, Int32(port), four) == 0 { return true }
      bytes.initializeMemory(as: UInt8.self, repeating: 0)
      let six = bytes.baseAddress!.assumingMemoryBound(to: sockaddr_in6.self)
      if uv_ip6_addr(host, Int32(port), six) == 0 { return true }
      bytes.initializeMemory(as: UInt8.self, repeating: 0)
      return false
    }
  }

  private mutating func setPort(_ port: Int) {
    let raw = UInt16(port).bigEndian
    let isIPv6 = isIPv6
    withUnsafeMutableBytes(of: &storage) { bytes in
      let base = bytes.baseAddress!
      if isIPv6 {
        base.assumingMemoryBound(to: sockaddr_in6.self).pointee.sin6_port = raw
      } else {
        base.assumingMemoryBound(to: sockaddr_in.self).pointee.sin_port = raw
      }
    }
  }
}
