import AppModels
import Merge
import Testing
import Wire

@Suite struct TrackerAppTests {
  let device = TrackerDevice()

  // MARK: T12

  @Test func addMakesWhatBelongsThere() throws {
    try device.type("add")
    #expect(device.screen.title == "New Client")
    try device.type("name Acme", "save", "open 1", "add")
    #expect(device.screen.title == "New Project")
    try device.type("name Website", "save", "open 1", "add")
    #expect(device.screen.title == "New Task")
    try device.type("name Draft", "from 9:05", "to 2025-11-21 10:30", "rate 112.50", "save")
    let tracked = device.tracked
    let task = try #require(tracked.tasks.first)
    #expect(tracked.client(task.client)?.name == "Acme")
    #expect(tracked.project(task.project)?.name == "Website")
    #expect(task.seconds == 85 * 60)
    #expect(task.hourlyRate?.text == "112.5")
    #expect(task.interval?.lowerBound == TrackerDevice.start - 115 * 60_000)
    #expect(tracked.project(task.project)?.isActive == true)
  }

  @Test func aProjectIsMadeWithItsTask() throws {
    try device.client("Acme")
    let before = device.keeper.operations.count
    try device.type("open 1", "add", "name Website", "task ", "save")
    #expect(device.screen.banner == "Name cannot be empty")
    #expect(device.keeper.operations.count == before)
    try device.type("task Draft", "save")
    #expect(device.keeper.operations.count == before + 1)
    #expect(device.tracked.tasks.map(\.title) == ["Draft"])
    #expect(device.tracked.projects.map(\.name) == ["Website"])
  }

  @Test func aTaskFormStartsTheTimer() throws {
    try device.fill()
    try device.type("new", "name Draft", "client Globex")
    #expect(device.shows("Project                        none"))
    try device.type("project app")
    #expect(device.shows("Client                         Acme"))
    try device.type("project none")
    #expect(device.shows("Project                        none"))
    try device.type("project 2")
    #expect(device.shows("Project                     Website"))
    try device.type("start")
    #expect(device.app.currentTaskName == "Draft")
    #expect(device.app.clientName == "Acme")
    #expect(device.screen.title == "TimeTracker")
    // The ⊕ is there at any time; the form starts nothing while the timer runs.
    try device.type("new", "name Later", "from 9:00", "to 9:30")
    #expect(device.shows("( START )"))
    try device.type("save")
    #expect(device.app.currentTaskName == "Draft")
    #expect(device.tracked.tasks.contains { $0.name == "Later" && $0.seconds == 1800 })
  }

  /// Seed 003 hides the button of the floating widget while the timer runs, and nothing else.
  @Test(arguments: Idiom.allCases)
  func newTaskIsHiddenOnlyWhereTheSeedHidesIt(_ idiom: Idiom) throws {
    let device = TrackerDevice(idiom)
    try device.fill()
    try device.type("tap")
    #expect(device.shows("[ New Task ]") == (idiom != .watch))
    try device.type("start")
    #expect(device.shows("[ New Task ]") == (idiom == .phone))
    #expect(device.shows("⊕") == (idiom != .watch))
    #expect(device.app.commands.contains { $0.word == "new" })
  }

  // MARK: Forms

  @Test(arguments: [
    ("rate -5", "Hourly rate cannot be negative"),
    ("increment 7", "Billing increment must be 1, 5, 10, 15, 30 or 60 minutes"),
    ("name ", "Name cannot be empty"),
  ])
  func errorsOfTheRulesAreOnTheForm(_ line: String, _ message: String) throws {
    try device.client("Acme")
    try device.type("open 1", "edit", line, "save")
    #expect(device.screen.title == "Edit Client")
    #expect(device.screen.banner == message)
    try device.type("cancel")
    #expect(device.tracked.clients.map(\.name) == ["Acme"])
  }

  /// SAVE is off as long as a form breaks a rule.
  @Test func offWhileNotValid() throws {
    func isOff() -> Bool {
      device.shows("( SAVE )") && !device.app.commands.contains { $0.word == "save" }
    }
    try device.type("add")
    #expect(isOff(), "it has no name yet")
    try device.type("name \u{3164}")
    #expect(isOff(), "what shows nothing is no name")
    try device.type("name Acme")
    #expect(!isOff() && device.shows("[ SAVE ]"))
    try device.type("rate -5")
    #expect(isOff())
    try device.type("rate 5", "increment 7")
    #expect(isOff())
    try device.type("increment 15", "save", "open 1", "edit", "name  ")
    #expect(isOff())
    try device.type("cancel", "add Website", "task  ")
    #expect(isOff(), "of the first task, too")
    try device.type("task Draft", "save")
    #expect(device.tracked.tasks.map(\.title) == ["Draft"])
  }

  @Test func errorsOfTasksAreOnTheForm() throws {
    try device.client("Acme")
    try device.type("new", "from 10:00", "save")
    #expect(
      device.screen.banner == "A task is shared once it has stopped: endTime is missing")
    try device.type("to 9:00", "save")
    #expect(device.screen.banner == "End time cannot be before start time")
    try device.type("to 10:30", "save")
    #expect(device.tracked.tasks.first?.seconds == 1800)
  }

  @Test func whatMakesNoSenseIsRefused() throws {
    try device.client("Acme")
    try device.type("new")
    for line in [
      "rate x", "rate", "rate 1e5", "from 25:00", "from 9", "to 2025-02-30 9:00", "client nobody",
      "client 2", "project 1", "billed maybe",
    ] {
      #expect(error { try device.type(line) }?.code == .invalidField, "\(line)")
    }
    #expect(error { try device.type("rat 5") }?.message.contains("rate") == true)
  }

  @Test func billedIsWrittenWithItsAmount() throws {
    let acme = try device.client("Acme")
    try device.task("Draft", of: acme, minutes: 37)
    try device.type("open 1", "edit", "rate 150", "billed on", "save")
    let task = try #require(device.tracked.tasks.first)
    #expect(task.isBilled)
    #expect(task.billedAmount?.text == "100.00")
    #expect(task.billedDate == device.now)
    try device.type("edit", "billed off", "save")
    #expect(device.tracked.tasks.first?.billedAmount == nil)
    #expect(device.tracked.tasks.first?.isBilled == false)
  }

  @Test func settingsAreShared() throws {
    try device.type("menu", "settings", "rate 80.5", "increment 30", "autopause on", "minutes 5")
    try device.type("save")
    let settings = device.tracked.settings
    #expect(settings.hourlyRate?.text == "80.5")
    #expect(settings.increment == 30)
    #expect(settings.autoPauseEnabled)
    #expect(settings.autoPauseMinutes == 5)
    try device.type("settings", "rate none", "increment none", "minutes 0", "save")
    #expect(device.screen.banner == "Duration must be greater than 0")
    try device.type("minutes 5", "save")
    #expect(device.tracked.settings.hourlyRate == nil)
    #expect(device.tracked.settings.increment == nil)
  }

  @Test func settingsAtFirst() {
    let settings = device.tracked.settings
    #expect(settings.hourlyRate?.text == "100")
    #expect(settings.increment == 10)
    #expect(!settings.autoPauseEnabled)
    #expect(settings.autoPauseMinutes == 15)
    #expect(SettingsModel.increments == [1, 5, 10, 15, 30, 60])
  }

  @Test func aFormKeepsWhatWasTyped() throws {
    let watch = device.counterpart()
    let acme = try device.client("Acme", ["notes": .string("one two")])
    try device.exchange(with: watch)
    try device.type("open 1", "edit", "rate 70", "notes one three")
    try watch.service.update(
      "client", acme, ["name": .string("ACME"), "notes": .string("zero one two")], now: watch.now)
    try device.exchange(with: watch)
    #expect(device.shows("ACME"))
    #expect(device.shows("70.00/h *"))
    #expect(device.shows("one three *"))
    try device.type("save")
    let client = try #require(device.tracked.client(acme))
    #expect(client.name == "ACME")
    #expect(client.hourlyRate?.text == "70")
    // Texts merge as they were shown to each.
    #expect(client.notes == "zero one three")
  }

  @Test func aFormOutlivesADelete() throws {
    let watch = device.counterpart()
    let acme = try device.client("Acme")
    try device.exchange(with: watch)
    try device.type("open 1", "edit", "name ACME")
    try watch.service.delete("client", acme, now: watch.now)
    try device.exchange(with: watch)
    #expect(device.screen.title == "Edit Client")
    #expect(device.shows("ACME *"))
    device.now += 1000
    try device.type("save")
    #expect(device.tracked.clients.map(\.name) == ["ACME"])
  }

  // MARK: Deleting

  @Test func deletingAsks() throws {
    try device.fill()
    try device.type("menu", "open 1", "delete")
    #expect(device.screen.alert?.title == "Delete “Acme”?")
    #expect(device.screen.alert?.message == "Its 2 projects and 4 tasks are deleted with it.")
    #expect(error { try device.type("open 1") }?.code == .malformedJSON)
    try device.type("cancel")
    #expect(device.tracked.clients.count == 2)
    try device.type("delete", "confirm")
    #expect(device.tracked.clients.map(\.name) == ["Globex"])
    #expect(device.screen.title == "Menu")
  }

  @Test func screensOfWhatIsGoneAreLeft() throws {
    let watch = device.counterpart()
    let acme = try device.client("Acme")
    let site = try device.project("Website", of: acme)
    try device.exchange(with: watch)
    try device.type("menu", "open 1", "open 1", "delete")
    try watch.service.delete("project", site, now: watch.now)
    try device.exchange(with: watch)
    #expect(device.screen.alert == nil)
    #expect(device.screen.title == "Acme")
    #expect(device.screen.banner == "The project has been deleted.")
    try watch.service.delete("client", acme, now: watch.now)
    try device.exchange(with: watch)
    #expect(device.screen.title == "Menu")
  }

  @Test func aFormOfWhatIsGoneIsLeftForWhatIsThere() throws {
    let acme = try device.client("Acme")
    try device.type("open 1", "edit")
    try device.service.delete("client", acme, now: device.now)
    device.app.recordsDidChange(now: device.now)
    #expect(device.screen.title == "Edit Client")
    try device.type("cancel")
    #expect(device.screen.title == "TimeTracker")
    #expect(device.screen.banner == "The client has been deleted.")
  }

  @Test func whatIsGoneIsShownAsGone() throws {
    let acme = try device.client("Acme")
    let site = try device.project("Website", of: acme)
    try device.task("Draft", of: acme, project: site, minutes: 5)
    try device.service.grant(.yearly, now: device.now)
    try device.type("menu", "open 1", "invoice")
    try device.service.delete("client", acme, now: device.now)
    #expect(device.shows("It has been deleted."))
    try device.type("back")
    #expect(device.shows("It has been deleted."))
  }

  @Test func aProjectMovesToAnotherClient() throws {
    let acme = try device.client("Acme")
    let globex = try device.client("Globex")
    let site = try device.project("Website", of: acme)
    let task = try device.task("Draft", of: acme, project: site, minutes: 5)
    try device.type("menu", "open 2", "edit", "client globex", "save")
    #expect(device.tracked.project(site)?.client == globex)
    #expect(device.tracked.task(task)?.client == globex)
  }

  @Test func screensFollowTheCounterpart() throws {
    let watch = device.counterpart()
    let acme = try watch.client("Acme")
    try device.exchange(with: watch)
    #expect(device.shows("1 Acme"))
    try watch.task("Draft", of: acme, minutes: 37)
    try device.exchange(with: watch)
    #expect(device.shows("1 Draft · Acme"))
  }

  // MARK: Words

  @Test func wordsThatAreNotThereSayWhatIs() throws {
    let wrong = error { try device.type("opne 1") }
    #expect(wrong?.code == .malformedJSON)
    #expect(wrong?.message.contains("did you mean open?") == true)
    #expect(error { try device.type("open 1") }?.message == "there is no row here")
    try device.client("Acme")
    #expect(
      error { try device.type("open 2") }?.message == "open takes the number of a row, from 1 to 1")
  }

  /// Every screen, and every word that it lists.
  @Test func everyListedWordIsKnown() throws {
    let routes = [
      [], ["menu"], ["menu", "open 1"], ["menu", "open 2"], ["menu", "open 1", "open 3"],
      ["menu", "history"], ["menu", "reports"], ["menu", "reports", "advanced"],
      ["menu", "open 1", "invoice"], ["menu", "export"], ["menu", "premium"], ["menu", "themes"],
      ["menu", "bulk"], ["menu", "settings"], ["add"], ["new"], ["menu", "open 1", "delete"],
    ]
    for isPremium in [false, true] {
      for route in routes {
        func device() throws -> TrackerDevice {
          let device = TrackerDevice(.pad)
          try device.fill()
          if isPremium { try device.service.grant(.yearly, now: device.now) }
          for line in route { try device.type(line) }
          return device
        }
        for command in try device().app.commands {
          let other = try device()
          let argument = command.arguments.split(separator: "|").first.map(String.init) ?? ""
          let wrong = error { try other.type("\(command.word) \(argument)") }
          #expect(wrong?.message.contains("type help") != true, "\(route) \(command.word)")
          #expect(!other.lines.isEmpty)
        }
      }
    }
  }

  @Test func syncIsAskedFor() throws {
    try device.type("menu")
    #expect(device.shows("offline"))
    device.app.status.isConnected = true
    #expect(device.shows("Sync                           done"))
    device.app.status.pending = 3
    #expect(device.shows("3 waiting"))
    try device.type("sync")
    #expect(device.app.takeEvents() == [.syncRequested])
  }

  @Test func messagesArePassedOver() {
    device.app.didReceive(message: Array("{}".utf8), now: device.now)
    #expect(device.app.takeEvents().isEmpty)
    device.app.status.error = "The phone cannot be reached."
    #expect(device.screen.banner == "The phone cannot be reached.")
  }
}
