internal import Relay

/// The tokens of a server that asks for them: each world's is for the pairs with its tag, and one is the
/// bystander's.
enum WorldTokens {
  static let bystander = Token.text(id: "stranger", secret: [UInt8](repeating: 0xFF, count: 32))

  static func text(_ world: Int) -> String { text(world, secret: UInt8(world)) }

  /// The id of a world's token with a secret of somebody's own.
  static func forged(_ world: Int) -> String { text(world, secret: 0x7F) }

  private static func text(_ world: Int, secret: UInt8) -> String {
    Token.text(id: id(world), secret: [UInt8](repeating: secret, count: 32))
  }

  private static func id(_ world: Int) -> String { "world00\(world)" }

  /// Of the first world may do everything, those of the others less.
  static let access: Access = {
    let grants: [Set<Grant>] = [Set(Grant.allCases), [.connect], [.connect, .forget]]
    var tokens = grants.enumerated().map { world, grants in
      var token = Token(
        id: id(world), digest: Token.digest(of: text(world)),
        pairs: [NamePattern("*\(Tag.text(world))*")])
      token.grants = grants
      return token
    }
    tokens.append(
      Token(
        id: "stranger", digest: Token.digest(of: bystander), pairs: [NamePattern("bystander")]))
    return Access(tokens)
  }()
}
