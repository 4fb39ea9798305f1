internal import Glibc
internal import Relay

/// A file of tokens that is changed. One process at a time changes the files of a folder.
struct TokenStore {
  let path: String

  init(_ path: String) { self.path = path }

  func tokens() throws(TokenFailure) -> [Token] {
    guard let bytes = try attempt({ () throws(FileFailure) in try File.read(path) }) else {
      throw .file("there is no \(path); watchline token create makes it")
    }
    return try read(bytes)
  }

  /// Adds a token at the end of the file, which is made where there is none.
  ///
  /// - Returns: the token, and what its holder shows; nil where that is a certificate.
  func create(_ request: TokenRequest) throws(TokenFailure) -> (token: Token, text: String?) {
    try withLock { () throws(TokenFailure) in
      let file = try attempt { () throws(FileFailure) in try File.read(path) }
      let bytes = file ?? []
      let present = try read(bytes)
      var id = Self.randomID()
      while present.contains(where: { $0.id == id }) { id = Self.randomID() }
      var text: String?
      let proof: Token.Proof
      if let name = request.certificate {
        proof = .certificate(NamePattern(name))
      } else {
        let made = Token.text(id: id, secret: Self.randomSecret())
        proof = .digest(Token.digest(of: made))
        text = made
      }
      var token = Token(id: id, proof: proof, pairs: request.pairs.map { NamePattern($0) })
      token.role = request.role
      token.device = NamePattern(request.device)
      token.grants = request.grants
      token.expires = request.expires
      token.quota = request.quota
      // Somebody may have written the last line by hand.
      let end: [UInt8] = bytes.isEmpty || bytes.last == 0x0A ? [] : [0x0A]
      let line = end + TokenFile.line(token)
      guard bytes.count + line.count <= TokenFile.largest else {
        throw .file("\(path) has no room for another token; revoke some")
      }
      try attempt { () throws(FileFailure) in
        if file == nil {
          // Root makes it for the server whose folder it is in.
          try File.replace(path, with: line, keepsOwner: true)
        } else {
          try File.append(line, to: path, isSynced: true)
        }
      }
      return (token, text)
    }
  }

  func revoke(_ id: String) throws(TokenFailure) -> Token {
    try withLock { () throws(TokenFailure) in
      var tokens = try tokens()
      let place = try place(of: id, in: tokens)
      let token = tokens.remove(at: place)
      try write(tokens)
      return token
    }
  }

  /// Gives a token another secret: the one until now is good for nothing from here on.
  func rotate(_ id: String) throws(TokenFailure) -> (token: Token, text: String?) {
    try withLock { () throws(TokenFailure) in
      var tokens = try tokens()
      let place = try place(of: id, in: tokens)
      guard case .digest = tokens[place].proof else {
        throw .file(
          "\(path): token \(id) is shown by a certificate, so another one has to be issued")
      }
      let text = Token.text(id: id, secret: Self.randomSecret())
      tokens[place].proof = .digest(Token.digest(of: text))
      try write(tokens)
      return (tokens[place], text)
    }
  }

  // MARK: The file

  private func read(_ bytes: [UInt8]) throws(TokenFailure) -> [Token] {
    do throws(TokenFileError) {
      return try TokenFile.read(bytes)
    } catch {
      throw .file("\(path): \(error.message)")
    }
  }

  private func place(of id: String, in tokens: [Token]) throws(TokenFailure) -> Int {
    guard let place = tokens.firstIndex(where: { $0.id == id }) else {
      throw .file("\(path) has no token \(id); watchline token list shows those that there are")
    }
    return place
  }

  private func write(_ tokens: [Token]) throws(TokenFailure) {
    let bytes = tokens.flatMap(TokenFile.line)
    try attempt { () throws(FileFailure) in
      try File.replace(path, with: bytes, keepsOwner: true)
    }
  }

  private func attempt<T>(_ body: () throws(FileFailure) -> T) throws(TokenFailure) -> T {
    do throws(FileFailure) {
      return try body()
    } catch {
      throw .file(error.message)
    }
  }

  /// Holds the folder's lock meanwhile: a lock of the file would be one of a file that is replaced.
  private func withLock<T>(_ body: () throws(TokenFailure) -> T) throws(TokenFailure) -> T {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .file(FileFailure("open", folder).message) }
    defer { close(descriptor) }
    guard flock(descriptor, LOCK_EX) == 0 else {
      throw .file(FileFailure("flock", folder).message)
    }
    return try body()
  }

  // MARK: Chance

  private static func randomSecret() -> [UInt8] { random(Token.secretLength) }

  private static func randomID() -> String {
    let characters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
    return String(random(Token.idLength).map { characters[Int($0) % characters.count] })
  }

  /// Bytes that nobody can guess: the kernel's.
  private static func random(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
  }
}
