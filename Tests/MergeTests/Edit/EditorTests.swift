import AppModels
import Merge
import Testing
import Wire

/// Registers, places and containers of edits.
@Suite struct EditorTests {
  @Test func onlyWhatDiffersIsWritten() throws {
    var desk = EditingDesk()
    try desk.createTimer(0)
    let operation = try desk.set(
      EditingDesk.timer(0), #"{"name":"t0","durationInSeconds":90,"icon":"timer"}"#)
    #expect(
      operation.actions == [
        Action(
          EditingDesk.timer(0), .write(field: "durationInSeconds", value: .string("90")),
          revives: true)
      ])
  }

  @Test func whatAFormShowedDecides() throws {
    var desk = EditingDesk()
    try desk.createTimer(0)
    let form = desk.vector
    try desk.set(EditingDesk.timer(0), #"{"name":"new"}"#)
    // The form still shows t0, so a save of it changes nothing.
    var editor = Editor(desk.phone.fold, EditingDesk.schema, shown: form)
    #expect(editor.present(EditingDesk.timer(0))["name"] == .string("t0"))
    #expect(
      try EditingDesk.actions(EditingDesk.timer(0), #"{"name":"t0"}"#, &editor, desk.phone.fold)
        .isEmpty)
    try desk.set(EditingDesk.timer(0), #"{"name":"new"}"#, shown: form)
    #expect(desk.phone.fold.feed().isEmpty)
    try desk.set(EditingDesk.timer(0), #"{"name":"other"}"#, shown: form)
    #expect(desk.phone.fold.feed().map(\.value) == [.string("new"), .string("new")])
  }

  @Test func placesInAList() throws {
    var desk = EditingDesk()
    for number in 0..<3 { try desk.createTimer(number) }
    try desk.createTimer(3, at: .first)
    try desk.createTimer(4, at: .after(EditingDesk.timer(0).record))
    try desk.createTimer(5, at: .before(EditingDesk.timer(2).record))
    #expect(desk.order("timer") == [3, 0, 4, 1, 5, 2])
    let moves: [(Int, Editor.Position, [Int])] = [
      (2, .first, [2, 3, 0, 4, 1, 5]), (2, .last, [3, 0, 4, 1, 5, 2]),
      (3, .after(EditingDesk.timer(1).record), [0, 4, 1, 3, 5, 2]),
      (5, .before(EditingDesk.timer(0).record), [5, 0, 4, 1, 3, 2]),
      (4, .after(EditingDesk.timer(4).record), [5, 0, 4, 1, 3, 2]),
    ]
    for (number, position, order) in moves {
      let operation = try desk.edit { editor, _ in
        try editor.move(EditingDesk.timer(number), to: position, in: nil)
      }
      #expect(desk.order("timer") == order)
      #expect(operation.actions.count == 1 && !operation.actions[0].revives)
    }
  }

  @Test func placesInAnOldList() throws {
    var desk = EditingDesk()
    for number in 0..<3 { try desk.createTimer(number) }
    try desk.exchange()
    let form = desk.vector
    try desk.createTimer(7, at: .after(EditingDesk.timer(0).record), on: desk.watch)
    try desk.edit(on: desk.watch) { editor, _ in
      try editor.move(EditingDesk.timer(1), to: .first, in: nil)
    }
    try desk.exchange()
    #expect(desk.order("timer") == [1, 0, 7, 2])
    // Behind the last that was shown, which is behind what the form had not seen.
    let operation = try desk.edit(shown: form) { editor, _ in
      try editor.move(EditingDesk.timer(0), to: .after(EditingDesk.timer(1).record), in: nil)
    }
    guard case .move(_, let anchor) = operation.actions[0].body else {
      Issue.record("\(operation.actions)")
      return
    }
    if let parent = anchor.parent { #expect(operation.follows(parent.dot)) }
    // Where the other has gone is not known to the form.
    let order = desk.order("timer")
    #expect(order.firstIndex(of: 0)! < order.firstIndex(of: 2)!)
    #expect(throws: WireError.self) {
      try desk.edit(shown: form) { editor, _ in
        try editor.move(EditingDesk.timer(0), to: .after(EditingDesk.timer(7).record), in: nil)
      }
    }
    try desk.exchange()
    #expect(
      desk.watch.fold.view(EditingDesk.schema).canonical
        == desk.phone.fold.view(EditingDesk.schema).canonical)
  }

  @Test func recordsInContainers() throws {
    var desk = EditingDesk()
    try desk.createTimer(0)
    try desk.createTimer(1)
    let (home, other) = (EditingDesk.timer(0), EditingDesk.timer(1))
    let made = try desk.create(
      EditingDesk.todo(0), #"{"timer":"\#(home.record)","text":"  milk "}"#)
    #expect(made.actions.allSatisfy { $0.home == home && $0.via == nil })
    #expect(made.actions.filter { $0.into != nil }.map(\.into) == [home])
    #expect(made.actions.contains { $0.body == .write(field: "text", value: .string("milk")) })
    for number in 1...2 {
      try desk.create(
        EditingDesk.todo(number), #"{"timer":"\#(home.record)","text":"x"}"#, at: .first)
    }
    #expect(desk.order("todo", in: home) == [2, 1, 0])
    let moved = try desk.set(EditingDesk.todo(1), #"{"timer":"\#(other.record)"}"#)
    #expect(moved.actions.map(\.home) == [home])
    #expect(moved.actions.map(\.into) == [other])
    #expect(desk.order("todo", in: home) == [2, 0])
    #expect(desk.order("todo", in: other) == [1])
    let gone = try desk.edit { editor, _ in try editor.delete(EditingDesk.todo(1)) }
    #expect(gone.actions == [Action(EditingDesk.todo(1), .delete, home: other)])
    let back = try desk.edit { editor, _ in try editor.restore(EditingDesk.todo(1)) }
    #expect(back.actions == [Action(EditingDesk.todo(1), .restore, home: other)])
    #expect(throws: WireError.self) {
      try desk.edit { editor, _ in
        try editor.move(EditingDesk.todo(0), to: .after(EditingDesk.todo(1).record), in: home)
      }
    }
  }

  /// Its place had been collected when its create came: who takes an edit of it would be refused later.
  @Test func whatStandsNowhereIsNotEdited() throws {
    var desk = EditingDesk()
    try desk.createTimer(0)
    let (timer, todo) = (EditingDesk.timer(0), EditingDesk.todo(0))
    try desk.edit { _, _ in [Action(todo, .create, home: timer)] }
    for number in 0..<4 {
      var editor = Editor(desk.phone.fold, EditingDesk.schema, shown: desk.vector)
      let error = try #require(throws: WireError.self) {
        switch number {
        case 0: _ = try editor.delete(todo)
        case 1: _ = try editor.restore(todo)
        case 2: _ = try editor.set(todo, EditPlan(writes: []))
        default: _ = try editor.move(todo, to: .last, in: timer)
        }
      }
      #expect(error.code == .invalidField && error.message.contains("stands in no timer"))
    }
  }

  /// A timer that was deleted and collected, and that the watch has made anew; with a to-do in it, so was that.
  ///
  /// - Returns: the two devices, and what somebody has seen who knows of the delete alone.
  private func madeAnew(
    withTodo: Bool = false
  ) throws -> (desk: EditingDesk, deleted: VersionVector) {
    var desk = EditingDesk()
    let todo = EditingDesk.todo(0)
    let fields = #"{"timer":"\#(EditingDesk.timer(0).record)","text":"a"}"#
    try desk.createTimer(0)
    if withTodo { try desk.create(todo, fields) }
    try desk.edit { editor, _ in try editor.delete(EditingDesk.timer(0)) }
    try desk.exchange()
    let purge = Replica.Purge(frontier: desk.vector, horizon: .max)
    for device in [desk.phone, desk.watch] { device.purge(purge, position: 0) }
    let deleted = desk.vector
    try desk.createTimer(0, on: desk.watch)
    if withTodo { try desk.create(todo, fields, on: desk.watch) }
    try desk.exchange()
    return (desk, deleted)
  }

  /// Who has been shown a record's delete alone, and edits it, makes it anew as somebody else has: the
  /// write would be kept apart else. What such a writer cannot mean is refused.
  @Test func whatIsMadeAnewUnseenIsMadeAnewByAWrite() throws {
    var (desk, deleted) = try madeAnew()
    let timer = EditingDesk.timer(0)
    let late = try desk.set(timer, #"{"name":"late"}"#, shown: deleted)
    #expect(late.actions.first == Action(timer, .create) && late.actions.count == 2)
    #expect(desk.phone.fold.recoveredItems().isEmpty)
    let record = try #require(desk.phone.fold.view(timer, EditingDesk.schema))
    #expect(record["name"] == .string("late") && record["durationInSeconds"] == .string("60"))
    for number in 0..<3 {
      var editor = Editor(desk.phone.fold, EditingDesk.schema, shown: deleted)
      let error = try #require(throws: WireError.self) {
        switch number {
        case 0: _ = try editor.delete(timer)
        case 1: _ = try editor.restore(timer)
        default: _ = try editor.move(timer, to: .first, in: nil)
        }
      }
      #expect(error.code == .invalidField && error.message.contains("somebody has made it anew"))
    }
    try desk.set(timer, #"{"name":"seen"}"#)
    #expect(desk.phone.fold.view(timer, EditingDesk.schema)?["name"] == .string("seen"))
  }

  /// A record that is made in such a container, or put into it, would be kept apart.
  @Test func nothingIsPutIntoWhatIsMadeAnewUnseen() throws {
    let (desk, deleted) = try madeAnew()
    let timer = EditingDesk.timer(0)
    let todo = Target("todo", "1")
    let plan = EditPlan(writes: [], container: timer)
    for number in 0..<3 {
      var editor = Editor(desk.phone.fold, EditingDesk.schema, shown: deleted)
      let error = try #require(throws: WireError.self) {
        switch number {
        case 0: _ = try editor.create(todo, plan)
        case 1: _ = try editor.set(todo, plan)
        default: _ = try editor.move(todo, to: .first, in: timer)
        }
      }
      #expect(error.code == .invalidField && error.message.contains("somebody has made it anew"))
    }
    var editor = Editor(desk.phone.fold, EditingDesk.schema, shown: desk.vector)
    #expect(try !editor.create(todo, plan).isEmpty)
  }

  /// A to-do and its timer were collected and both made anew: whoever was shown the deletes alone cannot make the to-do
  /// once more in a timer that was not shown.
  @Test func whatIsInWhatIsMadeAnewUnseenIsLookedAtAgain() throws {
    var (desk, deleted) = try madeAnew(withTodo: true)
    let todo = EditingDesk.todo(0)
    var editor = Editor(desk.phone.fold, EditingDesk.schema, shown: deleted)
    let plan = EditPlan(writes: [], container: nil)
    let error = try #require(throws: WireError.self) { _ = try editor.set(todo, plan) }
    #expect(error.code == .invalidField && error.message.hasPrefix("timer "))
    try desk.set(todo, #"{"text":"seen"}"#)
    #expect(desk.phone.fold.view(todo, EditingDesk.schema)?["text"] == .string("seen"))
  }

  @Test func aKindWithoutOrderIsNotMoved() throws {
    let schema = try #require(ShippedSchemas.named("timeTracker"))
    var editor = Editor(Fold(), schema, shown: VersionVector())
    #expect(throws: WireError.self) {
      try editor.move(Target("client", "x"), to: .last, in: nil)
    }
  }
}
