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

  /// Of the first world may do everything but what an operator may, those of the others less.
  ///
  /// - Parameter hasQuotas: they have small quotas, but for the bystander's.
  static func access(hasQuotas: Bool) -> Access {
    // An operator sees all pairs, which is what nobody may see here.
    let all = Set(Grant.allCases).subtracting([.admin])
    let grants: [Set<Grant>] = [all, [.connect], [.connect, .forget]]
    var tokens = grants.enumerated().map { world, grants in
      var token = Token(
        id: id(world), proof: .digest(Token.digest(of: text(world))),
        pairs: [NamePattern("*\(Tag.text(world))*")])
      token.grants = grants
      if hasQuotas { token.quota = quotas[world] }
      return token
    }
    tokens.append(
      Token(
        id: "stranger", proof: .digest(Token.digest(of: bystander)),
        pairs: [NamePattern("bystander")]))
    return Access(tokens)
  }

  private static let quotas: [Quota] = {
    var quotas = [Quota](repeating: Quota(), count: 3)
    quotas[0].linesPerSecond = 20
    quotas[0].connections = 2
    quotas[0].bytes = 3_000
    quotas[1].bytesPerSecond = 500
    quotas[1].pairs = 1
    quotas[2].bytes = 40_000
    quotas[2].linesPerSecond = 1
    quotas[2].bytesPerSecond = 10_000
    return quotas
  }()
}
