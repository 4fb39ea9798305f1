import AppModels
import Merge
import Testing
import Wire

/// What happens on the screen while the counterpart changes things.
@Suite struct TimersCounterpartTests {
  private func pair() throws -> (phone: TimersDevice, watch: TimersDevice) {
    let phone = try workoutPhone()
    let watch = TimersDevice(.watch)
    try watch.receive(from: phone)
    return (phone, watch)
  }

  @Test func live() throws {
    let (phone, watch) = try pair()
    try phone.type("open 1")
    try watch.type("open 1", "toggle 1", "back", "new Tea 5:00")
    try phone.receive(from: watch)
    #expect(phone.shows("1 ☑ Warm up 5 minutes"))
    try phone.type("back")
    #expect(phone.names.first == "Tea")
    try phone.type("open 1", "edit", "name Green tea", "save")
    try watch.receive(from: phone)
    #expect(watch.shows("Green tea"))
  }

  @Test func fieldsMerge() throws {
    let (phone, _) = try pair()
    let pad = TimersDevice(.pad)
    try pad.receive(from: phone)
    try phone.type("open 1", "edit", "name Run")
    try pad.type("open 1", "edit", "duration 20:00", "color 4", "save")
    try phone.receive(from: pad)
    #expect(phone.shows("Run") && phone.shows("[ 25 ]"), "the form keeps what was typed into it")
    try phone.type("save")
    let timer = phone.app.library.timers[0]
    #expect(timer.name == "Run")
    #expect(timer.duration == 1200)
    #expect(timer.colorHex == "#34C759")
  }

  @Test func durationOfWhatRuns() throws {
    let (phone, watch) = try pair()
    try watch.type("open 1")
    try phone.type("open 1", "edit", "duration 20:00", "save")
    try watch.receive(from: phone)
    #expect(watch.current == 1200, "an idle one takes it up")
    try watch.type("start")
    try phone.type("edit", "duration 10:00", "save")
    try watch.receive(from: phone)
    #expect(watch.current == 1200, "a running one does not")
    try watch.type("reset")
    #expect(watch.current == 600)
  }

  @Test func deletedWhileItRuns() throws {
    let (phone, watch) = try pair()
    try watch.type("open 1", "start")
    _ = watch.events
    try phone.type("delete 1", "delete")
    try watch.receive(from: phone)
    #expect(watch.app.countdowns.running == nil)
    guard case .cancelled? = watch.events.first else {
      Issue.record("the notification is still to come")
      return
    }
    #expect(watch.shows("My Timers") && watch.shows("\"Workout Timer\" was"))
    try watch.type("open 1")
    #expect(!watch.shows("was deleted"))
  }

  @Test func deletedWithItsAlert() throws {
    let (phone, watch) = try pair()
    try watch.type("open 1", "start")
    watch.wait(5000)
    #expect(watch.shows("Timer Complete!"))
    try phone.type("delete 1", "delete")
    try watch.receive(from: phone)
    #expect(!watch.shows("Timer Complete!"))
    #expect(!watch.words.contains("act") && !watch.words.contains("restart"))
  }

  @Test func deletedWhileAsked() throws {
    let (phone, watch) = try pair()
    try phone.type("delete 1")
    try watch.type("delete 1", "delete")
    try phone.receive(from: watch)
    #expect(!phone.shows("Delete Timer?"))
    #expect(phone.words.contains("open"))
  }

  @Test func deletedWhileEdited() throws {
    let (phone, watch) = try pair()
    try phone.type("open 1", "edit", "name Run")
    try watch.type("delete 1", "delete")
    try phone.receive(from: watch)
    #expect(phone.shows("Edit Timer") && phone.shows("Run"))
    try phone.type("save")
    #expect(phone.names[0] == "Run", "an edit that had not seen the delete brings it back")
    #expect(phone.app.library.timers[0].todos.count == 5)
    try watch.receive(from: phone)
    #expect(watch.names == phone.names)
  }

  @Test func leavingTheFormOfADeletedTimer() throws {
    let (phone, watch) = try pair()
    try watch.type("delete 1", "delete")
    for lines in [["edit", "delete"], ["edit", "cancel"], ["edit", "save"], ["notes", "save"]] {
      let phone = try workoutPhone()
      try phone.type("open 1", lines[0])
      try phone.receive(from: watch)
      try phone.type(lines[1])
      #expect(phone.shows("My Timers"))
      #expect(phone.names == ["Study Session", "Coffee Break", "Cooking Timer"])
    }
    try phone.type("open 1", "add")
    try phone.receive(from: watch)
    try phone.type("add Too late")
    #expect(phone.banner == "The timer was deleted on another device")
    try phone.type("cancel")
    #expect(phone.shows("My Timers"))
  }

  @Test func namelessNotice() throws {
    let phone = TimersDevice()
    let watch = TimersDevice(.watch)
    try phone.type("new \(String(repeating: "x", count: 500)) 1:00")
    try watch.receive(from: phone)
    try phone.type("open 1")
    try watch.type("delete 1", "delete")
    try phone.receive(from: watch)
    #expect(phone.banner?.hasSuffix("…\" was deleted on another device") == true)
    #expect(phone.banner!.count < 100)
  }
}

@Suite struct TimersCommandTests {
  @Test func unknownWords() throws {
    let device = try workoutPhone()
    #expect(
      device.refusal("opne 1")
        == WireError(
          .malformedJSON,
          "there is no \"opne\" here; did you mean open? type help for what there is"))
    #expect(device.refusal("toggle 1")?.code == .malformedJSON, "not on this screen")
    #expect(device.refusal("open 9")?.message == "open takes the number of a timer, from 1 to 4")
    #expect(device.refusal("open")?.code == .invalidField)
    try device.type("", "   ")
    #expect(device.shows("My Timers"))
  }

  @Test func byName() throws {
    let device = TimersDevice()
    try device.type("new Tea 5:00", "new Green tea 5:00", "new TEA 5:00", "new 2 5:00")
    try device.type("open green TEA")
    #expect(device.shows("Green tea"))
    try device.type("back", "open 2")
    #expect(device.shows("TEA"), "a number is a number")
    try device.type("back")
    #expect(
      device.refusal("open tea")?.message == "2 timers have that name; type a number")
    #expect(
      device.refusal("open coffee")?.message == "open takes the number of a timer, from 1 to 4")
    try device.type("delete Green tea", "delete")
    #expect(device.names == ["2", "TEA", "Tea"])
  }

  @Test func words() throws {
    let device = TimersDevice()
    let more = ["templates", "history", "export"]
    #expect(device.words == ["new"] + more + ["settings", "sync", "a11y"])
    try device.type("new")
    #expect(
      device.words == [
        "name", "hours", "minutes", "seconds", "duration", "icon", "color", "category", "repeat",
        "cancel", "a11y",
      ])
    try device.type("name Tea")
    #expect(device.words.suffix(3) == ["done", "cancel", "a11y"])
    try device.type("cancel", "new Tea 5:00", "new Bread 9:00")
    #expect(
      device.words == ["open", "new", "delete", "move"] + more + ["settings", "sync", "a11y"])
    try device.type("open 1")
    #expect(device.words == ["start", "reset", "add", "notes", "edit", "template", "back", "a11y"])
    try device.type("add x", "add y", "start")
    #expect(
      device.words == [
        "pause", "reset", "toggle", "add", "todo", "move", "notes", "edit", "template", "back",
        "a11y",
      ])
    try device.type("a11y")
    #expect(device.words.first == "back" && device.words.count { $0 == "back" } == 1)
    try device.type("back")
    #expect(device.shows("PAUSE"))
    try device.type("a11y", "pause")
    #expect(device.shows("RESUME"), "other words leave VoiceOver")
    try device.type("a11y")
    #expect(device.refusal("nonsense") != nil)
    #expect(device.shows("VoiceOver"), "a refusal leaves everything as it is")
    for command in device.app.commands { #expect(command.summary.last != ".") }
  }

  @Test func backEverywhere() throws {
    let device = try workoutPhone()
    for line in ["new", "settings", "open 1"] {
      try device.type(line, "back")
      #expect(device.shows("My Timers"))
    }
    try device.type("open 1")
    for line in ["edit", "add", "todo 1", "notes"] {
      try device.type(line, "back")
      #expect(device.shows("< Timers"))
    }
  }

  @Test func spoken() throws {
    let device = try workoutPhone()
    #expect(
      device.app.spoken(device.now)[1] == "Workout Timer, 25 minutes, 5 to-dos, notes added")
    try device.type("open 1", "start")
    device.wait(386)
    let texts = device.app.spoken(device.now)
    #expect(texts[1] == "18 minutes 34 seconds remaining")
    #expect(texts[2] == "Pause timer")
    try device.type("pause")
    #expect(device.app.spoken(device.now)[2] == "Resume timer")
    for lines in [
      ["edit", "name", "save"], ["cancel", "add"], ["cancel", "todo 3"], ["cancel", "notes"],
      ["cancel", "back", "settings"], ["privacy"], ["back", "back", "delete 1"],
    ] {
      for line in lines { try device.type(line) }
      #expect(!device.app.spoken(device.now).isEmpty)
    }
  }

  @Test func sync() throws {
    let device = TimersDevice()
    try device.type("sync")
    #expect(device.events == [.syncRequested, .haptic("light")])
    #expect(device.shows("⚠ Watch Connectivity session not"))
    device.app.status.isConnected = true
    try device.type("settings")
    #expect(device.events == [.haptic("light")])
    try device.type("sync")
    #expect(device.events == [.syncRequested, .haptic("light")])
    #expect(!device.shows("⚠"))
  }

  @Test func status() {
    var status = SyncStatus()
    #expect(SyncState(status) == .synced)
    status.pending = 1
    #expect(
      SyncState(status)
        == .error("Device not reachable. Update will sync when connection restored."))
    status.isConnected = true
    #expect(SyncState(status) == .syncing)
    status.error = "disk full"
    #expect(SyncState(status) == .error("Sync failed: disk full"))
    #expect(
      [SyncState.synced, .syncing, .error("x")].map(\.word) == ["synced", "syncing", "error"])
  }
}
