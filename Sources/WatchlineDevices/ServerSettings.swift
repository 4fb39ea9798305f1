import Foundation

/// Where a server listens.
package struct ServerAddress: Equatable, Sendable {
  var host: String
  var port: String

  /// - Parameter text: `HOST:PORT`, of IPv6 `[HOST]:PORT`.
  package init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"),
      let number = UInt16(text[text.index(after: colon)...]),
      number > 0
    else { return nil }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    guard !host.isEmpty else { return nil }
    self.host = String(host)
    port = String(number)
  }

  package var spelled: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// What the environment says of the device that this process is.
///
/// | variable | meaning |
/// | --- | --- |
/// | `WATCHLINE_SERVER` | where the server listens: `HOST:PORT`; `127.0.0.1:9282` where only the role is named |
/// | `WATCHLINE_ROLE` | `phone` or `watch` |
/// | `WATCHLINE_PAIR` | the pair; `demo` where it is not set |
/// | `WATCHLINE_DEVICE` | the device's name; its role where it is not set |
/// | `WATCHLINE_TOKEN` | the token for a server that asks for one |
/// | `WATCHLINE_STORE` | the file that keeps the device's queue |
package struct ServerSettings {
  package var address: ServerAddress
  var isPhone: Bool?
  package var pair: String
  var device: String?
  var token: String?
  private var file: String?

  /// nil where the environment names no server.
  package static let ofProcess = Self(ProcessInfo.processInfo.environment)

  init?(_ environment: [String: String]) {
    let role = environment["WATCHLINE_ROLE"]
    guard environment["WATCHLINE_SERVER"] ?? role != nil else { return nil }
    let text = environment["WATCHLINE_SERVER"] ?? "127.0.0.1:9282"
    guard let address = ServerAddress(text) else {
      preconditionFailure(
        "WATCHLINE_SERVER is \(text), and has to be HOST:PORT, such as 127.0.0.1:9282")
    }
    guard role == nil || role == "phone" || role == "watch" else {
      preconditionFailure("WATCHLINE_ROLE is \(role ?? ""), and has to be phone or watch")
    }
    self.address = address
    isPhone = role.map { $0 == "phone" }
    pair = environment["WATCHLINE_PAIR"] ?? "demo"
    device = environment["WATCHLINE_DEVICE"]
    token = environment["WATCHLINE_TOKEN"]
    file = environment["WATCHLINE_STORE"]
  }

  /// The file of a device: in the user's data folder, by server, pair and device.
  func store(of device: String) -> URL {
    if let file { return URL(fileURLWithPath: file) }
    let folder =
      FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
      ?? FileManager.default.temporaryDirectory
    let parts = [address.spelled, pair, device].map {
      $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? $0
    }
    return folder.appendingPathComponent("watchline")
      .appendingPathComponent(parts.joined(separator: "-") + ".ndjson")
  }
}
