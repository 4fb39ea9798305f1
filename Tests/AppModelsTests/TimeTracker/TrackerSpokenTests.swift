import AppModels
import Merge
import Testing
import Wire

/// What VoiceOver reads out.
@Suite struct TrackerSpokenTests {
  /// The number of the first client: a pad lists one more recent task.
  private func acme(_ idiom: Idiom) -> Int { idiom == .pad ? 7 : 6 }

  @Test(arguments: Idiom.allCases)
  func dashboards(_ idiom: Idiom) throws {
    let device = TrackerDevice(idiom)
    try device.fill()
    try device.type("a11y")
    device.golden("\(idiom)-root-spoken")
    try device.type("back", "restart 1")
    device.pass(725)
    try device.type("tap", "open \(acme(idiom))", "a11y")
    device.golden("\(idiom)-client-spoken")
    try device.type("open 3", "a11y")
    device.golden("\(idiom)-task-spoken")
    try device.type("delete", "a11y")
    device.golden("\(idiom)-delete-spoken")
    try device.type("back", "cancel", "home", "add", "name Initech", "rate 80", "a11y")
    device.golden("\(idiom)-form-spoken")
    try device.type("back")
    #expect(device.screen.title == "New Client")
  }

  /// On every screen something is read out, and nothing that is only drawn.
  @Test(arguments: Idiom.allCases)
  func nothingDrawnIsReadOut(_ idiom: Idiom) throws {
    let device = TrackerDevice(idiom)
    try device.fill()
    let lines = [
      "menu", "premium", "back", "reports", "advanced", "home", "menu", "history", "more", "home",
      "menu", "themes", "home", "open \(acme(idiom))", "invoice", "grant yearly", "invoice", "back",
      "home",
      "menu", "reports", "advanced", "home", "menu", "themes", "theme ocean", "back", "history",
      "back", "bulk", "entry 9:00-9:45 Mail", "cancel", "home", "open \(acme(idiom))", "open 1",
      "open 1", "edit",
      "name Review", "cancel", "delete", "cancel", "home", "tap", "start", "menu", "settings",
      "autopause on", "cancel", "home", "open \(acme(idiom))", "add", "name Shop", "task First",
      "save",
    ]
    for line in lines {
      try device.type(line)
      let texts = device.app.spoken(now: device.now)
      #expect(!texts.isEmpty)
      for text in texts {
        #expect(!text.isEmpty, "after \(line)")
        let drawn = text.filter { "()●○◦⊕⊖▸★✓█░▒▓⠿‹≡·│[]*".contains($0) }
        #expect(drawn.isEmpty, "after \(line): \(text)")
        #expect(!text.split(separator: " ").contains("PRO"), "after \(line): \(text)")
      }
      let before = device.lines
      try device.type("a11y")
      for line in device.lines { #expect(line.columns == idiom.columns + 2) }
      try device.type("back")
      #expect(device.lines == before, "after \(line)")
    }
  }

  @Test func aRefusedLineLeavesItThere() throws {
    let device = TrackerDevice()
    try device.type("a11y")
    let before = device.lines
    #expect(error { try device.type("nonsense") } != nil)
    #expect(device.lines == before)
    try device.type("add")
    #expect(device.screen.title == "New Client")
  }
}
