import Merge
import Testing
import Wire

/// What the actions of a push may be about.
@Suite struct AdmissionContentTests {
  @Test func recordsAreCreatedBeforeTheyAreChanged() throws {
    var hub = Hub()
    #expect(hub.refusal([hub.item(1, [Hub.name()])])?.message.contains("never created") == true)
    // Also later in the same operation.
    #expect(hub.refusal([hub.item(1, [Hub.name(), Hub.create()])])?.code == .invalidField)
    let home = Hub.timer
    let todo = [
      Hub.create(Hub.todo, home: home),
      Action(
        Hub.todo, .move(field: "place", to: Anchor(nil, .right)), home: home, into: home),
    ]
    #expect(hub.refusal([hub.item(1, todo)])?.message.contains("\(Hub.timer.record)") == true)
    try hub.push([hub.item(1, [Hub.create()]), hub.item(2, todo)])
  }

  @Test func anchorsMayBeInTheSameBatchOrOperation() throws {
    var hub = Hub()
    try hub.push([
      hub.item(
        1, [Hub.create(), Hub.type("abc"), Hub.type("d", at: Anchor(Hub.element(1, 2), .right))]),
      hub.item(
        2,
        [
          Hub.type("x", at: Anchor(Hub.element(1, 3), .right)),
          Hub.erase(ElementRun(Hub.element(1, 0), count: 2)),
        ]),
      hub.item(
        3,
        [
          Hub.type("y", at: Anchor(Hub.element(2, 0), .left)),
          Hub.erase(ElementRun(Hub.element(2, 0), count: 1)),
        ]),
    ])
    #expect(hub.replica.fold.text(of: Hub.timer, "notes") == "cdy")
  }

  /// A run is of one operation, and what several of its actions inserted may stand together.
  @Test func aRunMayBeOfSeveralActions() throws {
    for isAtOnce in [true, false] {
      var hub = Hub()
      try hub.push([hub.item(1, [Hub.create(), Hub.type("ab"), Hub.place()])])
      let typed = hub.item(
        2,
        [
          Hub.type("x", at: Anchor(Hub.element(1, 0), .right)),
          Hub.type("y", at: Anchor(Hub.element(1, 0), .right)), Hub.place(),
        ])
      let erased = hub.item(3, [Hub.erase(ElementRun(Hub.element(2, 0), count: 2))])
      let slot = hub.item(3, [Hub.erase(ElementRun(Hub.element(2, 0), count: 3))])
      if isAtOnce {
        #expect(hub.refusal([typed, slot])?.code == .invalidField)
        try hub.push([typed, erased])
      } else {
        try hub.push([typed])
        #expect(hub.refusal([slot])?.code == .invalidField)
        try hub.push([erased])
      }
      #expect(hub.replica.fold.text(of: Hub.timer, "notes") == "ab")
    }
  }

  @Test func anchorsMustBeThere() throws {
    var hub = Hub()
    try hub.push([hub.item(1, [Hub.create(), Hub.type("ab"), Hub.place()])])
    let bad: [[Action]] = [
      [Hub.type("x", at: Anchor(Hub.element(1, 2), .right))],
      // A slot is no character.
      [Hub.type("x", at: Anchor(Hub.element(1, 3), .right))],
      [Hub.type("x", at: Anchor(Hub.element(2, 0), .right))],
      [Hub.type("x", at: Anchor(Hub.element(2, 1), .right)), Hub.type("y")],
      [Hub.type("x", at: Anchor(Hub.element(9, 0), .right))],
      [Hub.type("x", at: Anchor(Hub.element(1, 0, of: Hub.watch), .right))],
      [Hub.type("x", at: Anchor(nil, .left))],
      [Hub.erase(ElementRun(Hub.element(1, 1), count: 2))],
      [Hub.erase(ElementRun(Hub.element(1, 0), count: 1 << 19))],
      [Hub.place(Hub.timer, at: Anchor(Hub.element(1, 0), .right))],
    ]
    for actions in bad {
      #expect(hub.refusal([hub.item(2, actions)])?.code == .invalidField, "\(actions)")
    }
    let early = hub.item(2, [Hub.type("x", at: Anchor(Hub.element(3, 0), .right))])
    #expect(hub.refusal([early, hub.item(3, [Hub.type("y")])])?.code == .invalidField)
  }

  @Test func unknownKindsFieldsAndActionsPass() throws {
    var hub = Hub()
    let other = Target("recipe", "pancakes")
    let future = Datum.sorted([
      .init("action", "shuffle"), .init("kind", "timer"), .init("deep", .array([.null, "x"])),
    ])
    let items = [
      hub.item(1, [Action(other, .write(field: "eggs", value: .array([.bool(true)])))]),
      hub.item(2, [Hub.create(), Action(Hub.timer, .unknown(future))]),
      hub.item(3, [Action(Hub.timer, .write(field: "mood", value: .null))]),
    ]
    try hub.push(items)
    for (seq, item) in zip(1..., items) {
      #expect(hub.replica.written(Dot(Hub.phone, UInt64(seq)))?.bytes == item.canonical[...])
    }
  }

  @Test func wrongTypesAreRefused() throws {
    var hub = Hub()
    try hub.push([hub.item(1, [Hub.create()])])
    func write(_ field: Name, _ value: Datum) -> Action {
      Action(Hub.timer, .write(field: field, value: value), revives: true)
    }
    for action in [
      write("name", .null), write("durationInSeconds", "07"), write("notes", "whole"),
      write("createdAt", "0"), write("updatedAt", "0"), write("place", "0"),
      Hub.create(Target("timer", "lower-case")),
      Action(Hub.timer, .insert(field: "name", at: Anchor(nil, .right), text: "x")),
      Action(Hub.timer, .move(field: "order", to: Anchor(nil, .right)), into: Hub.timer),
    ] {
      let error = hub.refusal([hub.item(2, [action])])
      if case .move(let field, _) = action.body, field == "order" {
        #expect(error == nil)
      } else {
        #expect(error?.code == .invalidField, "\(action)")
      }
    }
  }

  @Test func aMillionCharactersAndNotOneMore() throws {
    var hub = Hub()
    let limit = Int(ElementID.indexLimit)
    let long = String(repeating: "é", count: limit - 1)
    try hub.push([hub.item(1, [Hub.create(), Hub.type(long)])])
    #expect(hub.replica.fold.text(of: Hub.timer, "notes") == long)
    let error = hub.refusal([hub.item(2, [Hub.type(long), Hub.type("x")])])
    #expect(error?.code == .invalidField)
    #expect(error?.message.contains("\(limit)") == true)
  }

  @Test func aDeletedRecordMayBeChanged() throws {
    var hub = Hub()
    try hub.push([
      hub.item(1, [Hub.create(), Hub.name()]), hub.item(2, [Action(Hub.timer, .delete)]),
    ])
    try hub.push([hub.item(3, [Hub.name("Mate")]), hub.item(4, [Action(Hub.timer, .restore)])])
    #expect(hub.replica.fold.isVisible(Hub.timer, Hub.schema))
  }
}
