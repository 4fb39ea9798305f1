/// What is wrong with a text, before it is put into words.
enum Fault: UInt8 {
  case none
  case value, memberName, memberNameOrBrace, colon, commaOrBrace, commaOrBracket, object, end
  case digit, leadingZero, wordTrue, wordFalse, wordNull
  case control, noEnd, escape, hexadecimal, surrogate, notUTF8
  case tooDeep, tooManyMembers, duplicate
}

extension Scanner {
  /// 4001 with the fault in words.
  @inline(never)
  var wireError: WireError {
    switch fault {
    case .none: preconditionFailure("no fault at byte \(at)")
    case .value: return expected("a value")
    case .memberName: return expected("a member's name in quotes")
    case .memberNameOrBrace: return expected("a member's name in quotes or '}'")
    case .colon: return expected("':' after a member's name")
    case .commaOrBrace: return expected("',' or '}'")
    case .commaOrBracket: return expected("',' or ']'")
    case .object: return notAnObject()
    case .end: return expected("the line's end after the object")
    case .digit: return expected("a digit")
    case .leadingZero:
      return failure(
        "a number must not start with 0", then: "write it without leading zeros")
    case .wordTrue: return expected("the word true")
    case .wordFalse: return expected("the word false")
    case .wordNull: return expected("the word null")
    case .control:
      return failure(
        "unescaped \(name(of: bytes[at])) in a string",
        then: "write it as \\n, \\t or \\u00XX")
    case .noEnd:
      return failure(
        "a string that starts at byte \(start) has no end: expected '\"'",
        then: "found the line's end")
    case .escape: return expected("one of \" \\ / b f n r t u after a backslash")
    case .hexadecimal: return expected("four hexadecimal digits after \\u")
    case .surrogate:
      return failure(
        "half of a surrogate pair", then: "expected \\uD800-\\uDBFF followed by \\uDC00-\\uDFFF")
    case .notUTF8:
      return failure("text is not UTF-8", then: "found \(found) there")
    case .tooDeep:
      return failure(
        "objects and arrays are nested too deep", then: "at most \(Envelope.maximumDepth) levels")
    case .tooManyMembers:
      return failure(
        "too many members", then: "a line has at most \(Envelope.maximumMembers)")
    case .duplicate:
      return WireError(
        .malformedJSON, "expected a new member's name at byte \(start), found \(memberName) again")
    }
  }

  /// The name that starts at `start` and has been read, as it is written.
  private var memberName: String {
    String(decoding: UnsafeBufferPointer(start: bytes + start, count: at - start), as: UTF8.self)
  }

  private func notAnObject() -> WireError {
    if at + 2 < count, bytes[at] == 0xEF, bytes[at + 1] == 0xBB, bytes[at + 2] == 0xBF {
      return failure("a byte order mark stands", then: "a line must start with '{'")
    }
    return expected("'{', for a line is one JSON object,")
  }

  /// "expected … at byte N, found …"
  @inline(never)
  func expected(_ what: String) -> WireError {
    WireError(.malformedJSON, "expected \(what) at byte \(at), found \(found)")
  }

  /// "… at byte N, …", where what was wanted takes a sentence.
  @inline(never)
  func failure(_ what: String, then: String) -> WireError {
    WireError(.malformedJSON, "\(what) at byte \(at), \(then)")
  }

  /// What stands at `at`.
  private var found: String { at < count ? name(of: bytes[at]) : "the line's end" }

  /// A byte as a person reads it.
  private func name(of byte: UInt8) -> String {
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
