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
    var container: Target
    /// The one before it; nil for the front.
    var after: Target?
  }

  struct Move: Equatable {
    var target: Target
    var container: Target
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
        created.append(
          New(
            record: record, container: copy.container(of: record),
            after: Self.predecessor(of: record, in: copy)))
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

  private static func predecessor(of child: WholeRecord, in copy: WholeRecord) -> Target? {
    let list = copy.list(of: child)
    let index = list.firstIndex { $0.target == child.target }!
    return index == 0 ? nil : list[index - 1].target
  }

  /// What was in something that is gone went with that.
  private mutating func findDeleted(_ copy: WholeRecord, _ starts: [WholeRecord]) {
    guard let first = starts.first else { return }
    for child in first.ordered where copy.child(child.target) == nil {
      let isInner = child.container.map { copy.child($0) == nil } ?? false
      if !isInner, starts.allSatisfy({ $0.child(child.target) != nil }) {
        deleted.append(child.target)
      }
    }
  }

  private mutating func findMoves(_ copy: WholeRecord, _ starts: [WholeRecord]) {
    var lists: [[WholeRecord]] = []
    for child in copy.ordered {
      if let last = lists.last?.last, last.target.kind == child.target.kind,
        last.container == child.container
      {
        lists[lists.count - 1].append(child)
      } else {
        lists.append([child])
      }
    }
    for list in lists {
      let container = copy.container(of: list[0])
      let orders = starts.map { start in
        start.list(of: list[0]).map(\.target)
      }
      moves += RisingSubsequence.fewestMoves(from: orders, to: list.map(\.target)).map {
        Move(target: $0.id, container: container, after: $0.after)
      }
      // What comes from another list stands in this one in none of them.
      for (previous, child) in zip([nil] + list, list) {
        let before = starts.compactMap { $0.child(child.target) }
        guard !before.isEmpty, !before.contains(where: { $0.container == child.container }) else {
          continue
        }
        moves.append(
          Move(target: child.target, container: container, after: previous?.target))
      }
    }
  }
}
