package import Merge
package import Wire

/// All records of an app as lines of JSON, each by itself, and back.
///
/// ```
/// {"backup":"1","schema":"todoTimers"}
/// {"fields":{"durationInSeconds":"300","name":"Tea",…},"kind":"timer","record":"6F0E…"}
/// ```
/// Numbers are strings, as in operations.
extension Records {
  private var backupHeading: Datum {
    .sorted([
      Datum.Member("backup", .int(1)), Datum.Member("schema", .string(keeper.schema.name)),
    ])
  }

  /// The visible records with what their creators and editors wrote, containers before what is in them, and lists in
  /// their order.
  package var backup: [Datum] {
    [backupHeading]
      + backedUpKinds.flatMap { kind in
        all(kind.name).map { record in
          .sorted([
            Datum.Member("kind", .string(kind.name)), Datum.Member("record", .string(record.id)),
            Datum.Member(
              "fields",
              .sorted(
                backedUpFields(kind).compactMap { name in
                  record[name].flatMap { $0 == .null ? nil : Datum.Member(name, $0) }
                })),
          ])
        }
      }
  }

  /// Each behind those that contain it or that it refers to.
  private var backedUpKinds: [Schema.Kind] {
    var left = keeper.schema.kinds.filter { carries($0.name) }
    var kinds: [Schema.Kind] = []
    while !left.isEmpty {
      let next = left.firstIndex { kind in
        let others =
          kind.registers.flatMap(\.fields).compactMap(\.reference)
          + [kind.container?.kind].compactMap { $0 }
        return others.allSatisfy { other in
          other == kind.name || !left.contains { $0.name == other }
        }
      }
      kinds.append(left.remove(at: next ?? 0))
    }
    return kinds
  }

  /// The fields of a kind that a backup has: those that are shared, and those that a create alone writes.
  private func backedUpFields(_ kind: Schema.Kind) -> [Name] {
    let fields = kind.registers.filter { $0.name != kind.order }.flatMap(\.fields)
      .filter { $0.isFixed || carries(kind.name, $0.name) }.map(\.name)
    guard let container = kind.container?.field, !fields.contains(container) else { return fields }
    return fields + [container]
  }

  /// What has become of the lines of a backup.
  package struct Restored: Sendable {
    package var made = 0
    /// There already, and left as they are.
    package var present = 0
    /// By line, from 1: what could not be made, and why.
    package var refused: [(line: Int, error: WireError)] = []
  }

  /// Makes the records of a backup that are not there.
  ///
  /// - Parameter now: milliseconds since 1970.
  /// - Throws: 4001 or 4004 where it is no backup of this app's, and on a device with whole records, whose copies of what
  ///   was deleted are taken for late ones (clause 13.4); nothing has changed then.
  package func restore(_ lines: [[UInt8]], now: Int64) throws(WireError) -> Restored {
    guard keeper.carried == nil else {
      throw WireError(
        .invalidField,
        "a device with whole records cannot bring back what was deleted; restore it on another one")
    }
    guard let first = lines.first else {
      throw WireError(.invalidField, "the backup is empty")
    }
    let heading = try Datum(json: first)
    guard heading == backupHeading else {
      let schema = heading["schema"]?.text?.text
      throw WireError(
        .invalidField,
        schema.map { "the backup is of \($0), and this is \(keeper.schema.name)" }
          ?? "the first line is not that of a backup")
    }
    var restored = Restored()
    var number = 1
    for line in lines.dropFirst() {
      number += 1
      do throws(WireError) {
        if try make(try Datum(json: line), now) {
          restored.made += 1
        } else {
          restored.present += 1
        }
      } catch {
        restored.refused.append((number, error))
      }
    }
    return restored
  }

  /// - Returns: false where the record is there.
  private func make(_ line: Datum, _ now: Int64) throws(WireError) -> Bool {
    guard let kind = line["kind"]?.text, let record = line["record"]?.text,
      case .object(let members)? = line["fields"]
    else {
      throw WireError(.missingField, "a record must have kind, record and fields")
    }
    guard self[kind, record] == nil else { return false }
    let fields = Dictionary(members.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
    try edit(now: now) { edit throws(WireError) in
      try edit.create(kind, fields, as: record)
    }
    return true
  }
}
