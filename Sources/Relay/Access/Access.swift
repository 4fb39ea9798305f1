import Wire

/// The tokens that a server takes. Whoever has none of them may ping and read help, and no more.
package struct Access: Sendable, Equatable {
  private let tokens: [String: Token]

  /// - Parameter tokens: no two of them with one id.
  package init(_ tokens: [Token]) {
    self.tokens = Dictionary(uniqueKeysWithValues: tokens.map { ($0.id, $0) })
  }

  package var count: Int { tokens.count }

  /// The token that a text is at a time; nil where it is none, or has expired.
  ///
  /// How long that takes says nothing about a secret: digests are compared as a whole.
  func token(_ text: String, at wall: Int64) -> Token? {
    let digest = Token.digest(of: text)
    guard let id = Token.id(in: text), let token = tokens[id],
      case .digest(let wanted) = token.proof
    else { return nil }
    let difference = zip(digest.utf8, wanted.utf8).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) }
    return difference == 0 && token.isValid(at: wall) ? token : nil
  }

  /// The token that a certificate of these names stands for at a time: of several that with the first id; nil for none.
  func token(ofCertificate names: [String], at wall: Int64) -> Token? {
    tokens.values.filter { token in
      guard case .certificate(let pattern) = token.proof else { return false }
      return token.isValid(at: wall) && names.contains(where: pattern.matches)
    }.min { $0.id < $1.id }
  }

  /// The token of an id, where it is good at a time.
  func token(id: String, at wall: Int64) -> Token? {
    tokens[id].flatMap { $0.isValid(at: wall) ? $0 : nil }
  }

  func quota(of id: String) -> Quota? { tokens[id]?.quota }

  /// What a token that was shown earlier is now; nil where it is no longer taken.
  func renewed(_ token: Token, at wall: Int64) -> Token? {
    guard let present = tokens[token.id], present.proof == token.proof,
      present.isValid(at: wall)
    else { return nil }
    return present
  }
}
