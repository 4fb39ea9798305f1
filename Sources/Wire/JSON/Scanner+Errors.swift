extension Scanner {
  /// "Expected … at byte N, found …".
  @inline(never)
  func expected(_ what: String) -> WireError {
    WireError(.malformedJSON, "Expected \(what) at byte \(at), found \(found).")
  }

  /// "… at byte N, …" where what was wanted takes a sentence.
  @inline(never)
  func failure(_ what: String, then: String) -> WireError {
    WireError(.malformedJSON, "\(what) at byte \(at), \(then).")
  }

  @inline(never)
  func tooDeep() -> WireError {
    failure(
      "Objects and arrays are nested too deep", then: "at most \(Envelope.maximumDepth) levels")
  }

  /// What stands at `at`.
  var found: String { at < count ? name(of: bytes[at]) : "the line's end" }

  /// A byte as a person reads it.
  func name(of byte: UInt8) -> String {
    switch byte {
    case 0x21...0x7E: "'\(Character(UnicodeScalar(byte)))'"
    case 0x20: "a space"
    case 0x00: "NUL"
    case 0x09: "a tab"
    case 0x0A: "a line feed"
    case 0x0D: "a carriage return"
    default: "byte 0x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
  }
}
