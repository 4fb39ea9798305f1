import Wire

/// How a snapshot names what is in it.
extension SnapshotReader {
  /// `<place>/<seq>/<stamp>`; nil where the member is not there.
  func mark(_ name: StaticString, _ reader: DatumReader) throws(WireError) -> Mark? {
    guard reader.has(name) else { return nil }
    return try reader.value(name, "<replica's place>/<seq>/<stamp>") { text in
      let parts = text.split(separator: 0x2F, omittingEmptySubsequences: false)
      guard parts.count == 3, let dot = dot(parts[0], parts[1]),
        let stamp = Stamp(parts[2], replica: dot.replica)
      else { return nil }
      return Mark(stamp, dot)
    }
  }

  /// A list of `<place>/<seq>`.
  func dots(_ name: StaticString, _ reader: DatumReader) throws(WireError) -> [Dot] {
    var dots: [Dot] = []
    for item in try reader.list(name) {
      let parts = item.text?.utf8.split(separator: 0x2F, omittingEmptySubsequences: false) ?? []
      guard parts.count == 2, let dot = dot(parts[0], parts[1]) else {
        throw reader.invalid(name, "a list of <replica's place>/<seq>")
      }
      dots.append(dot)
    }
    return dots
  }

  /// `<place>/<seq>/<index>`.
  func element(_ name: StaticString, _ reader: DatumReader) throws(WireError) -> Element {
    try reader.value(name, "<replica's place>/<seq>/<index>") { text in
      let parts = text.split(separator: 0x2F, omittingEmptySubsequences: false)
      return parts.count == 3 ? element(parts[...]) : nil
    }
  }

  /// `<place>/<seq>/<index>/<rank>`.
  func sibling(_ text: UnsafeRawBufferPointer) -> Sibling? {
    let parts = text.split(separator: 0x2F, omittingEmptySubsequences: false)
    guard parts.count == 4, let element = element(parts[..<3]),
      let rank = UInt64(decimal: parts[3]), let rank = UInt8(exactly: rank)
    else { return nil }
    return Sibling(element, rank: rank)
  }

  private func element<Text: Collection<UInt8>>(_ parts: ArraySlice<Text>) -> Element? {
    guard let dot = dot(parts[0], parts[1]), let index = UInt64(decimal: parts[2]),
      index < Element.indexLimit
    else { return nil }
    return fold.element(ElementID(dot, UInt32(index)))
  }

  /// An operation of the snapshot's set.
  private func dot(_ place: some Collection<UInt8>, _ seq: some Collection<UInt8>) -> Dot? {
    guard let place = UInt64(decimal: place), place < replicas.count,
      let seq = UInt64(decimal: seq), seq > 0, seq <= replicas[Int(place)].seq
    else { return nil }
    return Dot(replicas[Int(place)].id, seq)
  }
}

extension MemberReader {
  func has(_ name: StaticString) -> Bool { source.member(name) != nil }

  func number(_ name: StaticString, below limit: UInt64) throws(WireError) -> UInt64 {
    try value(name, "a whole number below \(limit)") { text in
      UInt64(decimal: text).flatMap { $0 < limit ? $0 : nil }
    }
  }

  /// A member that is left out where it is false.
  func flag(_ name: StaticString) throws(WireError) -> Bool {
    guard let member = source.member(name) else { return false }
    guard let flag = member.flag else { throw invalid(name, "true or false") }
    return flag
  }

  /// The record that the object itself is about.
  func ownTarget() throws(WireError) -> Target {
    Target(try text("kind", "the record's kind"), try text("record", "the record's id"))
  }

  /// A list that is left out where it is empty.
  func list(_ name: StaticString) throws(WireError) -> [Source] {
    guard let member = source.member(name) else { return [] }
    guard let items = member.elements else { throw invalid(name, "a list") }
    return items
  }

  func items(
    _ name: StaticString, _ body: (Self) throws(WireError) -> Void
  ) throws(WireError) {
    for (index, item) in try list(name).enumerated() {
      try body(Self(item, .item("\(name)", index, in: place)))
    }
  }
}
