/// A record as people read it.
enum RecordLabel {
  /// `timer 1` where its id is a number among zeros, as those are that are drawn; the kind alone
  /// where it is the only one of its kind; else the kind and the id.
  static func text(_ kind: String, _ record: String) -> String {
    if let number = number(record) { return "\(kind) \(number)" }
    return record.isIdentical(to: kind) ? kind : "\(kind) \(record)"
  }

  /// An id within a sentence: its number, or the last digits of a UUID, or the name itself.
  static func short(_ record: String) -> String {
    number(record).map(String.init) ?? (record.utf8.count == 36 ? "…" + record.suffix(4) : record)
  }

  /// The number of an id that was drawn: one among zeros.
  private static func number(_ record: String) -> Int? {
    let parts = record.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
      .map { Substring($0) }
    guard parts.count == 5, let first = Int(parts[0]), let last = Int(parts[4]), first >= 0,
      last >= 0, first == 0 || last == 0
    else { return nil }
    return first + last
  }
}
