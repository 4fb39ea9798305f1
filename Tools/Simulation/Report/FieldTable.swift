/// The field of a finding for the terminal: what each device ends with, beside what would have been
/// acceptable, and the record's other fields that changed.
struct FieldTable {
  private let field: Finding.Field
  private let verdict: Verdict
  private let ink: Ink
  /// Other fields: name, and the value at each device of `ends`.
  private var others: [(name: String, values: [String])] = []

  /// The most other fields that are shown.
  private static let mostOthers = 6

  init(_ field: Finding.Field, _ recording: Recording, _ ink: Ink) {
    self.field = field
    verdict = Verdict(field)
    self.ink = ink
    guard let name = field.name else { return }
    let holdings = Holdings(recording)
    let changes = holdings.changes.joined().filter { $0.isOf(field.kind, field.record) }
    for other in changes.last?.fields.map(\.name) ?? [] where !other.isIdentical(to: name) {
      let values = changes.compactMap { $0.value(other) }
      guard let first = values.first, values.contains(where: { !$0.isIdentical(to: first) }),
        others.count < Self.mostOthers
      else { continue }
      let ends = field.ends.map { end in
        let held = recording.index(of: end.device).map { holdings.ends[$0] } ?? []
        return held.first { $0.isOf(field.kind, field.record) }?.value(other) ?? "–"
      }
      others.append((other, ends))
    }
  }

  private var label: String { field.name ?? RecordLabel.text(field.kind, field.record) }

  private var acceptable: String {
    let values = verdict.acceptable
    return values.isEmpty ? "–" : values.map(Visible.value).joined(separator: " or ")
  }

  private var isBad: Bool { verdict.isWrong }

  var lines: [String] {
    var rows = [["field"] + field.ends.map { "\(Visible.text($0.device)) ends" } + ["acceptable"]]
    rows.append([Visible.text(label)] + field.ends.map { Visible.value($0.value) } + [acceptable])
    for other in others {
      rows.append([Visible.text(other.name)] + other.values.map(Visible.value) + [""])
    }
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    // Two before, three between, and the mark at the end.
    let total = widths.reduce(2 + 3 * widths.count + 1, +)
    guard total <= TextLayout.width else { return list(rows) }
    let markColumn = max(total - 1, min(TextLayout.width - 13, 67))
    return rows.enumerated().map { index, row in
      let cells = zip(row, widths).map { TextLayout.padded($0, to: $1) }
      let line = "  " + cells.joined(separator: "   ")
      guard index == 1, isBad else { return Self.trimmed(line) }
      return TextLayout.padded(line, to: markColumn) + ink.loss("✗")
    }
  }

  /// A line a value, where columns would be too wide.
  private func list(_ rows: [[String]]) -> [String] {
    let width = rows[0].map(\.count).max() ?? 0
    return rows.dropFirst().enumerated().flatMap { index, row in
      let mark = index == 0 && isBad ? "  " + ink.loss("✗") : ""
      let values = zip(rows[0], row).dropFirst().filter { !$1.isEmpty }.flatMap { name, value in
        let lines = TextLayout.wrapped(value, indentation: width + 7, first: 0)
        return ["    " + TextLayout.padded(name, to: width + 3) + lines[0]] + lines.dropFirst()
      }
      return ["  \(row[0])\(mark)"] + values
    }
  }

  private static func trimmed(_ line: String) -> String {
    var line = Substring(line)
    while line.last == " " { line.removeLast() }
    return String(line)
  }
}
