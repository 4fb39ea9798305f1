/// Lines typed at a keyboard: a word and `name=value` pairs.
package enum Words {
  /// Appends the JSON line that a typed line spells, without LF.
  ///
  /// ```
  /// activate pair=demo role=watch     {"type":"activate","pair":"demo","role":"watch"}
  /// transferUserInfo payload={"a": 1} {"type":"transferUserInfo","payload":{"a": 1}}
  /// help transferUserInfo             {"type":"help","topic":"transferUserInfo"}
  /// ```
  ///
  /// A value that starts with `{`, `[` or `"`, a number, and the whole words `true` and `false` are
  /// strict JSON and copied as they are; any other value is a string up to the next blank, also an
  /// empty one. Blanks are space and tab. Names hold letters, digits, `.`, `_` and `-`.
  ///
  /// - Throws: 4001 with the 0-based offset in the typed line; then `json` is as it was.
  package static func json(
    _ line: UnsafeRawBufferPointer, into json: inout [UInt8]
  ) throws(WireError) {
    let before = json.count
    do {
      var reader = WordReader(line)
      try reader.read(into: &json)
    } catch {
      json.removeSubrange(before...)
      throw error
    }
  }

  /// Where in a typed line stands what the JSON line that it spells has at an offset.
  ///
  /// - Precondition: the line spells one.
  /// - Complexity: the line's length.
  package static func offset(of byte: Int, in line: UnsafeRawBufferPointer) -> Int {
    var json: [UInt8] = []
    var reader = WordReader(line)
    reader.isTracing = true
    try? reader.read(into: &json)
    guard let piece = reader.pieces.last(where: { $0.json <= byte }) else { return 0 }
    let within = byte - piece.json - (piece.isQuoted && byte > piece.json ? 1 : 0)
    return min(piece.typed.lowerBound + within, piece.typed.upperBound)
  }
}

private struct WordReader {
  private let line: UnsafeRawBufferPointer
  private var scanner: Scanner
  /// Where the names lie, to find one that comes twice.
  private var names: [Range<Int>] = []
  /// Whether `help` is followed by a bare word.
  private var hasTopic = false
  /// What was copied from where, while that is asked for.
  var isTracing = false
  private(set) var pieces: [(json: Int, typed: Range<Int>, isQuoted: Bool)] = []

  init(_ line: UnsafeRawBufferPointer) {
    self.line = line
    scanner =
      line.isEmpty
      ? Scanner(UnsafePointer(bitPattern: 1)!, count: 0) : Scanner(line)
  }

  mutating func read(into json: inout [UInt8]) throws(WireError) {
    skipBlanks()
    let type = name()
    guard let first = type.first, isLetter(line[first]) else {
      scanner.at = type.lowerBound
      throw scanner.expected("a word")
    }
    try requireBlank("a blank after the word")
    json.append("{\"type\":" as StaticString)
    append(quoted: type, to: &json)

    let isHelp = text(type).elementsEqual("help".utf8)
    while true {
      skipBlanks()
      guard scanner.at < line.count else { break }
      let name = name()
      if isHelp, names.isEmpty, !hasTopic, !name.isEmpty, isAtBlank {
        hasTopic = true
        json.append(",\"topic\":" as StaticString)
        append(quoted: name, to: &json)
        continue
      }
      guard !name.isEmpty else { throw scanner.expected("name=value") }
      guard scanner.next(is: 0x3D) else {
        throw scanner.expected("'=' after \"\(String(decoding: text(name), as: UTF8.self))\"")
      }
      try add(name)
      scanner.at += 1
      json.append(0x2C)
      append(quoted: name, to: &json)
      json.append(0x3A)
      try value(into: &json)
    }
    json.append(0x7D)
  }

  private mutating func add(_ name: Range<Int>) throws(WireError) {
    let isTwice =
      text(name).elementsEqual("type".utf8)
      || names.contains { text($0).elementsEqual(text(name)) }
      || hasTopic && text(name).elementsEqual("topic".utf8)
    if isTwice {
      scanner.at = name.lowerBound
      throw scanner.failure(
        "\"\(String(decoding: text(name), as: UTF8.self))\" is given a second time",
        then: "name each member once")
    }
    // The word itself is a member, and so is a topic.
    guard names.count + (hasTopic ? 3 : 2) <= Envelope.maximumMembers else {
      scanner.at = name.lowerBound
      throw scanner.failure(
        "too many members", then: "a line has at most \(Envelope.maximumMembers)")
    }
    names.append(name)
  }

  private mutating func value(into json: inout [UInt8]) throws(WireError) {
    let start = scanner.at
    var end = start
    while end < line.count, line[end] != 0x20, line[end] != 0x09 { end += 1 }
    if start < end, startsJSON(start..<end), !isBareNumberLike(start..<end) {
      guard scanner.value(outside: 1) else { throw scanner.wireError }
      try requireBlank("a blank after the value")
      trace(start..<scanner.at, json, isQuoted: false)
      json.append(bytes: text(start..<scanner.at))
      return
    }
    try validate(start..<end)
    scanner.at = end
    append(quoted: start..<end, to: &json)
  }

  private mutating func append(quoted range: Range<Int>, to json: inout [UInt8]) {
    trace(range, json, isQuoted: true)
    json.append(jsonBytes: text(range))
  }

  /// - Parameter isQuoted: whether the JSON line has a quote before it that was not typed.
  private mutating func trace(_ typed: Range<Int>, _ json: [UInt8], isQuoted: Bool) {
    if isTracing { pieces.append((json.count, typed, isQuoted)) }
  }

  private func startsJSON(_ range: Range<Int>) -> Bool {
    switch line[range.lowerBound] {
    case 0x7B, 0x5B, 0x22, 0x2D, 0x30...0x39: true
    default: text(range).elementsEqual("true".utf8) || text(range).elementsEqual("false".utf8)
    }
  }

  /// Starts like a number and is none, as ids and digests do: `record=6F0E`. Then it is a string.
  private func isBareNumberLike(_ range: Range<Int>) -> Bool {
    let first = line[range.lowerBound]
    guard first == 0x2D || first &- 0x30 < 10 else { return false }
    var reader = scanner
    return !reader.value(outside: 1) || reader.at != range.upperBound
  }

  /// A bare string may hold anything but broken UTF-8.
  private func validate(_ range: Range<Int>) throws(WireError) {
    var reader = scanner
    reader.at = range.lowerBound
    while reader.at < range.upperBound {
      if line[reader.at] < 0x80 {
        reader.at += 1
        continue
      }
      guard reader.skipUTF8() else { throw reader.wireError }
    }
  }

  // MARK: Pieces

  private mutating func skipBlanks() {
    while isAtBlank, scanner.at < line.count { scanner.at += 1 }
  }

  /// At a space, a tab or the end.
  private var isAtBlank: Bool {
    scanner.at >= line.count || line[scanner.at] == 0x20 || line[scanner.at] == 0x09
  }

  private func requireBlank(_ what: String) throws(WireError) {
    guard isAtBlank else { throw scanner.expected(what) }
  }

  private mutating func name() -> Range<Int> {
    let start = scanner.at
    while scanner.at < line.count, isNameByte(line[scanner.at]) { scanner.at += 1 }
    return start..<scanner.at
  }

  private func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

  private func isNameByte(_ byte: UInt8) -> Bool {
    isLetter(byte) || byte &- 0x30 < 10 || byte == 0x2E || byte == 0x5F || byte == 0x2D
  }

  private func text(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: line[range])
  }
}
