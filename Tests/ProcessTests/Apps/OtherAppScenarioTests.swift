import Foundation
import Testing

extension ProcessTests {
  /// The time tracker on a phone and a tablet, the Pomodoro timer on a phone and a watch.
  @Suite struct OtherAppScenarioTests: DeviceSuite {
    let scratch: Scratch
    let server: ServerProcess

    init() throws {
      scratch = try Scratch()
      server = try ServerProcess(scratch)
    }

    // MARK: Time tracker

    /// Time is shared once its task has stopped; until then it is the device's own.
    @Test func timeThatWasTrackedOnThePhoneIsOnTheTablet() throws {
      let phone = try device("phone", app: "timeTracker")
      let tablet = try device("watch", app: "timeTracker")
      phone.type("add Acme", "rate 100", "save")
      try tablet.shows("Acme")
      phone.type("open 1", "add", "name Website", "rate 150", "save", "open 1", "add")
      try phone.shows("New Task", "Website")
      phone.type("name Design review", "start")
      try phone.tells("haptic")
      try tablet.shows("Website · Acme", without: ["RECENT TASKS", "Design review"])
      phone.type("stop")
      try tablet.shows("Design review", "Website")
    }

    @Test func aProjectComesWithItsFirstTaskOrNotAtAll() throws {
      let phone = try device("phone", app: "timeTracker")
      let tablet = try device("watch", app: "timeTracker")
      phone.type("add", "name Acme", "save", "open 1", "add", "task Sketch", "save")
      try phone.shows("⚠ Name cannot be empty")
      try phone.sync("look")
      try tablet.shows("Acme", without: ["Website", "Sketch"])
      phone.type("name Website", "save")
      try tablet.shows("Website · Acme")
      tablet.type("open 1")
      try tablet.shows("Sketch")
    }

    /// Both devices change the same client while they are apart.
    @Test func ratesMeetAgain() throws {
      let phone = try device("phone", app: "timeTracker")
      let tablet = try device("watch", app: "timeTracker")
      phone.type("add", "name Acme", "save")
      try tablet.shows("Acme")
      phone.type("offline", "open 1", "edit", "rate 120", "save")
      tablet.type("offline", "open 1", "edit", "increment 15", "notes net 30", "save")
      try phone.shows("120.00/h")
      try tablet.shows("15 min", "net 30")
      phone.type("online")
      tablet.type("online")
      try phone.shows("120.00/h", "15 min", "net 30")
      try tablet.shows("120.00/h", "15 min", "net 30")
    }

    @Test func premiumIsBoughtOnce() throws {
      let phone = try device("phone", app: "timeTracker")
      let tablet = try device("watch", app: "timeTracker")
      phone.type("add", "name Acme", "save")
      try tablet.shows("Acme")
      tablet.type("open 1", "invoice")
      try tablet.shows("Professional Invoicing", "PDF invoice generation")
      phone.type("menu", "premium", "grant yearly")
      try phone.shows("Premium", "Until")
      tablet.type("home", "menu", "premium")
      try tablet.shows("Premium", "Until")
    }

    // MARK: Pomodoro

    @Test func settingsAndHistoryAreSharedTheTimerIsNot() throws {
      let phone = try device("phone", app: "pomodoro")
      let watch = try device("watch", app: "pomodoro")
      try phone.shows("WORK", "25:00")
      phone.type("settings", "work 1s", "cycle every4", "save")
      try watch.shows("00:01")
      watch.type("tap")
      try watch.tells("haptic medium")
      try watch.tells("haptic rigid")
      try watch.shows("SHORT BREAK", "05:00")
      try phone.shows("WORK", "00:01")
      phone.type("history")
      try phone.shows("Work")
    }

    @Test func aPhaseGoesOnWhileTheAppIsDead() throws {
      let store = scratch.path + "/pomodoro"
      let first = try device("phone", app: "pomodoro", "--store", store)
      try first.sync("settings", "work 2s", "save", "tap")
      first.program.kill()
      usleep(2_200_000)
      let second = try device("phone", app: "pomodoro", "--store", store)
      try second.shows("SHORT BREAK", "05:00")
      second.type("history")
      try second.shows("Work")
    }

    @Test func aDurationThatIsNone() throws {
      let phone = try device("phone", app: "pomodoro")
      phone.type("settings", "work 0s", "save")
      try phone.shows("⚠ Duration must be greater than 0")
      phone.type("work 25:00:00", "save")
      try phone.tells("work")
    }
  }
}
