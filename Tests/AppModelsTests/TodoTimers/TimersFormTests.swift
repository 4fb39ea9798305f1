import AppModels
import Testing
import Wire

@Suite struct TimersFormTests {
  @Test func create() throws {
    let device = TimersDevice()
    try device.type(
      "new", "name Workout Timer", "hours 1", "minutes 2", "seconds 3", "icon 2", "color 1", "done")
    let timer = try #require(device.app.library.timers.first)
    #expect(timer.name == "Workout Timer")
    #expect(timer.duration == 3723)
    #expect(timer.icon == "figure.run")
    #expect(timer.colorHex == "#FF3B30")
    #expect(timer.createdAt == device.now)
    #expect(device.shows("My Timers"))
  }

  @Test func formStartsAt25Minutes() throws {
    let device = TimersDevice()
    try device.type("new Tea", "save")
    #expect(device.app.library.timers.first?.duration == 1500)
    #expect(device.app.library.timers.first?.icon == "timer")
    #expect(device.app.library.timers.first?.colorHex == "#007AFF")
  }

  @Test(arguments: [
    ("new Tea 5:00", "Tea", 300), ("new Green tea  90s", "Green tea", 90),
    ("NEW Bread 1:30:00", "Bread", 5400),
  ])
  func atOnce(_ line: String, _ name: String, _ seconds: Int) throws {
    let device = TimersDevice()
    try device.type(line)
    #expect(device.app.library.timers.first?.name == name)
    #expect(device.app.library.timers.first?.duration == seconds)
  }

  @Test func aNumberBelongsToTheName() throws {
    let device = TimersDevice()
    try device.type("new Route 66")
    #expect(device.shows("New Timer") && device.shows("Route 66"))
    try device.type("cancel", "new 5:00")
    #expect(device.shows("New Timer"))
    #expect(device.names.isEmpty)
  }

  @Test func validation() throws {
    let device = TimersDevice()
    try device.type("new", "done")
    #expect(device.shows("⚠ Timer name cannot be empty"))
    #expect(device.shows("↑ Required field"))
    #expect(!device.shows("Please enter"))
    try device.type("name \u{00A0}\u{200B}", "done")
    #expect(device.shows("⚠ Timer name cannot be empty"), "blanks are no name")
    try device.type("minutes 0", "done")
    #expect(device.shows("⚠ Timer name cannot be empty"), "the name is checked first")
    #expect(device.shows("Please enter a timer name and"))
    try device.type("ok")
    #expect(!device.shows("Please enter"))
    #expect(device.shows("⚠ Timer name cannot be empty"))
    try device.type("name Tea")
    #expect(!device.shows("⚠"), "what changes is not wrong any more")
    try device.type("done")
    #expect(device.shows("⚠ Duration must be greater than 0"))
    #expect(!device.shows("↑ Required field"))
    try device.type("duration 24:00:01", "done")
    #expect(device.shows("⚠ Duration cannot exceed 24 hours"))
    #expect(device.names.isEmpty)
    try device.type("duration 24:00:00", "done")
    #expect(device.app.library.timers.first?.formattedDuration == "24:00:00")
  }

  /// Done and its like are off as long as a form breaks a rule.
  @Test func offWhileNotValid() throws {
    let device = TimersDevice()
    func isOff(_ title: String, _ word: String) -> Bool {
      device.shows("(\(title))") && !device.words.contains(word)
        && device.app.spoken(device.now).contains("\(title), dimmed")
    }
    try device.type("new")
    #expect(isOff("Done", "done"))
    try device.type("name \u{2060}")
    #expect(isOff("Done", "done"), "what shows nothing is no name")
    try device.type("name Tea", "minutes 0")
    #expect(isOff("Done", "done"))
    try device.type("duration 24:00:01")
    #expect(isOff("Done", "done"))
    try device.type("duration 5:00")
    #expect(!isOff("Done", "done") && device.words.contains("done") && !device.shows("(Done)"))
    try device.type("done", "open 1", "edit", "name  ")
    #expect(isOff("Save", "save"))
    try device.type("name Mate", "save", "add")
    #expect(device.shows("( Add )") && device.app.spoken(device.now).contains("Add to-do, dimmed"))
    try device.type("add Pour", "todo 1", "text  ")
    #expect(device.shows("( Save )") && !device.words.contains("save"))
  }

  @Test func validationOfOneLine() throws {
    let device = TimersDevice()
    try device.type("new Tea 0:00")
    #expect(device.shows("⚠ Duration must be greater than 0"))
    try device.type("cancel", "new Tea 25:00:00")
    #expect(device.shows("⚠ Duration cannot exceed 24 hours"))
  }

  @Test func wheels() throws {
    let device = TimersDevice()
    try device.type("new")
    #expect(device.refusal("hours 24")?.message == "hours takes a number from 0 to 23")
    #expect(device.refusal("minutes 60")?.message == "minutes takes a number from 0 to 59")
    #expect(device.refusal("seconds x")?.code == .invalidField)
    #expect(device.refusal("duration soon")?.code == .invalidField)
    #expect(device.refusal("icon 13")?.message == "icon takes a number from 1 to 12")
    #expect(device.refusal("color 0")?.code == .invalidField)
    try device.type("icon bicycle", "color ff9500", "name X", "done")
    #expect(device.app.library.timers.first?.icon == "bicycle")
    #expect(device.app.library.timers.first?.colorHex == "#FF9500")
  }

  @Test func watch() throws {
    let device = TimersDevice(.watch)
    try device.type("new Tea", "minutes 59", "seconds 59")
    #expect(device.refusal("hours 1")?.code == .malformedJSON)
    #expect(device.refusal("duration 1:00:00")?.message == "a timer made here takes 59:59 at most")
    #expect(device.refusal("icon 7")?.code == .invalidField)
    #expect(device.refusal("color 5")?.code == .invalidField)
    try device.type("icon 6", "color 4", "done")
    let timer = try #require(device.app.library.timers.first)
    #expect(timer.duration == 3599)
    #expect(timer.icon == "briefcase.fill")
    #expect(timer.colorHex == "#FF9500")
    #expect(device.refusal("new Bread 1:30:00")?.code == .invalidField)
  }

  @Test func longNames() throws {
    let device = TimersDevice()
    let name = String(repeating: "é", count: 10_000)
    try device.type("new \(name) 5:00", "open 1", "edit")
    for line in device.lines { #expect(line.columns == 39) }
    #expect(device.names == [name])
  }

  @Test func edit() throws {
    let device = try workoutPhone()
    try device.type("open 1", "edit", "name Run", "duration 20:00", "icon 11", "color 8", "save")
    let timer = try #require(device.app.library.timers.first)
    #expect(timer.name == "Run")
    #expect(timer.duration == 1200)
    #expect(timer.icon == "bicycle")
    #expect(timer.colorHex == "#8E8E93")
    #expect(device.shows("< Timers"), "the detail is shown again")
    try device.type("edit", "name", "save")
    #expect(device.shows("⚠ Timer name cannot be empty"))
    try device.type("cancel")
    #expect(device.names[0] == "Run")
  }

  @Test func anEditThatChangesNothingWritesNothing() throws {
    let device = try workoutPhone()
    let vector = device.keeper.vector
    try device.type("open 1", "edit", "save", "todo 1", "save", "notes", "save")
    #expect(device.keeper.vector == vector)
  }

  @Test func deleteFromTheForm() throws {
    let device = try workoutPhone()
    try device.type("open 1", "edit", "delete", "cancel")
    #expect(device.shows("Edit Timer"))
    try device.type("delete", "delete")
    #expect(device.names == ["Study Session", "Coffee Break", "Cooking Timer"])
    #expect(device.shows("My Timers"))
  }

  @Test func deleteFromTheList() throws {
    for idiom in Idiom.allCases {
      let device = try workoutPhone(idiom)
      try device.type("delete 2")
      #expect(device.shows("Delete Timer?"))
      #expect(device.names.count == 4, "only asked yet")
      #expect(device.words == ["cancel", "delete", "a11y"])
      try device.type("no")
      #expect(!device.shows("Delete Timer?"))
      try device.type("delete 2", "yes")
      #expect(device.names == ["Workout Timer", "Coffee Break", "Cooking Timer"])
      #expect(device.refusal("delete 4")?.code == .invalidField)
    }
  }

  @Test func whatCannotBeKept() throws {
    let device = try workoutPhone()
    device.keeper.refusal = WireError(.invalidField, "the disk is full")
    func failure() -> String? { device.app.screen(now: device.now).alert?.message }
    try device.type("new Tea 5:00")
    #expect(failure() == "Failed to create timer: the disk is full")
    #expect(device.shows("Tea"), "what was typed is still there")
    try device.type("ok")
    #expect(failure() == nil)
    try device.type("cancel", "open 1", "edit", "name Run", "save")
    #expect(failure() == "Failed to update timer: the disk is full")
    try device.type("icon 1")
    #expect(failure() == nil)
    try device.type("cancel", "add Stretch")
    #expect(device.banner == "the disk is full")
    try device.type("cancel", "notes", "write x", "save")
    #expect(device.banner == "the disk is full")
    try device.type("cancel")
    #expect(device.refusal("toggle 1")?.message == "the disk is full")
    #expect(device.refusal("move 1 2")?.message == "the disk is full")
    try device.type("back", "delete 1")
    #expect(device.refusal("delete")?.message == "the disk is full")
    #expect(device.shows("Delete Timer?"))
    device.keeper.refusal = nil
    try device.type("delete")
    #expect(device.names.count == 3)
  }
}
