import Merge

/// What a device has done to a record, as its copy shows: the copy against what it may have started from.
///
/// A register is changed where its value is in none of those; what a record contains is deleted where it is in
/// all of them.
struct Changes: Equatable {
  /// New values by record and register; texts apart.
  var writes: [Target: [Name: Datum]] = [:]
  /// New whole texts, with what the device started from.
  var texts: [Text] = []
  var place: Int64?
  var created: [New] = []
  var deleted: [Target] = []
  var moves: [Move] = []

  struct Text: Equatable {
    var field: WholeRecord.Field
    var old: Name?
    var new: Name
  }

  struct New: Equatable {
    var record: WholeRecord
    /// The one before it; nil for the front.
    var after: Target?
  }

  struct Move: Equatable {
    var target: Target
    var after: Target?
  }

  /// - Parameters:
  ///   - starts: what the device may have started from; none where nothing is known.
  ///   - room: what else it may have started from, of which the values are known. Nothing is deleted or moved then.
  ///   - present: what the hub shows; what a device of which nothing is known has like that is no change.
  ///   - acted: what the device has told without a date.
  ///   - isOld: whether a field once had a value. Where nothing is known, that is no change either.
  init(
    _ copy: WholeRecord, _ schema: Schema, starts: [WholeRecord], room: Track.Room?,
    present: WholeRecord?,
    acted: [WholeRecord.Field: Datum], isUnknown: Bool,
    isOld: (WholeRecord.Field, Datum) -> Bool
  ) {
    let known = starts + (isUnknown ? [present].compactMap { $0 } : [])
    for record in [copy] + copy.ordered {
      let isNew =
        record.target != copy.target && !known.contains { $0.child(record.target) != nil }
        && room?.says(record.target) != true
      if isNew {
        let list = copy.ordered.filter { $0.target.kind == record.target.kind }
        let index = list.firstIndex { $0.target == record.target }!
        created.append(New(record: record, after: index == 0 ? nil : list[index - 1].target))
        continue
      }
      // What only a create writes is a change where the device may have made the record itself.
      for register in schema[record.target.kind]?.wholeRegisters ?? []
      where isUnknown || !register.isFixed {
        let field = WholeRecord.Field(target: record.target, name: register.name)
        guard let value = record.values[register.name], acted[field] != value else { continue }
        let before = known.compactMap { $0[field] }
        guard !before.contains(value), room?.says(value, in: field) != true,
          !(isUnknown && isOld(field, value))
        else { continue }
        if register.form == .text {
          let texts = starts.compactMap { $0[field]?.text }.reduce(into: [Name]()) { known, text in
            if !known.contains(text) { known.append(text) }
          }
          let new = value.text ?? ""
          self.texts.append(Text(field: field, old: Self.nearest(texts, to: new), new: new))
        } else {
          writes[record.target, default: [:]][register.name] = value
        }
      }
    }
    guard !isUnknown, room == nil else { return }
    if copy.place != nil, !starts.contains(where: { $0.place == copy.place }) { place = copy.place }
    findDeleted(copy, starts)
    findMoves(copy, starts)
  }

  /// The text that takes the fewest changes; of several the longest, of which the most is left, then the oldest.
  static func nearest(_ texts: [Name], to new: Name) -> Name? {
    guard texts.count > 1 else { return texts.first }
    return texts.map { text in
      (text, TextMerge.distance(text.text, new.text), -text.text.unicodeScalars.count)
    }.min { ($0.1, $0.2) < ($1.1, $1.2) }?.0
  }

  private mutating func findDeleted(_ copy: WholeRecord, _ starts: [WholeRecord]) {
    guard let first = starts.first else { return }
    for child in first.ordered where copy.child(child.target) == nil {
      if starts.allSatisfy({ $0.child(child.target) != nil }) { deleted.append(child.target) }
    }
  }

  private mutating func findMoves(_ copy: WholeRecord, _ starts: [WholeRecord]) {
    for kind in Set(copy.children.map(\.target.kind)).sorted() {
      func order(_ record: WholeRecord) -> [Target] {
        record.ordered.map(\.target).filter { $0.kind == kind }
      }
      moves += RisingSubsequence.fewestMoves(from: starts.map(order), to: order(copy)).map {
        Move(target: $0.id, after: $0.after)
      }
    }
  }
}
