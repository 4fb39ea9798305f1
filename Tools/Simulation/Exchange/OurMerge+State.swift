import Merge

extension Shown {
  /// What a fold amounts to.
  init(_ fold: Fold, _ schema: Schema) {
    let columns = OurMerge.columns(schema)
    self.init(
      records: fold.view(schema).kinds.flatMap { kind, views in
        views.map { OurMerge.record($0, columns[kind]!) }
      })
  }
}

/// What our devices show and keep.
extension OurMerge {
  package func state(_ device: Int, withKept: Bool) throws(MergeFailure) -> Shown {
    var state = shown[device] ?? Shown(records: records(device))
    shown[device] = state
    if withKept {
      for record in state.records {
        for field in record.fields { note(field.value) }
      }
      // All devices keep the same once they hold the same.
      let isFirst = device == 0 || devices[device].fold.vector != devices[0].fold.vector
      if isFirst { state.kept = Self.kept(devices[device], schema) }
    }
    return state
  }

  private func note(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { bytes in
      var at = 0
      while at + 8 <= bytes.count {
        let word = bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)
        behaviour = (behaviour ^ UInt64(littleEndian: word)) &* 0x9E37_79B9_7F4A_7C15
        behaviour ^= behaviour >> 29
        at += 8
      }
      while at < bytes.count {
        behaviour = (behaviour ^ UInt64(bytes[at])) &* 0x0000_0100_0000_01B3
        at += 1
      }
    }
  }

  /// What an event did not change is spelled as it was before.
  private func records(_ device: Int) -> [Shown.Record] {
    var spelled: [(view: RecordView, record: Shown.Record)] = []
    for (kind, views) in devices[device].fold.view(schema).kinds {
      let types = columns[kind]!
      for view in views {
        let record = known(view, device) ?? Self.record(view, types)
        spelled.append((view, record))
      }
    }
    self.spelled[device] = spelled
    return spelled.map(\.record)
  }

  private func known(_ view: RecordView, _ device: Int) -> Shown.Record? {
    for index in spelled[device].indices
    where spelled[device][index].view.target == view.target
      && spelled[device][index].view.fields == view.fields
    {
      return spelled[device][index].record
    }
    return nil
  }

  static func record(_ view: RecordView, _ types: [FieldType]) -> Shown.Record {
    var fields: [Shown.Field] = []
    fields.reserveCapacity(types.count)
    for index in view.fields.indices {
      let value = readable(view.fields[index].value, types[index])
      fields.append(Shown.Field(view.fields[index].name, value))
    }
    return Shown.Record(view.target, fields)
  }

  private static func readable(_ value: Datum, _ type: FieldType) -> [UInt8] {
    var bytes: [UInt8] = []
    type.append(readable: value, to: &bytes)
    return bytes
  }

  /// The types of the fields of a record as it is shown, in order.
  static func columns(_ schema: Schema) -> [Name: [FieldType]] {
    var columns: [Name: [FieldType]] = [:]
    for kind in schema.kinds {
      var types = kind.registers.flatMap { $0.fields.map(\.type) }
      if let container = kind.container, kind.field(container.field) == nil { types.append(.uuid) }
      types += kind.derived.map { $0.source == .touched ? .date : .int }
      columns[kind.name] = types
    }
    return columns
  }

  /// What the feed lists, and what hidden records would show if they were brought back.
  static func kept(_ device: DeviceReplica, _ schema: Schema) -> [Shown.Kept] {
    let fold = device.fold
    var kept: [Shown.Kept] = []
    for entry in fold.feed() {
      guard let field = entry.field else { continue }
      append(entry.value, entry.target, field, schema, to: &kept)
    }
    var seen: Set<Target> = []
    let editor = Editor(fold, schema, shown: fold.vector)
    for case .operation(let written) in device.replica.log {
      for action in written.operation.actions {
        let target = action.target
        guard seen.insert(target).inserted, schema[target.kind] != nil, fold.isCreated(target),
          !fold.isVisible(target, schema)
        else { continue }
        let present = editor.present(target)
        for register in schema[target.kind]!.registers {
          if let value = present[register.name] {
            append(value, target, register.name, schema, to: &kept)
          }
        }
      }
    }
    return kept
  }

  private static func append(
    _ value: Datum, _ target: Target, _ register: Name, _ schema: Schema,
    to kept: inout [Shown.Kept]
  ) {
    guard let register = schema[target.kind]?[register] else { return }
    for field in register.fields {
      let part = register.form == .group ? value[field.name] ?? .null : value
      kept.append(Shown.Kept(target, field.name, readable(part, field.type)))
    }
  }
}
