package import Wire

extension Datum {
  /// Reads a scanned value of a line.
  ///
  /// - Throws: 4004 where there is a number, or a name that occurs twice in one object, with its
  ///   byte offset.
  package init(_ value: Value, _ line: UnsafeRawBufferPointer) throws(WireError) {
    var text = ScannedText(line: line, at: value.start)
    self = try text.datum()
  }

  /// Reads a value of canonical text, which has neither numbers nor a name twice.
  init(canonical text: UnsafeRawBufferPointer, at start: Int) {
    var text = ScannedText(line: text, at: start)
    do throws(WireError) {
      self = try text.datum()
    } catch {
      preconditionFailure(error.message)
    }
  }
}

/// Text that has been scanned, and is therefore right: each byte is read once.
private struct ScannedText {
  let line: UnsafeRawBufferPointer
  /// The next byte.
  var at: Int

  mutating func datum() throws(WireError) -> Datum {
    switch line[at] {
    case 0x22: return .string(string())
    case 0x5B: return .array(try elements())
    case 0x7B: return .object(try members())
    case 0x74:
      at += 4
      return .bool(true)
    case 0x66:
      at += 5
      return .bool(false)
    case 0x6E:
      at += 4
      return .null
    default:
      throw WireError(
        .invalidField, "an operation has no JSON numbers; write the one at ", byte: at,
        " as a string")
    }
  }

  private mutating func string() -> Name {
    let start = at
    var hasEscape = false
    at = line.firstEscaped(in: at + 1..<line.count)
    while line[at] != 0x22 {
      hasEscape = true
      at = line.firstEscaped(in: at + 2..<line.count)
    }
    at += 1
    if hasEscape {
      return Name(
        decodeString(Value(kind: .string, start: start, end: at, flags: .hasEscape), line))
    }
    return Name(utf8: Array(UnsafeRawBufferPointer(rebasing: line[start + 1..<at - 1])))
  }

  private mutating func elements() throws(WireError) -> [Datum] {
    var elements: [Datum] = []
    while hasMore(before: 0x5D) { elements.append(try datum()) }
    return elements
  }

  private mutating func members() throws(WireError) -> [Datum.Member] {
    let start = at
    var members: [Datum.Member] = []
    while hasMore(before: 0x7D) {
      let name = string()
      skipBlanks()
      at += 1
      skipBlanks()
      members.append(Datum.Member(name, try datum()))
    }
    // Canonical ones are in order.
    let isSorted = members.indices.dropFirst().allSatisfy {
      Datum.precedes(members[$0 - 1].name, members[$0].name)
    }
    if isSorted { return members }
    members.sort { Datum.precedes($0.name, $1.name) }
    for (member, next) in zip(members, members.dropFirst()) where member.name == next.name {
      throw WireError(
        .invalidField, "\(member.name.text.quoted) occurs twice in the object at ", byte: start, "")
    }
    return members
  }

  /// Goes on to the next element, or behind the end of what they are in.
  private mutating func hasMore(before end: UInt8) -> Bool {
    skipBlanks()
    if line[at] != end {
      // The bracket before the first, or a comma.
      at += 1
      skipBlanks()
      if line[at] != end { return true }
    }
    at += 1
    return false
  }

  private mutating func skipBlanks() {
    while line[at] == 0x20 || line[at] == 0x09 || line[at] == 0x0A || line[at] == 0x0D { at += 1 }
  }
}
