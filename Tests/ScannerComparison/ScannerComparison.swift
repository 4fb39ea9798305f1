import CSimdjson
package import Wire

/// The scanner and simdjson must agree on every document, but for what Watchline adds or leaves out
/// on purpose; each such difference is proven on the document and counted, not skipped.
///
/// | simdjson 3.0.1 | Watchline |
/// | --- | --- |
/// | any value at the top | an object only |
/// | the same name twice | refused at the top level |
/// | numbers beyond 64 bits or beyond a double are errors | only their grammar counts |
/// | a byte order mark may lead | refused |
/// | depth 1024 | depth 64 (not generated here: see `countsLevels`) |
package enum ScannerComparison {
  package enum Verdict: CaseIterable {
    case bothAccept, bothRefuse, notAnObject, repeatedName, hugeNumber
  }

  /// How the two stand to one another, or nil where they differ without a reason.
  package static func compare(_ document: [UInt8], _ envelope: inout Envelope) -> Verdict? {
    document.withUnsafeBytes { line -> Verdict? in
      let start = line.baseAddress?.assumingMemoryBound(to: CChar.self)
      let theirs = watchline_simdjson_validate(start, line.count)
      do throws(WireError) {
        try envelope.scan(line)
        if theirs == 0 { return .bothAccept }
        return hasHugeNumber(root(line), line) ? .hugeNumber : nil
      } catch {
        if theirs != 0 { return .bothRefuse }
        let first = line.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        if first != 0x7B { return .notAnObject }
        return hasRepeatedName(root(line), line) && error.message.contains("again")
          ? .repeatedName : nil
      }
    }
  }

  private static func root(_ line: UnsafeRawBufferPointer) -> Value {
    let start = line.firstIndex(of: 0x7B)!
    return Value(kind: .object, start: start, end: line.lastIndex(of: 0x7D)! + 1)
  }

  private static func hasRepeatedName(_ object: Value, _ line: UnsafeRawBufferPointer) -> Bool {
    var names: Set<[UInt8]> = []
    var reader = ObjectReader(object, line)
    while let (name, _) = reader.next() {
      if !names.insert(Array(name.utf8)).inserted { return true }
    }
    return false
  }

  private static func hasHugeNumber(_ value: Value, _ line: UnsafeRawBufferPointer) -> Bool {
    switch value.kind {
    case .number:
      let text = String(decoding: line[value.start..<value.end], as: UTF8.self)
      if !text.contains(where: { ".eE".contains($0) }) {
        return Int64(text) == nil && UInt64(text) == nil
      }
      return Double(text)?.isFinite != true
    case .object:
      var reader = ObjectReader(value, line)
      while let (_, member) = reader.next() { if hasHugeNumber(member, line) { return true } }
      return false
    case .array:
      var reader = ArrayReader(value, line)
      while let element = reader.next() { if hasHugeNumber(element, line) { return true } }
      return false
    default: return false
    }
  }
}
