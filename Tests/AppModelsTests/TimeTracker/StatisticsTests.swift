import AppModels
import Merge
import Testing
import Wire

@Suite struct StatisticsTests {
  let device = TrackerDevice()

  private func statistics(_ scope: TrackedWork.Scope = .all, at now: Int64? = nil) -> Statistics {
    Statistics(
      device.tracked, scope, now: now ?? device.now, secondsFromUTC: TrackerDevice.secondsFromUTC)
  }

  @Test func withoutTasks() {
    let statistics = statistics()
    #expect(statistics.todaySeconds == 0)
    #expect(statistics.billable.text == "0.00")
    #expect(statistics.activeClients == 0)
  }

  @Test func scopes() throws {
    try device.fill()
    let tracked = device.tracked
    let acme = try #require(tracked.clients.first)
    let site = try #require(tracked.projects.first { $0.name == "Website" })
    let all = statistics()
    #expect(all.tasks == 5)
    #expect(all.totalSeconds == (37 + 95 + 20 + 60 + 45) * 60)
    #expect(all.todaySeconds == (37 + 95) * 60)
    // 45 min and 45 min at 150, 105 min at 120.50, 20 min at 100.
    #expect(all.unbilled.text == "469.21")
    #expect(all.billed.text == "140.00")
    #expect(all.billable.text == "609.21")
    #expect(all.activeClients == 2)
    let one = statistics(.client(acme.id))
    #expect(one.totalSeconds == (37 + 95 + 60 + 45) * 60)
    #expect(one.billed.text == "140.00")
    #expect(one.activeClients == 1)
    let project = statistics(.project(site.id))
    #expect(project.totalSeconds == (37 + 45) * 60)
    #expect(project.unbilled.text == "225.00")
  }

  @Test func daysAreSplitAtLocalMidnight() throws {
    let acme = try device.client("Acme")
    // 2025-11-21 00:00 there.
    let midnight: Int64 = 1_763_679_600_000
    #expect(
      LocalTime.midnight(device.now, secondsFromUTC: TrackerDevice.secondsFromUTC) == midnight)
    try device.service.create(
      "task",
      [
        "client": .string(acme), "startTime": .date(midnight - 1500),
        "endTime": .date(midnight + 2700),
      ], now: device.now)
    let today = statistics().todaySeconds
    let yesterday = statistics(at: midnight - 1).todaySeconds
    #expect((yesterday, today) == (1, 3))
    #expect(yesterday + today == statistics().totalSeconds)
    #expect(statistics(at: midnight + LocalTime.day).todaySeconds == 0)
  }

  @Test func whatHasNotStoppedCountsNothing() throws {
    let acme = try device.client("Acme")
    try device.service.create("task", ["client": .string(acme)], now: device.now)
    try device.type("start Draft")
    device.pass(3600)
    #expect(statistics().tasks == 0)
    #expect(statistics().totalSeconds == 0)
  }

  @Test func activeClientsAreThoseOfThirtyDays() throws {
    let acme = try device.client("Acme")
    try device.task("Draft", of: acme, minutes: 5, ago: 30 * 24 * 60)
    #expect(statistics().activeClients == 1)
    #expect(statistics(at: device.now + 1).activeClients == 0)
  }

  // MARK: Calendar

  @Test(
    arguments: [
      (0, 0, "1970-01-01", "00:00", 3), (-1, 0, "1969-12-31", "23:59", 2),
      (1_763_719_200_000, 3600, "2025-11-21", "11:00", 4),
      (951_782_400_000, 0, "2000-02-29", "00:00", 1),
      (-2_203_891_200_000, 0, "1900-03-01", "00:00", 3),
      (1_763_679_599_999, 3600, "2025-11-20", "23:59", 3),
      (1_763_719_200_000, -43_200, "2025-11-20", "22:00", 3),
    ] as [(Int64, Int, String, String, Int)])
  func calendar(_ time: Int64, _ ahead: Int, _ date: String, _ clock: String, _ weekday: Int) {
    let local = LocalTime(time, secondsFromUTC: ahead)
    #expect(local.date == date)
    #expect(local.clock == clock)
    #expect(local.weekday == weekday)
  }

  @Test func dayNumbersAreThoseOfTheCalendar() {
    for day in stride(from: Int64(-719_162), through: 2_932_896, by: 731) {
      let local = LocalTime(day * LocalTime.day, secondsFromUTC: 0)
      #expect(
        LocalTime.dayNumber(year: local.year, month: local.month, day: local.day) == day)
    }
    #expect(LocalTime.dayNumber(year: 2025, month: 2, day: 29) == nil)
    #expect(LocalTime.dayNumber(year: 2024, month: 2, day: 29) == 19_782)
    #expect(LocalTime.dayNumber(year: 2025, month: 13, day: 1) == nil)
    #expect(LocalTime.dayNumber(year: 0, month: 1, day: 1) == nil)
  }

  @Test(arguments: [(0, "0:00:00"), (3725, "1:02:05"), (360_000, "100:00:00"), (-1, "0:00:00")])
  func clocks(_ seconds: Int, _ text: String) {
    #expect(TrackerText.clock(seconds: seconds) == text)
  }

  // MARK: Documents

  @Test func invoices() throws {
    try device.fill()
    let tracked = device.tracked
    let invoice = Invoice(tracked, client: try #require(tracked.clients.first))
    #expect(invoice.lines.map(\.amount.text) == ["112.50", "210.88", "112.50"])
    #expect(invoice.lines.map(\.seconds) == [2700, 6300, 2700])
    #expect(invoice.total.text == "435.88")
  }

  /// Project by project; what is without one comes by itself, and different rates are not told.
  @Test func aSummary() throws {
    try device.fill()
    try device.type("menu", "settings", "template summary", "business  Nick & Co ", "save")
    let tracked = device.tracked
    let all = Invoice(tracked, client: try #require(tracked.clients.first))
    #expect(all.business == "Nick & Co" && all.note.isEmpty)
    #expect(all.total.text == "435.88" && all.tasks.count == 3)
    #expect(all.lines.map(\.amount).sum == all.total)
    #expect(Set(all.lines.map(\.title)).count == all.lines.count && all.lines.count < 3)
    #expect(all.lines.reduce(0) { $0 + $1.seconds } == 2700 + 6300 + 2700)
    try device.type("home", "menu", "settings", "business none", "template detailed", "save")
    let detailed = Invoice(device.tracked, client: try #require(tracked.clients.first))
    #expect(detailed.business.isEmpty && detailed.lines.allSatisfy { $0.interval != nil })
    try device.type("home", "menu", "settings")
    #expect(throws: WireError(.invalidField, "template takes one of standard, summary, detailed")) {
      try device.type("template fancy")
    }
  }

  @Test func commaSeparatedValues() throws {
    let acme = try device.client("Acme, \"the\" firm")
    try device.task("a\nb", of: acme, minutes: 37, ["notes": .string("plain")])
    try device.service.create("task", ["client": .string(acme)], now: device.now)
    let header =
      "client,project,task,start,end,seconds,billableSeconds,rate,amount,isBilled,notes\r\n"
    #expect(
      CSVExport.text(device.tracked, device.tracked.tasks) == header
        + "\"Acme, \"\"the\"\" firm\",,\"a\nb\",2025-11-21T09:23:00Z,2025-11-21T10:00:00Z,"
        + "2220,2400,100,66.67,false,plain\r\n")
  }
}
