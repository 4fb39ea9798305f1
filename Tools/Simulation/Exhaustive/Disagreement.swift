internal import Merge
package import Oracle

/// Where a merge and the oracle part.
package struct Disagreement: Error, CustomStringConvertible {
  /// In the order in which they were applied; the last made the difference.
  package var history: History
  package var expected: String
  package var found: String
  /// What is shown or listed otherwise, a line each.
  package var differences: [String]

  package var description: String { "\(history)\nexpected \(expected)\nfound    \(found)" }

  init(_ history: History, refused reason: String) {
    self.history = history
    expected = "applied"
    found = reason
    differences = ["an edit is refused: \(reason)"]
  }

  init(_ history: History, expected: Datum, found: Datum) {
    self.history = history
    self.expected = history.shortened(expected.spelled)
    self.found = history.shortened(found.spelled)
    differences = Self.differences(expected, found)
  }

  init(_ history: History, expected: [OracleFeedEntry], found: [OracleFeedEntry]) {
    self.history = history
    self.expected = history.shortened(expected.spelled)
    self.found = history.shortened(found.spelled)
    differences =
      expected.filter { !found.contains($0) }.map { "what lost and is not listed: \($0.words)" }
      + found.filter { !expected.contains($0) }.map { "listed as lost, and is not: \($0.words)" }
    if differences.isEmpty { differences = ["what lost is listed in another order"] }
  }

  /// Of two views, record by record.
  private static func differences(_ expected: Datum, _ found: Datum) -> [String] {
    var lines: [String] = []
    for (kind, right) in members(expected) {
      let records = elements(right)
      let shown = elements(found[kind] ?? .null)
      for record in records {
        let id = record["id"]?.text ?? ""
        guard let other = shown.first(where: { $0["id"] == record["id"] }) else {
          lines.append("\(kind) \(id) is not shown and should be")
          continue
        }
        for (field, value) in members(record) where other[field] != value {
          lines.append(
            "\(kind) \(id), \(field): shows \((other[field] ?? .null).spelled), "
              + "and \(value.spelled) is right")
        }
      }
      for record in shown where !records.contains(where: { $0["id"] == record["id"] }) {
        lines.append("\(kind) \(record["id"]?.text ?? "") is shown and should not be")
      }
      if lines.isEmpty, records != shown { lines.append("\(kind): in another order") }
    }
    return lines
  }

  private static func members(_ datum: Datum) -> [(Name, Datum)] {
    guard case .object(let members) = datum else { return [] }
    return members.map { ($0.name, $0.value) }
  }

  private static func elements(_ datum: Datum) -> [Datum] {
    guard case .array(let elements) = datum else { return [] }
    return elements
  }
}

extension Disagreement {
  /// The disagreement in the words of who uses the app.
  package var finding: Finding {
    let start = history.operations.map(\.stamp.ms).min() ?? 0
    var story = history.operations.map { operation in
      let actions = operation.actions.map { String(decoding: $0.datum.canonical, as: UTF8.self) }
      let seen = history.operations.filter { operation.follows($0.dot) }.map { Self.name($0.dot) }
      let after = seen.isEmpty ? "nothing" : seen.joined(separator: ", ")
      return history.shortened(
        "+\(operation.stamp.ms - start) ms  \(Self.name(operation.dot)), having seen \(after): "
          + actions.joined(separator: " "))
    }
    story.append("A device that takes them in in this order:")
    story += differences.map { "  \($0)" }
    let isFeed = differences.contains { $0.contains("list") }
    return Finding(
      invariant: isFeed ? "I28" : "I4", slug: isFeed ? "feed" : "view",
      headline: isFeed
        ? "What lost is not listed as it should be."
        : "A device shows something else than its edits amount to.",
      story: story)
  }

  /// An operation by who wrote it and which of his it was.
  private static func name(_ dot: Dot) -> String {
    let device = HistoryEnumeration.replicas.firstIndex(of: dot.replica)
    let name = device.map { ["phone", "watch", "second watch"][$0] } ?? "a device"
    return "\(name) edit \(dot.seq)"
  }
}

extension OracleFeedEntry {
  fileprivate var words: String {
    "\(target.kind) \(target.record), \(field.map { "\($0) = \(value.spelled)" } ?? "delete")"
  }
}

extension Datum {
  /// As JSON text.
  var spelled: String { String(decoding: canonical, as: UTF8.self) }
}

extension [OracleFeedEntry] {
  var spelled: String {
    map {
      "\($0.target.kind)/\($0.target.record) \($0.field?.text ?? "deleted") \($0.dot) "
        + "action \($0.actionIndex) stamp \($0.stamp.spelled) wall \($0.wall) "
        + "\($0.value.spelled) lost to \($0.lostTo)"
    }.joined(separator: "; ")
  }
}
