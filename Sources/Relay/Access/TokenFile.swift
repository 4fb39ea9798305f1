import Wire

/// The file form of tokens: a JSON object a line, which says what the token's holder may do.
///
/// ```
/// {"id":"a1b2c3d4","sha256":"9f86…","pairs":["team-ios-*"],"role":"watch","device":"*",
///  "grant":["connect"],"expires":"2027-01-01T00:00:00Z","quota":{"connections":200,"pairs":50}}
/// ```
/// Needed are `id`, `pairs`, and `sha256` or `certificate`, which is a name in a client's certificate. Empty lines are passed over.
package enum TokenFile {
  /// Bytes that a file has at most: some 5,000 tokens.
  package static let largest = 1 << 20

  /// - Throws: the number of the first line that is wrong, and what is wrong there.
  package static func read(_ bytes: [UInt8]) throws(TokenFileError) -> [Token] {
    guard bytes.count <= largest else {
      throw TokenFileError("a file of tokens has at most \(largest) bytes")
    }
    var tokens: [Token] = []
    var lines: [String: Int] = [:]
    let all = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    for (index, line) in all.enumerated() where !line.allSatisfy({ $0 == 0x20 || $0 == 0x0D }) {
      do throws(TokenFileError) {
        let token = try self.token(line)
        if let first = lines[token.id] {
          throw TokenFileError("id \(token.id) is that of line \(first) already")
        }
        lines[token.id] = index + 1
        tokens.append(token)
      } catch {
        throw TokenFileError("line \(index + 1): \(error.message)")
      }
    }
    return tokens
  }

  /// A token as a line, with its LF.
  package static func line(_ token: Token) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.member("id", token.id)
      switch token.proof {
      case .digest(let digest): json.member("sha256", digest)
      case .certificate(let name): json.member("certificate", name.text)
      }
      json.array("pairs", token.pairs) { $0.string($1.text) }
      if let role = token.role { json.member("role", role.rawValue) }
      json.member("device", token.device.text)
      json.array("grant", Grant.allCases.filter(token.grants.contains)) { $0.string($1.rawValue) }
      if let expires = token.expires {
        json.member("expires", CivilTime(ms: expires / 1000).description)
      }
      let quota = token.quota.all
      if !quota.isEmpty {
        json.object("quota") { json in
          for (name, value) in quota { json.member(name, value) }
        }
      }
    }
    return json.bytes + [0x0A]
  }

  // MARK: One line

  private static let members = [
    "id", "sha256", "certificate", "pairs", "role", "device", "grant", "expires", "quota",
  ]

  private static func token(_ line: ArraySlice<UInt8>) throws(TokenFileError) -> Token {
    let fields: Members
    do throws(WireError) {
      fields = try Members(line)
    } catch {
      throw TokenFileError("this is not a JSON object: \(error.message)")
    }
    if let (name, _) = fields.all.first(where: { !members.contains($0.name) }) {
      let advice = Nearest.advice(
        for: name, among: members, else: "it may have \(members.joined(separator: ", "))")
      throw TokenFileError("a token has no member \(name.quoted); \(advice)")
    }
    guard let id = fields.string("id"), Token.isID(id) else {
      throw TokenFileError("id is 8 lower-case letters and digits")
    }
    let proof = try proof(fields)
    let wanted = "pairs is a list of names, such as [\"demo\",\"team-*\"]"
    guard let pairs = try strings(fields, "pairs", wanted), !pairs.isEmpty else {
      throw TokenFileError(wanted)
    }
    var token = Token(id: id, proof: proof, pairs: pairs.map { NamePattern($0) })
    if fields.has("role") {
      guard let role = fields.string("role").flatMap(Role.init) else {
        throw TokenFileError("role is phone or watch; leave it out for either")
      }
      token.role = role
    }
    if fields.has("device") {
      guard let device = fields.string("device"), !device.isEmpty else {
        throw TokenFileError("device is a device's name, or * for any")
      }
      token.device = NamePattern(device)
    }
    if let grants = try grants(fields) { token.grants = grants }
    if fields.has("expires") { token.expires = try expiry(fields) }
    if fields.has("quota") { token.quota = try quota(fields) }
    return token
  }

  private static func proof(_ fields: Members) throws(TokenFileError) -> Token.Proof {
    guard fields.has("certificate") else {
      guard let digest = fields.string("sha256")?.lowercased(), isDigest(digest) else {
        throw TokenFileError("sha256 is the token's SHA-256 in 64 hexadecimal digits")
      }
      return .digest(digest)
    }
    guard !fields.has("sha256") else {
      throw TokenFileError("a token has sha256 or certificate, and not both")
    }
    guard let name = fields.string("certificate"), !name.isEmpty else {
      throw TokenFileError(
        "certificate is a name in a client's certificate, such as ci-*.example.com")
    }
    return .certificate(NamePattern(name))
  }

  private static func grants(_ fields: Members) throws(TokenFileError) -> Set<Grant>? {
    let known = Grant.allCases.map(\.rawValue)
    let wanted = "grant is a list of \(known.joined(separator: ", "))"
    guard let words = try strings(fields, "grant", wanted) else { return nil }
    var grants: Set<Grant> = []
    for word in words {
      guard let grant = Grant(rawValue: word) else {
        let advice = Nearest.advice(for: word, among: known, else: wanted)
        throw TokenFileError("there is no grant \(word); \(advice)")
      }
      grants.insert(grant)
    }
    return grants
  }

  private static func quota(_ fields: Members) throws(TokenFileError) -> Quota {
    let known = Quota.names.map(\.name)
    guard let members = fields.object("quota") else {
      throw TokenFileError("quota is an object that may have \(known.joined(separator: ", "))")
    }
    var quota = Quota()
    for (name, _) in members.all {
      guard let member = Quota.names.first(where: { $0.name == name }) else {
        let advice = Nearest.advice(
          for: name, among: known, else: "it may have \(known.joined(separator: ", "))")
        throw TokenFileError("a quota has no member \(name.quoted); \(advice)")
      }
      guard let value = members.integer(name), (1...Int64(Quota.most)).contains(value) else {
        throw TokenFileError("quota.\(name) is a whole number from 1 to \(Quota.most)")
      }
      quota[keyPath: member.path] = Int(value)
    }
    return quota
  }

  private static func expiry(_ fields: Members) throws(TokenFileError) -> Int64 {
    guard let moment = fields.string("expires").flatMap(moment) else {
      throw TokenFileError("expires is a moment such as 2027-01-01T00:00:00Z")
    }
    return moment
  }

  /// Microseconds since 1970 of a moment as RFC 3339 writes it; nil where it is none. Years have four digits, so that
  /// no moment is too far for 64 bits.
  package static func moment(_ text: String) -> Int64? {
    PropertyListDate.seconds(text).map { Int64($0 * 1e6) + Relay.manualEpoch }
  }

  private static func strings(
    _ fields: Members, _ name: String, _ wanted: String
  ) throws(TokenFileError) -> [String]? {
    guard fields.has(name) else { return nil }
    guard let values = fields.array(name) else { throw TokenFileError(wanted) }
    let strings = values.compactMap { fields.string($0) }
    guard strings.count == values.count, !strings.contains("") else { throw TokenFileError(wanted) }
    return strings
  }

  private static func isDigest(_ text: String) -> Bool {
    text.utf8.count == 64 && text.utf8.allSatisfy(Relay.isHexadecimal)
  }
}

/// Why a file has no tokens that a server can take: one sentence.
package struct TokenFileError: Error, Equatable {
  package var message: String

  init(_ message: String) { self.message = message }
}
