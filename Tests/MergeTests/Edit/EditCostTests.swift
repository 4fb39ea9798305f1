import Merge
import Testing
import Wire

/// An edit costs what it touches, however many records there are: looks at records and at slots are
/// counted, not seconds.
@Suite struct EditCostTests {
  private static func timer(_ number: Int) -> Target {
    Target("timer", Name(Identifier(high: UInt64(number) << 32, low: 7).description))
  }

  /// Timers that are all in one list, and a device that has been asked for one place.
  private func desk(_ count: Int, hasPlaces: Bool = true) throws -> EditingDesk {
    var desk = EditingDesk()
    let phone = desk.phone.id
    try desk.edit { _, _ in
      (0..<count).flatMap { number -> [Action] in
        let target = Self.timer(number)
        var actions = [
          Action(target, .create), Action(target, .write(field: "name", value: .string("t"))),
        ]
        // Each slot behind the one before; they are this operation's elements.
        let before = number == 0 ? nil : ElementID(Dot(phone, 1), UInt32(number - 1))
        if hasPlaces {
          actions.append(
            Action(
              target, .move(field: EditingDesk.schema["timer"]!.order!, to: Anchor(before, .right)))
          )
        }
        return actions
      }
    }
    _ = desk.phone.fold.view(Self.timer(0), EditingDesk.schema)
    _ = desk.phone.fold.ids("timer", startingWith: "0000")
    return desk
  }

  /// What one edit of each kind, with an answer that shows its record, looks at.
  private func looks(_ count: Int, hasPlaces: Bool = true, isBehind: Bool = false) throws -> [Int] {
    var desk = try desk(count, hasPlaces: hasPlaces)
    let fold = desk.phone.fold
    let shown = isBehind ? fold.vector : nil
    let middle = Self.timer(count / 2)
    var looks: [Int] = []
    func measure(_ target: Target, _ edit: (inout EditingDesk) throws -> Void) throws {
      let before = fold.looked
      try edit(&desk)
      _ = fold.view(target, EditingDesk.schema)
      looks.append(fold.looked - before)
    }
    let fields = #"{"name":"new","durationInSeconds":60}"#
    let positions: [Editor.Position] = [
      .first, .last, .after(middle.record), .before(middle.record),
    ]
    for (index, position) in positions.enumerated() where hasPlaces {
      let new = Self.timer(count + index)
      try measure(new) { try $0.create(new, fields, at: position, shown: shown) }
      let moved = Self.timer(count / 3 + index)
      try measure(moved) { desk in
        try desk.edit(shown: shown) { editor, _ in try editor.move(moved, to: position, in: nil) }
      }
    }
    try measure(middle) { try $0.set(middle, #"{"name":"x"}"#, shown: shown) }
    try measure(middle) { desk in
      try desk.edit(shown: shown) { editor, _ in try editor.delete(middle) }
    }
    try measure(middle) { desk in
      try desk.edit(shown: shown) { editor, _ in try editor.restore(middle) }
    }
    try measure(middle) { _ in _ = fold.ids("timer", startingWith: "0000000A") }
    return looks
  }

  @Test(arguments: [(true, false), (true, true), (false, false)])
  func editsLookAtNeighbours(hasPlaces: Bool, isBehind: Bool) throws {
    let few = try looks(1_000, hasPlaces: hasPlaces, isBehind: isBehind)
    let many = try looks(4_000, hasPlaces: hasPlaces, isBehind: isBehind)
    for (few, many) in zip(few, many) {
      #expect(few > 0, "the looks are not counted")
      // Two searches more by halves in each of a handful of lists.
      #expect(many <= few + 24, "\(few) looks at 1,000 records, \(many) at 4,000")
      #expect(many <= 120)
    }
  }

  /// Records without a place: made by operations that do not move them.
  @Test func aViewLooksAtEachRecordOnce() throws {
    func looks(_ count: Int) throws -> Int {
      let fold = try desk(count, hasPlaces: false).phone.fold
      let before = fold.looked
      let shown = fold.view(EditingDesk.schema)["timer"]
      #expect(shown.map(\.place) == Array(0..<count))
      return fold.looked - before
    }
    let (few, many) = (try looks(500), try looks(2_000))
    #expect(few >= 500, "the looks are not counted")
    #expect(many <= 4 * few + 16)
  }
}
