package import Merge
package import Wire

/// How our merge takes an edit.
extension Edit {
  /// What an edit becomes, as of what its writer had been shown; none where nothing was changed.
  ///
  /// - Parameters:
  ///   - shown: what the writer had been shown when the edit began.
  ///   - now: the device's clock, in milliseconds since 1970.
  /// - Throws: what an app would be told: 4003, 4004, a rule of the schema. Nothing has changed then.
  package func actions(
    _ fold: Fold, _ schema: Schema, shown: VersionVector, now: Int64
  ) throws(WireError) -> [Action] {
    guard let kind = schema[kind] else {
      throw WireError(.invalidField, "\(schema.name) has no kind \(self.kind)")
    }
    let target = Target(kind.name, kind.fixedID ?? record)
    if case .create = change {
    } else if !fold.isCreated(target) {
      throw WireError(.invalidField, "there is no \(target.kind) \(target.record)")
    }
    var editor = Editor(fold, schema, shown: shown)
    switch change {
    case .create(let fields):
      let plan = try Self.reading(fields) { value, line throws(WireError) in
        try kind.plan(creating: value, line, now: now, among: Self.neighbours(fold, schema))
      }
      return try editor.create(target, plan)
    case .set(let fields):
      return try Self.setting(fields, target, kind, fold, schema, &editor)
    case .delete: return try editor.delete(target)
    case .restore: return try editor.restore(target)
    case .move(let after, let into):
      guard kind.order != nil else {
        throw WireError(.invalidField, "records of kind \(kind.name) have no order")
      }
      let list =
        into.flatMap { record in kind.container.map { Target($0.kind, record) } }
        ?? (kind.isListedInContainer ? fold.container(of: target, schema) : nil)
      if let list, into != nil, !fold.isCreated(list) {
        throw WireError(.invalidField, "there is no \(list.kind) \(list.record)")
      }
      return try editor.move(target, to: after.map { .after($0) } ?? .first, in: list)
    case .splice(let field, let at, let remove, let insert, _):
      var text = Array((editor.present(target)[field]?.text?.text ?? "").unicodeScalars)
      let start = min(at, text.count)
      text.replaceSubrange(start..<min(start + remove, text.count), with: insert.unicodeScalars)
      var result = String.UnicodeScalarView()
      result.append(contentsOf: text)
      var fields = Array("{".utf8)
      fields.append(jsonString: field.text)
      fields.append(0x3A)
      fields.append(jsonString: String(result))
      fields.append(0x7D)
      return try Self.setting(fields, target, kind, fold, schema, &editor)
    }
  }

  private static func setting(
    _ fields: [UInt8], _ target: Target, _ kind: Schema.Kind, _ fold: Fold, _ schema: Schema,
    _ editor: inout Editor
  ) throws(WireError) -> [Action] {
    let present = editor.present(target)
    let plan = try Self.reading(fields) { value, line throws(WireError) in
      try kind.plan(setting: value, line, present: present, among: neighbours(fold, schema))
    }
    return try editor.set(target, plan)
  }

  private static func neighbours(_ fold: Fold, _ schema: Schema) -> Neighbours {
    Neighbours(
      isVisible: { fold.isVisible($0, schema) },
      container: { fold.container(of: $0, schema)?.record })
  }

  private static func reading<Result>(
    _ json: [UInt8], _ body: (Value, UnsafeRawBufferPointer) throws(WireError) -> Result
  ) throws(WireError) -> Result {
    let result: Swift.Result<Result, WireError> = json.withUnsafeBytes { line in
      do throws(WireError) {
        var envelope = Envelope()
        try envelope.scan(line)
        return .success(try body(Value(kind: .object, start: 0, end: line.count), line))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}
