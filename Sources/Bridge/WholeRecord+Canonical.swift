package import Merge

/// A whole record as a value, which is how a store keeps it. Members have the names that they have in
/// `WholeRecord`, dates the spelling of the type `date`.
extension WholeRecord {
  /// The canonical bytes (RFC 8785), written at once: a store gets one record in many rows.
  package var canonical: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(256 * (children.count + 1))
    append(to: &bytes)
    return bytes
  }

  private func append(to bytes: inout [UInt8]) {
    func member(_ name: String, _ value: Datum) {
      bytes += name.utf8
      value.append(to: &bytes)
    }
    bytes += "{\"children\":[".utf8
    for index in children.indices {
      if index > 0 { bytes += ",".utf8 }
      children[index].append(to: &bytes)
    }
    bytes += "]".utf8
    if let container {
      member(",\"container\":{\"kind\":", .string(container.kind))
      member(",\"record\":", .string(container.record))
      bytes += "}".utf8
    }
    member(",\"createdAt\":", FieldType.datum(createdAt))
    member(",\"kind\":", .string(target.kind))
    member(",\"place\":", place.map { .string(Name(String($0))) } ?? .null)
    member(",\"record\":", .string(target.record))
    member(",\"updatedAt\":", FieldType.datum(updatedAt))
    member(",\"values\":", .sorted(values.map { Datum.Member($0.key, $0.value) }))
    bytes += "}".utf8
  }

  /// - Returns: nil where the value is no whole record's.
  package init?(_ datum: Datum) {
    func date(_ name: Name) -> Double? {
      datum[name]?.text.flatMap { Double($0.text) }.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
    }
    guard let kind = datum["kind"]?.text, let record = datum["record"]?.text,
      case .object(let members)? = datum["values"], let createdAt = date("createdAt"),
      let updatedAt = date("updatedAt"), case .array(let children)? = datum["children"]
    else { return nil }
    let whole = children.compactMap(WholeRecord.init)
    guard whole.count == children.count else { return nil }
    var container: Target?
    if let named = datum["container"] {
      guard let kind = named["kind"]?.text, let record = named["record"]?.text else { return nil }
      container = Target(kind, record)
    }
    self.init(
      Target(kind, record), in: container,
      values: Dictionary(members.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 }),
      place: datum["place"]?.text.flatMap { Int64($0.text) }, createdAt: createdAt,
      updatedAt: updatedAt, children: whole)
  }
}
