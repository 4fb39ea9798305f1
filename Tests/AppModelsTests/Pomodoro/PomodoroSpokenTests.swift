import AppModels
import Merge
import Testing
import Wire

/// What VoiceOver reads out.
@Suite struct PomodoroSpokenTests {
  @Test(arguments: Idiom.allCases)
  func screens(_ idiom: Idiom) throws {
    let device = PomodoroDevice(idiom)
    try device.set(["cycle": .string("every4")])
    try device.type("tap")
    device.pass(1501)
    try device.type("tap")
    device.pass(30)
    try device.type("a11y")
    device.golden("\(idiom)-spoken")
    try device.type("back", "history", "a11y")
    device.golden("\(idiom)-history-spoken")
    try device.type("back", "back", "settings", "work 30", "a11y")
    device.golden("\(idiom)-settings-spoken")
  }

  /// On every screen something is read out, and nothing that is only drawn; then the screen is there again.
  @Test(arguments: Idiom.allCases)
  func nothingDrawnIsReadOut(_ idiom: Idiom) throws {
    let device = PomodoroDevice(idiom)
    try device.set(["cycle": .string("every4")])
    let lines = [
      "tap", "tap", "doubletap", "history", "back", "settings", "work 30", "cycle declared",
      "motion reduced", "short -1", "save", "cancel", "details", "back", "longpress", "history",
    ]
    for line in lines {
      try device.type(line)
      let texts = device.app.spoken(now: device.now)
      #expect(!texts.isEmpty)
      for text in texts {
        #expect(!text.isEmpty, "after \(line)")
        #expect(text.allSatisfy { !"()●○✓–█░‹≡⚙·│[]*".contains($0) }, "after \(line): \(text)")
      }
      let before = device.app.screen(now: device.now)
      #expect(device.app.commands.last?.word == "a11y")
      try device.type("a11y")
      let spoken = device.app.screen(now: device.now)
      #expect(spoken.title == "VoiceOver")
      #expect(device.app.commands.map(\.word).filter { $0 == "back" }.count == 1)
      #expect(error { try device.type("nonsense") } != nil)
      #expect(device.app.screen(now: device.now) == spoken)
      try device.type("back")
      #expect(device.app.screen(now: device.now) == before, "after \(line)")
    }
  }
}
