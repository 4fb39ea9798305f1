internal import ScannerComparison
internal import Wire

/// The scanner refuses what simdjson refuses, but for the differences that are intended. What it
/// accepts, it reads to the end without leaving the line.
func checkScanner(_ line: [UInt8]) {
  var envelope = Envelope()
  guard let verdict = ScannerComparison.compare(line, &envelope) else {
    fatalError("the scanner and simdjson differ on \(String(decoding: line, as: UTF8.self))")
  }
  guard verdict == .bothAccept else { return }
  line.withUnsafeBytes { bytes in
    let start = bytes.firstIndex(of: UInt8(ascii: "{"))!
    let end = bytes.lastIndex(of: UInt8(ascii: "}"))! + 1
    read(Value(kind: .object, start: start, end: end), bytes)
  }
}

/// Reads a value with all that is in it.
private func read(_ value: Value, _ line: UnsafeRawBufferPointer) {
  precondition(0...line.count ~= value.start && value.start...line.count ~= value.end)
  switch value.kind {
  case .object:
    var reader = ObjectReader(value, line)
    while let (_, member) = reader.next() { read(member, line) }
  case .array:
    var reader = ArrayReader(value, line)
    while let element = reader.next() { read(element, line) }
  case .string: _ = decodeString(value, line)
  case .number: _ = decodeInteger(value, line)
  default: break
  }
}
