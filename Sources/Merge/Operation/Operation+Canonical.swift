import Wire

/// The canonical bytes of an operation, written at once: those of `datum(after:)`, whose members
/// would be made and sorted first.
extension Operation {
  /// - Parameter previous: the context of the replica's operation before this one.
  package func canonical(after previous: Context?) -> [UInt8] {
    var bytes: [UInt8] = []
    // An action takes some 200 bytes, and what is around them the same again.
    bytes.reserveCapacity(256 * (actions.count + 1))
    bytes.append("{\"actions\":[" as StaticString)
    for index in actions.indices {
      if index > 0 { bytes.append(0x2C) }
      actions[index].append(to: &bytes)
    }
    bytes.append(0x5D)
    let difference = contextDifference(previous)
    if !difference.isEmpty {
      bytes.append(",\"context\":" as StaticString)
      Datum.sorted(difference).append(to: &bytes)
    }
    bytes.append(",\"replica\":\"" as StaticString)
    bytes.append(spelled: dot.replica)
    bytes.append("\",\"seq\":\"" as StaticString)
    bytes.append(decimal: dot.seq)
    bytes.append("\",\"stamp\":\"" as StaticString)
    bytes.append(spelled: stamp)
    bytes.append("\",\"wall\":\"" as StaticString)
    bytes.append(decimal: wall)
    bytes.append("\"}" as StaticString)
    return bytes
  }
}

extension Action {
  /// Members in the order of their names: action, elements, field, home, into, kind, parent, record,
  /// revives, side, text, value, via.
  func append(to bytes: inout [UInt8]) {
    switch body {
    case .unknown(let datum): return datum.append(to: &bytes)
    case .create: bytes.append("{\"action\":\"create\"" as StaticString)
    case .delete: bytes.append("{\"action\":\"delete\"" as StaticString)
    case .restore: bytes.append("{\"action\":\"restore\"" as StaticString)
    case .write(let field, _): bytes.append("{\"action\":\"write\",\"field\":", field)
    case .move(let field, _): bytes.append("{\"action\":\"move\",\"field\":", field)
    case .insert(let field, _, _): bytes.append("{\"action\":\"insert\",\"field\":", field)
    case .erase(let field, let runs):
      bytes.append("{\"action\":\"erase\",\"elements\":[" as StaticString)
      for index in runs.indices {
        bytes.append((index > 0 ? ",[\"" : "[\"") as StaticString)
        bytes.append(spelled: runs[index].first)
        bytes.append("\",\"" as StaticString)
        bytes.append(decimal: runs[index].count)
        bytes.append("\"]" as StaticString)
      }
      bytes.append("],\"field\":", field)
    }
    if let home { bytes.append(",\"home\":", home) }
    if let into { bytes.append(",\"into\":", into) }
    bytes.append(",\"kind\":", target.kind)
    if let parent = anchor?.parent {
      bytes.append(",\"parent\":\"" as StaticString)
      bytes.append(spelled: parent)
      bytes.append(0x22)
    }
    bytes.append(",\"record\":", target.record)
    if revives { bytes.append(",\"revives\":true" as StaticString) }
    if anchor?.side == .left { bytes.append(",\"side\":\"left\"" as StaticString) }
    switch body {
    case .insert(_, _, let text): bytes.append(",\"text\":", text)
    case .write(_, let value):
      bytes.append(",\"value\":" as StaticString)
      value.append(to: &bytes)
    case .create, .delete, .restore, .move, .erase, .unknown: break
    }
    if let via { bytes.append(",\"via\":", via) }
    bytes.append(0x7D)
  }

  private var anchor: Anchor? {
    switch body {
    case .move(_, let anchor), .insert(_, let anchor, _): anchor
    case .create, .delete, .restore, .write, .erase, .unknown: nil
    }
  }
}

extension [UInt8] {
  fileprivate mutating func append(_ literal: StaticString, _ name: Name) {
    append(literal)
    append(quoted: name)
  }

  fileprivate mutating func append(_ literal: StaticString, _ target: Target) {
    append(literal)
    append("{\"kind\":", target.kind)
    append(",\"record\":", target.record)
    append(0x7D)
  }
}
