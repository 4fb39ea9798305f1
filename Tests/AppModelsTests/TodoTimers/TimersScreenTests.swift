import AppModels
import Merge
import Testing
import Wire

/// Every screen, as files.
@Suite struct TimersScreenTests {
  private func golden(_ device: TimersDevice, _ name: String) throws {
    expectGolden(
      device.app.screen(now: device.now), device.idiom, "todoTimers/\(device.idiom)-\(name)")
  }

  @Test(arguments: [Idiom.phone, .watch, .pad])
  func list(_ idiom: Idiom) throws {
    try golden(TimersDevice(idiom), "list-empty")
    let device = try workoutPhone(idiom)
    try golden(device, "list")
    try device.type("open 1", "start")
    device.wait(386)
    try device.type("back")
    try golden(device, "list-running")
    try device.type("delete 1")
    try golden(device, "delete-timer")
    try device.type("a11y")
    try golden(device, "delete-spoken")
    try device.type("back", "cancel", "a11y")
    try golden(device, "list-spoken")
    try device.type("back")
    device.app.status.isConnected = true
    device.app.status.pending = 2
    try golden(device, "list-syncing")
    device.app.status.error = "the disk is full"
    try golden(device, "list-error")
  }

  @Test(arguments: [Idiom.phone, .watch, .pad])
  func detail(_ idiom: Idiom) throws {
    let device = try workoutPhone(idiom)
    try device.type("open 1")
    try golden(device, "detail-idle")
    try device.type("start")
    device.wait(386)
    try golden(device, "detail-running")
    try device.type("a11y")
    try golden(device, "detail-spoken")
    try device.type("back", "pause")
    try golden(device, "detail-paused")
    try device.type("resume")
    _ = device.events
    device.wait(2000)
    guard case .notified(let notification)? = device.events.first else {
      Issue.record("it was not notified")
      return
    }
    expectGolden(
      notification.lines(columns: idiom.columns), idiom, "todoTimers/\(idiom)-notification")
    try golden(device, "detail-alert")
    try device.type("dismiss")
    try golden(device, "detail-finished")
    try device.type("back", "new Tea 5:00", "open 1")
    try golden(device, "detail-bare")
  }

  @Test(arguments: [Idiom.phone, .watch, .pad])
  func createForm(_ idiom: Idiom) throws {
    let device = TimersDevice(idiom)
    try device.type("new")
    try golden(device, "create")
    try device.type("done")
    try golden(device, "create-no-name")
    try device.type("duration 0:00", "done")
    try golden(device, "create-nothing")
    try device.type("name Workout Timer", "done")
    try golden(device, "create-no-duration")
    try device.type("minutes 25", "icon 2", "color 1")
    try golden(device, "create-filled")
  }

  @Test(arguments: [Idiom.phone, .pad])
  func otherForms(_ idiom: Idiom) throws {
    let device = try workoutPhone(idiom)
    try device.type("open 1", "edit")
    try golden(device, "edit")
    try device.type("delete")
    try golden(device, "edit-delete")
    try device.type("cancel", "cancel", "add")
    try golden(device, "todo-add")
    try device.type("text Buy water")
    try golden(device, "todo-add-filled")
    try device.type("cancel", "todo 1")
    try golden(device, "todo-edit")
    try device.type("text  ", "save")
    try golden(device, "todo-edit-empty")
    try device.type("cancel", "notes")
    try golden(device, "notes")
  }

  @Test(arguments: [Idiom.phone, .watch, .pad])
  func settings(_ idiom: Idiom) throws {
    let device = TimersDevice(idiom)
    try device.type("settings")
    device.app.status.isConnected = true
    device.app.status.isReachable = true
    try golden(device, "settings")
    try device.type("alerts off", "sound off", "share on")
    device.app.status = SyncStatus()
    device.app.status.pending = 2
    try golden(device, "settings-offline")
    try device.type("privacy")
    try golden(device, "privacy")
    try device.type("back", "sound")
    try golden(device, "sound")
    try device.type("on", "back")
    #expect(device.shows("On >"))
  }

  @Test(arguments: [Idiom.phone, .watch])
  func deletedElsewhere(_ idiom: Idiom) throws {
    let device = try workoutPhone(idiom)
    let other = TimersDevice(idiom == .phone ? .watch : .phone)
    try other.receive(from: device)
    try device.type("open 3")
    try other.type("delete 3", "delete")
    try device.receive(from: other)
    try golden(device, "list-deleted-elsewhere")
  }

  @Test func face() throws {
    let device = try workoutPhone(.watch)
    try device.type("face")
    try golden(device, "face-empty")
    try device.type("tap", "open 1", "start")
    device.wait(386)
    try device.type("back", "face")
    try golden(device, "face-running")
    #expect(device.app.nextTick(now: device.now) == device.now + 1000)
    try device.type("a11y")
    try golden(device, "face-spoken")
    // What was paused last stays on it, also where something else was paused before.
    try device.type("back", "tap", "pause", "back", "open 2", "start")
    device.wait(5)
    try device.type("pause", "back", "open 1", "resume")
    device.wait(1)
    try device.type("pause", "back", "face")
    try golden(device, "face-paused")
    // The clock goes on where nothing counts down.
    #expect(device.app.nextTick(now: device.now) == (device.now / 60_000 + 1) * 60_000)
    try device.type("tap")
    #expect(device.app.screen(now: device.now).title == "Workout Timer")
    try device.type("reset", "back", "face", "tap")
    #expect(device.app.screen(now: device.now).title == "Study Session")
    try device.type("reset", "back", "face", "tap")
    #expect(device.app.screen(now: device.now).title == "My Timers")
    #expect(try !workoutPhone(.phone).words.contains("face"))
  }

  /// Nothing else on a watch shows a to-do.
  @Test func aLongToDoIsReadInFullOnTheWatch() throws {
    let device = TimersDevice(.watch)
    let text = "Stretch both legs slowly, then the back, then both arms and the neck"
    try device.write { edit throws(WireError) in
      let timer = try makeTimer(&edit, "Workout", 60)
      try edit.create("todo", ["timer": .string(timer), "text": .string(text)])
    }
    try device.type("open 1")
    let shown = device.lines.map { $0.filter { !"│─├┤".contains($0) } }.joined(separator: " ")
      .split(separator: " ").joined(separator: " ")
    #expect(shown.contains(text))
  }

  /// Every character is as wide as a terminal draws it.
  @Test func widthsAreTheTerminals() {
    _ = terminalColumns("")
    var off: [String] = []
    for value in (UInt32(0x20)...0x2FFFF) {
      guard let scalar = Unicode.Scalar(value), scalar.properties.generalCategory != .unassigned,
        scalar.properties.generalCategory != .privateUse
      else { continue }
      let text = String(Character(scalar))
      // Some are newer than the C library.
      guard wcwidth(Int32(value)) >= 0 else { continue }
      if text.columns != terminalColumns(text) { off.append(String(value, radix: 16)) }
    }
    #expect(off.count < 200, "\(off.count): \(off.prefix(300))")
    for text in ["⏱️", "🗑️", "⏰", "👨‍👩‍👧‍👦", "👍🏽", "🇩🇪", "日本", "é", "e\u{301}"] {
      #expect(text.columns == terminalColumns(text), "\(text)")
    }
  }

  @Test(arguments: [Idiom.phone, .watch])
  func odd(_ idiom: Idiom) throws {
    let device = TimersDevice(idiom)
    let names = [
      String(repeating: "Long ", count: 2000), "Two\nlines\r\nand\u{1B}[31m red", "日本語のタイマー👨‍👩‍👧‍👦👍🏽",
      "\u{202E}backwards", "e\u{301}\u{302}\u{303}", "\n.",
    ]
    for name in names {
      try device.write { edit throws(WireError) in
        let timer = try makeTimer(&edit, name, 60, "no.such.icon", "no color")
        try edit.create("todo", ["timer": .string(timer), "text": .string(name)])
      }
    }
    try golden(device, "odd-list")
    for number in 1...names.count {
      try device.type("open \(number)")
      for line in device.lines { #expect(line.columns == idiom.columns + 2) }
      try device.type("back", "delete \(number)")
      for line in device.lines { #expect(line.columns == idiom.columns + 2) }
      try device.type("cancel")
    }
  }
}
