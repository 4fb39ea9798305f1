package import Wire

extension Datum {
  /// Reads a text that is one JSON value.
  ///
  /// - Throws: 4001 where it is not, 4004 as `init(_:_:)`.
  package init(json text: [UInt8]) throws(WireError) {
    // An envelope is read strictly; the value is a member of one.
    var line: [UInt8] = []
    line.append("{\"data\":" as StaticString)
    line += text
    line.append(0x7D)
    // A typed throw does not pass through the closure of an array's bytes.
    let result: Result<Datum, WireError> = line.withUnsafeBytes { bytes in
      do throws(WireError) {
        var envelope = Envelope()
        try envelope.scan(bytes)
        guard let value = envelope[.data] else {
          throw WireError(.malformedJSON, "expected a value")
        }
        return .success(try Datum(value, bytes))
      } catch {
        return .failure(error)
      }
    }
    self = try result.get()
  }
}

extension VersionVector {
  /// `{"<replica>":"<seq>"}`.
  package var datum: Datum {
    .sorted(
      entries.map {
        Datum.Member(Name($0.replica.description), .string(Name(String($0.seq))))
      })
  }

  /// - Throws: 4004 with what a vector must be.
  package init(_ datum: Datum) throws(WireError) {
    self.init()
    guard case .object(let members) = datum else { throw Self.invalid }
    var entries: [Entry] = []
    for member in members {
      guard let replica = ReplicaID(member.name.utf8),
        let seq = member.value.text.flatMap({ UInt64(decimal: $0.utf8) })
      else { throw Self.invalid }
      entries.append(Entry(replica, seq))
    }
    set(entries)
  }

  private static var invalid: WireError {
    WireError(
      .invalidField, "a vector must be an object of \"<UUID>.<incarnation>\": \"<seq>\"")
  }
}

extension Identifier {
  /// An identifier that these texts, and no others, have: the first 128 bits of their digest, with
  /// the version and variant of one made by an application (RFC 9562 section 5.8).
  package init(digestOf texts: String...) {
    var digest = SHA256()
    for text in texts {
      var bytes: [UInt8] = []
      bytes.append(decimal: text.utf8.count)
      bytes.append(0x3A)
      bytes.append(text: text)
      bytes.withUnsafeBytes { digest.update($0) }
    }
    let hash = digest.finalize()
    func word(_ from: Int) -> UInt64 {
      hash[from..<from + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }
    self.init(
      high: word(0) & ~(0xF << 12) | 8 << 12, low: word(8) & ~(3 << 62) | 2 << 62)
  }
}
