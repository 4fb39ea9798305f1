/// A record as people read it.
enum RecordLabel {
  /// `timer 1` where its id is a number among zeros, as those are that are drawn; the kind alone
  /// where it is the only one of its kind; else the kind and the id.
  static func text(_ kind: String, _ record: String) -> String {
    let parts = record.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
      .map { Substring($0) }
    if parts.count == 5, let first = Int(parts[0]), let last = Int(parts[4]), first >= 0, last >= 0,
      first == 0 || last == 0
    {
      return "\(kind) \(first + last)"
    }
    return record.isIdentical(to: kind) ? kind : "\(kind) \(record)"
  }
}
