package import Usage

/// Where a server listens.
package struct Endpoint: Equatable, CustomStringConvertible {
  package static let standard = Endpoint(host: "127.0.0.1", port: 9282)

  package let host: String
  package let port: Int

  init(host: String, port: Int) {
    self.host = host
    self.port = port
  }

  /// Reads `HOST:PORT`, an IPv6 address in brackets.
  ///
  /// - Parameter lowestPort: 0 where any free port may be asked for.
  package init(_ text: String, lowestPort: Int = 1) throws(UsageError) {
    let wanted = "a server is HOST:PORT, such as 127.0.0.1:9282 or [::1]:9282, not \(text)"
    guard let colon = text.lastIndex(of: ":") else { throw UsageError(wanted) }
    var host = text[..<colon]
    let digits = text[text.index(after: colon)...]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      throw UsageError(wanted)
    }
    guard !host.isEmpty, digits.allSatisfy(\.isNumber), let port = Int(digits),
      lowestPort...65_535 ~= port
    else { throw UsageError(wanted) }
    self.init(host: String(host), port: port)
  }

  package var description: String {
    host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
  }
}

/// Servers that share pairs, or one.
package struct Endpoints: Equatable, CustomStringConvertible {
  package static let standard = Endpoints(all: [.standard])

  package let all: [Endpoint]

  private init(all: [Endpoint]) { self.all = all }

  /// Reads `HOST:PORT`, or several with commas between.
  package init(_ text: String) throws(UsageError) {
    var all: [Endpoint] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      all.append(try Endpoint(String(part)))
    }
    self.all = all
  }

  package var description: String { all.map(\.description).joined(separator: ",") }
}
