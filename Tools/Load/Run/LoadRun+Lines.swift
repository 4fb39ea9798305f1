internal import Glibc
internal import Wire

/// What the server says.
extension LoadRun {
  final func received(
    _ link: Link, _ bytes: UnsafeRawBufferPointer, at now: Int64
  ) throws(LoadFailure) -> Int {
    var at = 0
    while at < bytes.count, link.state != .closed {
      at += try ingest(link, UnsafeRawBufferPointer(rebasing: bytes[at...]), at: now)
      guard at < bytes.count, let end = memchr(bytes.baseAddress! + at, 0x0A, bytes.count - at)
      else { break }
      let count = end - UnsafeMutableRawPointer(mutating: bytes.baseAddress! + at)
      try other(link, UnsafeRawBufferPointer(rebasing: bytes[at..<at + count]))
      at += count + 1
    }
    return at
  }

  /// What every workload has to do with.
  private static var known: Set<String> {
    [
      "sessionReachabilityDidChange", "sessionWatchStateDidChange",
      "sessionCompanionAppInstalledDidChange", "hasContentPendingDidChange",
    ]
  }

  private func other(_ link: Link, _ bytes: UnsafeRawBufferPointer) throws(LoadFailure) {
    let line: Members
    do throws(WireError) {
      line = try Members(bytes)
    } catch {
      throw LoadFailure("the server does not answer in JSON lines: \(Self.excerpt(bytes))")
    }
    let type = line.string("type") ?? ""
    if link.state == .open, type != "hello", type != "error" {
      throw LoadFailure("this is no Watchline server: \(Self.excerpt(bytes))")
    }
    switch type {
    case "hello":
      serverVersion = line.string("server")
      link.state = .greeted
      greetedCount += 1
      try greeted(link)
    case "activationDidComplete" where link.state == .activating:
      link.state = .active
      link.isCounterpartReachable = line.flag("isReachable") ?? false
      activeCount += 1
      try activated(link)
    case "error":
      throw LoadFailure(
        "the server refuses: \(line.integer("code") ?? 0) \(line.string("name") ?? ""): "
          + "\(line.string("message") ?? "") (to \(link.name))")
    default:
      if type == "sessionReachabilityDidChange" {
        link.isCounterpartReachable = line.flag("isReachable") ?? false
      }
      guard try event(link, type, line) || Self.known.contains(type) else {
        throw LoadFailure("a line to \(link.name) was not to be expected: \(Self.excerpt(bytes))")
      }
    }
  }

  /// The start of a line, in one line.
  static func excerpt(_ bytes: UnsafeRawBufferPointer) -> String {
    let text = String(decoding: bytes.prefix(120), as: UTF8.self)
    return String(text.map { $0.isNewline || ($0.asciiValue ?? 0x20) < 0x20 ? "·" : $0 })
  }
}
