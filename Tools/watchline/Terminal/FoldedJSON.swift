internal import AppModels
internal import Wire

/// A line of JSON for a person at a terminal: coloured, and over several lines where it is long.
///
/// ```
/// {"type":"sync.records","records":[…]}        {
///                                                "type":"sync.records",
///                                                "records":[
///                                                  {"id":"…","name":"Tea"}
///                                                ]
///                                              }
/// ```
/// What is shown is the same JSON: only blanks are added.
struct FoldedJSON {
  typealias Piece = Console.Piece

  /// Longer lines are shown as they are.
  private static let longest = 64 * 1024

  private let line: UnsafeRawBufferPointer
  private let columns: Int

  /// A line as pieces of text, row by row; nil where it is no object, or very long.
  ///
  /// - Parameters:
  ///   - line: without LF.
  ///   - columns: of the terminal.
  ///   - start: columns before the first row.
  static func rows(
    _ line: UnsafeRawBufferPointer, columns: Int, after start: Int
  ) -> [[Piece]]? {
    guard line.count <= longest, line.first == 0x7B else { return nil }
    var envelope = Envelope()
    guard (try? envelope.scan(line)) != nil, let end = line.lastIndex(of: 0x7D) else { return nil }
    let value = Value(kind: .object, start: 0, end: end + 1)
    let json = FoldedJSON(line: line, columns: columns)
    let whole = json.flat(value)
    let width = start + whole.reduce(0) { $0 + $1.text.columns }
    return width <= 2 * columns ? [whole] : json.folded(value, indent: 0)
  }

  private func text(_ value: Value) -> String {
    Console.printable(UnsafeRawBufferPointer(rebasing: line[value.start..<value.end]))
  }

  private func look(_ value: Value) -> Console.Look {
    switch value.kind {
    case .string: .string
    case .number: .number
    case .bool, .null: .word
    case .object, .array: .plain
    }
  }

  /// The values in a container, each with its name's text where it has one.
  private func parts(_ value: Value) -> [(name: String?, value: Value)] {
    var parts: [(name: String?, value: Value)] = []
    if value.kind == .object {
      var reader = ObjectReader(value, line)
      while let member = reader.nextMember() { parts.append((text(member.name), member.value)) }
    } else {
      var reader = ArrayReader(value, line)
      while let element = reader.next() { parts.append((nil, element)) }
    }
    return parts
  }

  private func brackets(_ value: Value) -> (String, String) {
    value.kind == .object ? ("{", "}") : ("[", "]")
  }

  private func name(_ name: String?) -> [Piece] {
    name.map { [($0, .name), (":", .plain)] } ?? []
  }

  private func flat(_ value: Value) -> [Piece] {
    guard value.kind == .object || value.kind == .array else { return [(text(value), look(value))] }
    let (open, close) = brackets(value)
    var pieces: [Piece] = [(open, .plain)]
    for (index, part) in parts(value).enumerated() {
      if index > 0 { pieces.append((",", .plain)) }
      pieces += name(part.name) + flat(part.value)
    }
    return pieces + [(close, .plain)]
  }

  /// A value on rows of its own, of which the first one is put behind its name.
  private func folded(_ value: Value, indent: Int) -> [[Piece]] {
    let parts = parts(value)
    guard !parts.isEmpty else { return [flat(value)] }
    let (open, close) = brackets(value)
    let blanks = String(repeating: " ", count: indent + 2)
    var rows: [[Piece]] = [[(open, .plain)]]
    for (index, part) in parts.enumerated() {
      let name = name(part.name)
      let flat = flat(part.value)
      let width = (name + flat).reduce(blanks.count + 1) { $0 + $1.text.columns }
      let isFolded = width > columns && (part.value.kind == .object || part.value.kind == .array)
      var inner = isFolded ? folded(part.value, indent: indent + 2) : [flat]
      inner[0] = [(blanks, .plain)] + name + inner[0]
      if index < parts.count - 1 { inner[inner.count - 1].append((",", .plain)) }
      rows += inner
    }
    return rows + [[(String(repeating: " ", count: indent) + close, .plain)]]
  }
}
