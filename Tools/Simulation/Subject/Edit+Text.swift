import Merge
import Wire

extension Edit {
  /// In a few words: `set timer 1 {"name":"Tea"}`.
  package var spelled: String {
    let what = "\(kind) \(RecordLabel.short(record.text))"
    switch change {
    case .create(let fields): return "create \(what) \(Self.text(fields))"
    case .set(let fields): return "set \(what) \(Self.text(fields))"
    case .delete: return "delete \(what)"
    case .restore: return "restore \(what)"
    case .move(let after, let into):
      let list = into.map { " into \(RecordLabel.short($0.text))" } ?? ""
      let place = after.map { "behind \(RecordLabel.short($0.text))" } ?? "to the front"
      return "move \(what)\(list) \(place)"
    case .splice(let field, let at, let remove, let insert, _):
      var text: [UInt8] = []
      text.append(jsonString: insert)
      let removed = remove > 0 ? "without \(remove) characters, " : ""
      return "\(field) of \(what) at \(at): \(removed)with \(String(decoding: text, as: UTF8.self))"
    }
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  /// As a person types it to the server; nil where it cannot be typed.
  func line(_ id: String, alias: (Name) -> Name) -> String? {
    var line = Array("{\"type\":\"sync.edit\",\"id\":\"\(id)\",\"kind\":\"\(kind)\"".utf8)
    func record() {
      line.append(text: ",\"record\":")
      line.append(jsonString: alias(self.record).text)
    }
    switch change {
    case .create(let fields):
      line.append(text: ",\"set\":")
      line += fields
    case .set(let fields):
      record()
      line.append(text: ",\"set\":")
      line += fields
    case .delete:
      record()
      line.append(text: ",\"delete\":true")
    case .restore:
      line = Array("{\"type\":\"sync.restore\",\"id\":\"\(id)\",\"kind\":\"\(kind)\"".utf8)
      record()
    case .move(let after, let into):
      guard into == nil else { return nil }
      record()
      line.append(text: ",\"move\":{\"after\":")
      if let after { line.append(jsonString: alias(after).text) } else { line.append(text: "null") }
      line.append(0x7D)
    case .splice(let field, _, _, _, let result):
      record()
      line.append(text: ",\"set\":{")
      line.append(jsonString: field.text)
      line.append(0x3A)
      line.append(jsonString: result)
      line.append(0x7D)
    }
    line.append(0x7D)
    return String(decoding: line, as: UTF8.self)
  }
}
