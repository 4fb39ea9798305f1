import Wire

/// What the holder of a token, or of a certificate of some name, may do, and until when. The token itself is kept nowhere.
///
/// A token is `wl1_`, its id of 8 letters and digits, `_`, and 32 random bytes in base64url (RFC 4648,
/// clause 5, without padding): 56 characters.
package struct Token: Sendable, Equatable {
  /// Names it in logs and at the command line; no secret.
  package var id: String
  package var proof: Proof
  /// The pairs, of any app, whose devices it may be.
  package var pairs: [NamePattern]
  /// The role that its devices have; nil for either.
  package var role: Role?
  /// The names that its devices have.
  package var device = NamePattern("*")
  package var grants: Set<Grant> = [.connect]
  /// Microseconds since 1970; nil for ever.
  package var expires: Int64?
  package var quota = Quota()

  package init(id: String, proof: Proof, pairs: [NamePattern]) {
    self.id = id
    self.proof = proof
    self.pairs = pairs
  }

  /// By what a connection shows that it is its holder's.
  package enum Proof: Sendable, Equatable {
    /// The SHA-256 of the token as it is sent: 64 lower-case hexadecimal digits.
    case digest(String)
    /// A name in the certificate that it has shown by TLS.
    case certificate(NamePattern)
  }

  /// Whether its holder may be that device.
  func admits(pair: String, role: Role, device: String) -> Bool {
    grants.contains(.connect) && (self.role == nil || self.role == role)
      && self.device.matches(device)
      && pairs.contains { $0.matches(pair) }
  }

  func isValid(at wall: Int64) -> Bool { expires.map { wall < $0 } ?? true }
}

/// What a token may be good for.
package enum Grant: String, CaseIterable, Sendable {
  /// `activate`.
  case connect
  /// `forgetPair`.
  case forget
  /// `configure`.
  case configure
  /// `advance`, which moves the clock of everybody.
  case clock
  /// `stats`, `listPairs`, `listDevices`, `kick`, `tail`: all pairs, whatever the token's are.
  case admin
}

extension Token {
  package static let prefix = "wl1_"
  package static let idLength = 8
  package static let secretLength = 32
  private static let textLength = 56

  /// The token of an id and 32 bytes that nobody can guess.
  package static func text(id: String, secret: [UInt8]) -> String {
    precondition(isID(id) && secret.count == secretLength)
    return prefix + id + "_" + base64URL(secret)
  }

  /// The id within a token; nil where the text is none.
  static func id(in text: String) -> String? {
    let bytes = Array(text.utf8)
    guard bytes.count == textLength, text.hasPrefix(prefix),
      bytes[prefix.utf8.count + idLength] == UInt8(ascii: "_")
    else { return nil }
    let id = String(decoding: bytes[prefix.utf8.count...].prefix(idLength), as: UTF8.self)
    return isID(id) ? id : nil
  }

  /// 8 lower-case letters and digits.
  package static func isID(_ text: String) -> Bool {
    text.utf8.count == idLength
      && text.utf8.allSatisfy { $0 &- 0x61 < 26 || $0 &- 0x30 < 10 }
  }

  package static func digest(of text: String) -> String {
    var hash = SHA256()
    Array(text.utf8).withUnsafeBytes { hash.update($0) }
    return hash.hex
  }

  private static func base64URL(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.append(base64: bytes[...])
    let digits = text.filter { $0 != UInt8(ascii: "=") }.map { digit in
      switch digit {
      case UInt8(ascii: "+"): UInt8(ascii: "-")
      case UInt8(ascii: "/"): UInt8(ascii: "_")
      default: digit
      }
    }
    return String(decoding: digits, as: UTF8.self)
  }
}

/// A name of a pair or device in which each `*` stands for any characters, or none.
package struct NamePattern: Sendable, Equatable {
  package let text: String
  private let parts: [[UInt8]]

  package init(_ text: String) {
    self.text = text
    parts = text.utf8.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false)
      .map(Array.init)
  }

  /// Compares bytes: names that Unicode calls equal are two names on the wire as well.
  package func matches(_ name: String) -> Bool {
    var rest = Array(name.utf8)[...]
    guard parts.count > 1 else { return rest.elementsEqual(parts[0]) }
    guard rest.starts(with: parts[0]) else { return false }
    rest = rest.dropFirst(parts[0].count)
    for part in parts.dropFirst().dropLast() {
      // The first place leaves most for the parts behind.
      guard
        let place = rest.indices.first(where: { rest[$0...].starts(with: part) })
          ?? (part.isEmpty ? rest.startIndex : nil)
      else { return false }
      rest = rest[(place + part.count)...]
    }
    let last = parts[parts.count - 1]
    return rest.count >= last.count && rest.suffix(last.count).elementsEqual(last)
  }
}
