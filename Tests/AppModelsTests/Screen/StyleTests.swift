import AppModels
import Merge
import Testing
import Wire

/// How screens look where a terminal has colours.
@Suite struct StyleTests {
  /// The pieces of a screen that have a look of their own, without blanks around them.
  private func looks(_ screen: Screen, _ idiom: Idiom) -> [StyledLine.Piece] {
    let lines = screen.styledLines(columns: idiom.columns)
    #expect(lines.map(\.text) == screen.lines(columns: idiom.columns))
    for line in lines { #expect(line.pieces.map(\.text).joined() == line.text) }
    return lines.flatMap(\.pieces).filter { $0.color != nil || $0.isStruck }
  }

  private func timers(_ lines: String..., idiom: Idiom = .phone) throws -> [StyledLine.Piece] {
    let device = try workoutPhone(idiom)
    for line in lines { try device.type(line) }
    return looks(device.app.screen(now: device.now), idiom)
  }

  @Test(arguments: Idiom.allCases)
  func aListShowsTheDurationsInTheTimersColours(_ idiom: Idiom) throws {
    let looks = try timers(idiom: idiom)
    #expect(looks.map(\.text) == ["25:00 🔴", "45:00 🔵", "10:00 ⚫", "15:00 🟠"])
    let colors = ["#FF3B30", "#007AFF", "#8E8E93", "#FF9500"].map { RGB(hex: $0).legible(.text) }
    #expect(looks.map(\.color) == colors)
  }

  @Test(arguments: Idiom.allCases)
  func aTimerHasItsColourAndDoneToDosAreStruck(_ idiom: Idiom) throws {
    let looks = try timers("open 1", idiom: idiom)
    let red = RGB(hex: "#FF3B30")
    #expect(looks[0].text == "25:00")
    #expect(looks[0].color == red.legible(.text))
    #expect(looks[1].text.allSatisfy { $0 == "█" } && looks[1].color == red.legible(.graphic))
    #expect(looks.dropFirst(2).map(\.text) == ["☑", "Stretch legs"])
    #expect(looks.dropFirst(2).map(\.isStruck) == [false, true])
    #expect(looks[3].color == RGB(hex: "#8E8E93").legible(.text))
  }

  /// Frames, numbers and what stands on the right are not struck, and every line of a long text is.
  @Test(arguments: Idiom.allCases)
  func aLongDoneToDoIsStruckAndNothingBesideIt(_ idiom: Idiom) throws {
    let text = "Stretch both legs slowly, then the back, then both arms and the neck, and breathe"
    let device = TimersDevice(idiom)
    try device.write { edit throws(WireError) in
      let timer = try makeTimer(&edit, "Workout", 60)
      try edit.create(
        "todo",
        ["timer": .string(timer), "text": .string(text), "isCompleted": .bool(true)])
    }
    try device.type("open 1")
    let struck = looks(device.app.screen(now: device.now), idiom).filter(\.isStruck).map(\.text)
    if idiom == .watch {
      #expect(struck.joined(separator: " ").split(separator: " ").joined(separator: " ") == text)
    } else {
      #expect(struck.count == 1 && struck[0].hasSuffix("…") && text.hasPrefix(struck[0].dropLast()))
    }
  }

  @Test func whatDestroysIsRed() throws {
    let looks = try timers("open 1", "edit")
    #expect(looks.map(\.text) == ["🗑️  Delete Timer"])
    #expect(looks[0].color == RGB(hex: "#FF3B30").legible(.text))
  }

  @Test(arguments: Idiom.allCases)
  func anAlertsButtonThatDestroysIsRedAlone(_ idiom: Idiom) throws {
    let red = RGB(hex: "#FF3B30").legible(.text)
    let tracker = TrackerDevice(idiom)
    try tracker.fill()
    try tracker.type("open \(idiom == .pad ? 7 : 6)", "delete")
    let other = looks(tracker.screen, idiom).filter { $0.text.contains("Confirm") }
    #expect(other.map(\.text) == ["[Confirm]"] && other.map(\.color) == [red])
    let todos = try timers("delete 1", idiom: idiom).filter { $0.color == red }.map(\.text)
    #expect(todos.filter { $0.contains("Delete") } == ["[Delete]"])
    let error = Screen.Alert("Delete", "Delete", buttons: ["Delete"])
    #expect(looks(Screen("Delete", alert: error), idiom).isEmpty)
  }

  @Test(arguments: Idiom.allCases)
  func pomodoroHasTheColoursOfItsState(_ idiom: Idiom) throws {
    let device = PomodoroDevice(idiom)
    for (index, state) in PomodoroState.allCases.enumerated() {
      if index > 0 { try device.type("longpress") }
      let looks = looks(device.app.screen(now: device.now), idiom)
      let colors = PomodoroColors(state)
      #expect(
        looks.prefix(2).map(\.color) == [colors.start, colors.start].map { $0.legible(.text) })
      let bar = looks.dropFirst(2)
      #expect(bar.allSatisfy { $0.text.allSatisfy { "█░".contains($0) } })
      #expect(
        bar.map(\.color)
          == [colors.start, colors.middle, colors.end].map { $0.legible(.graphic) })
    }
  }

  @Test(arguments: Idiom.allCases)
  func theDotIsGreenWhileTheTimerRuns(_ idiom: Idiom) throws {
    let device = TrackerDevice(idiom)
    try device.fill()
    func dot() -> [StyledLine.Piece] { looks(device.app.screen(now: device.now), idiom) }
    #expect(dot().map(\.text) == ["○"])
    #expect(dot().map(\.color) == [RGB(hex: "#8E8E93").legible(.graphic)])
    try device.type("start")
    #expect(dot().map(\.text) == ["●"])
    device.pass(1)
    #expect(dot().map(\.text) == ["•"])
    #expect(dot().map(\.color) == [RGB(hex: "#34C759").legible(.graphic)])
  }
}
