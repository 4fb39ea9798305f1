import AppModels
import Merge
import Testing
import Wire

@Suite struct TrackerPremiumTests {
  let device = TrackerDevice()

  private var entitlement: Entitlement { device.tracked.entitlement }

  @Test(arguments: [
    ("monthly", 30, "com.nickhart.timetracker.premium.monthly", "admin"),
    ("yearly", 365, "com.nickhart.timetracker.premium.yearly", "admin"),
    ("trial", 7, "com.nickhart.timetracker.premium.monthly", "trial"),
  ])
  func whatIsGranted(_ word: String, _ days: Int64, _ product: String, _ source: String) throws {
    #expect(!entitlement.isPremium(device.now))
    try device.type("menu", "premium", "grant \(word)")
    #expect(entitlement.isPremium(device.now))
    #expect(entitlement.canAccessAdvancedReports(device.now))
    #expect(entitlement.canGenerateInvoices(device.now))
    #expect(entitlement.canAccessCustomThemes(device.now))
    #expect(entitlement.expiresAt == device.now + days * 86_400_000)
    #expect(entitlement.productID == product)
    #expect(entitlement.source == source)
    #expect(device.app.nextTick(now: device.now) == entitlement.expiresAt)
    device.now += days * 86_400_000 - 1
    #expect(entitlement.isPremium(device.now))
    device.now += 1
    #expect(!entitlement.isPremium(device.now))
    #expect(device.app.nextTick(now: device.now) == nil)
    #expect(device.shows("Premium ended"))
  }

  @Test func whatIsRevoked() throws {
    try device.type("menu", "premium", "grant yearly", "revoke")
    #expect(!entitlement.isPremium(device.now))
    #expect(entitlement.expiresAt == nil)
    #expect(error { try device.type("grant weekly") }?.code == .invalidField)
  }

  @Test func itIsSharedWithTheCounterpart() throws {
    let watch = device.counterpart()
    try device.type("menu", "premium", "grant yearly")
    try device.exchange(with: watch)
    #expect(watch.tracked.entitlement.isPremium(watch.now))
  }

  @Test(arguments: [
    ("bulk", "Bulk Time Entry"), ("themes", "Custom Themes"),
  ])
  func hardGates(_ word: String, _ title: String) throws {
    try device.type("menu", word)
    #expect(device.screen.title == title)
    try device.type("grant trial", word)
    #expect(device.screen.title != title)
  }

  @Test func invoicesAreBehindTheirPaywall() throws {
    try device.fill()
    try device.type("menu", "open 1", "invoice")
    #expect(device.screen.title == "Professional Invoicing")
    for benefit in [
      "PDF invoice generation", "Custom branding", "Automatic calculations",
      "Professional templates",
    ] {
      #expect(device.shows(benefit))
    }
    try device.type("back")
    #expect(device.screen.title == "Acme")
  }

  @Test func reportsAreBehindATeaser() throws {
    try device.type("menu", "reports")
    #expect(device.screen.title == "Reports")
    #expect(device.shows("Unlock detailed time patterns"))
    try device.type("advanced")
    #expect(device.screen.title == "Advanced Analytics")
    try device.type("grant monthly")
    #expect(!device.shows("Unlock"))
    try device.type("advanced")
    #expect(device.screen.title == "Advanced Reports")
  }

  @Test func historyEndsAfterThirtyDays() throws {
    let acme = try device.client("Acme")
    let limit: Int64 = 30 * 24 * 60
    try device.task("In", of: acme, minutes: 5, ago: limit)
    try device.task("Out", of: acme, minutes: 5, ago: limit + 1)
    try device.type("menu", "history")
    #expect(device.shows("In"))
    #expect(!device.shows("Out"))
    #expect(device.shows("1 older than 30 days"))
    try device.type("more")
    #expect(device.screen.title == "Full History")
    try device.type("grant yearly")
    #expect(device.shows("Out"))
    try device.type("more")
    #expect(device.screen.banner == "There are no older tasks.")
  }

  /// Seed 003: the limit comes after 30 days of use, and holds for what is exported too.
  @Test func theLimitComesAfterThirtyDaysOfUse() throws {
    let acme = try device.client("Acme")
    let old = device.now - 90 * 86_400_000
    for (name, end) in [("Old", old), ("New", device.now)] {
      try device.service.create(
        "task",
        [
          "client": .string(acme), "name": .string(name), "startTime": .date(end - 60_000),
          "endTime": .date(end),
        ], now: device.now)
    }
    func shows() throws -> [Bool] {
      try ["history", "export"].map { screen in
        try device.type("home", "menu", screen)
        return device.shows("Old")
      }
    }
    #expect(try shows() == [true, true])
    device.now += 30 * 86_400_000 - 1
    #expect(try shows() == [true, true])
    device.now += 1
    #expect(try shows() == [false, false])
    #expect(device.shows("1 older than 30 days"))
    #expect(device.shows("New"))
    try device.type("home", "menu", "premium", "grant yearly")
    #expect(try shows() == [true, true])
  }

  /// A program learns what was refused, and what would open it.
  @Test func whatNeedsPremiumSaysSo() throws {
    try device.fill()
    _ = device.app.takeEvents()
    func trigger(_ lines: String...) throws -> [AppEvent] {
      for line in lines { try device.type(line) }
      return device.app.takeEvents()
    }
    func required(_ trigger: PaywallTrigger) -> [AppEvent] {
      [.premiumRequired(trigger: trigger.rawValue)]
    }
    #expect(try trigger("menu", "reports") == [])
    #expect(device.shows("▒▒▒▒"))
    #expect(try trigger("advanced") == required(.advancedReportsAccess))
    #expect(try trigger("home", "menu", "bulk") == required(.bulkTimeEntry))
    #expect(try trigger("home", "menu", "themes") == required(.customizationAttempt))
    #expect(try trigger("home", "menu", "history", "more") == required(.historicalDataLimit))
    #expect(try trigger("home", "open 6", "invoice") == required(.invoiceGeneration))
    #expect(try trigger("grant trial", "invoice") == [.haptic("success")])
  }

  @Test func longHistoriesHavePages() throws {
    let acme = try device.client("Acme")
    for minute in 0..<30 { try device.task("\(minute)", of: acme, minutes: 1, ago: Int64(minute)) }
    try device.type("menu", "history", "more", "more")
    #expect(device.shows("25–30 of 30"))
    try device.type("open 6")
    #expect(device.screen.title == "29")
    try device.type("back", "back", "back")
    #expect(device.shows("1–12 of 30"))
  }

  @Test func theBannerGoesWithPremium() throws {
    try device.type("menu")
    #expect(device.shows("Upgrade to Premium"))
    try device.type("premium", "grant trial", "back")
    #expect(!device.shows("Upgrade to Premium"))
    #expect(device.shows("PRO"))
  }

  @Test func whatIsOpenClosesWhenPremiumEnds() throws {
    try device.fill()
    try device.type("menu", "premium", "grant trial", "home", "menu", "open 1", "invoice")
    #expect(device.screen.title == "Invoice")
    device.now += 7 * 86_400_000
    #expect(device.screen.title == "Professional Invoicing")
    let before = device.keeper.operations.count
    try device.type("bill")
    #expect(device.keeper.operations.count == before)
    #expect(device.screen.title == "Professional Invoicing")
  }

  @Test func billingIsOneOperation() throws {
    try device.fill()
    try device.type("menu", "open 1", "invoice", "grant yearly", "invoice")
    let before = device.keeper.operations.count
    try device.type("bill")
    #expect(device.keeper.operations.count == before + 1)
    let tasks = device.tracked.tasks.filter { $0.client == device.tracked.clients[0].id }
    #expect(!tasks.map(\.isBilled).contains(false))
    #expect(
      tasks.compactMap(\.billedAmount?.text).sorted() == ["112.50", "112.50", "140.00", "210.88"])
    try device.type("invoice")
    #expect(device.shows("Everything has been billed."))
    // What was billed stays what it was.
    try device.service.update(
      "client", device.tracked.clients[0].id, ["hourlyRate": .string("999")], now: device.now)
    #expect(tasks.map { device.tracked.amount(of: $0).text }.sorted().first == "112.50")
  }

  @Test func bulkEntriesAreOneOperation() throws {
    try device.client("Acme")
    try device.client("Globex")
    try device.type("menu", "premium", "grant yearly", "back", "bulk")
    let before = device.keeper.operations.count
    try device.type("entry 9:00-9:45 Mail", "client 2", "entry 10:00-11:30", "entry 0:00-24:00 x")
    try device.type("remove 3", "save")
    #expect(device.keeper.operations.count == before + 1)
    #expect(device.tracked.tasks.map(\.seconds).sorted() == [2700, 5400])
    #expect(Set(device.tracked.tasks.map(\.client)) == Set(device.tracked.clients.map(\.id)))
    try device.type("bulk")
    for line in ["entry x", "entry 9:00", "entry 10:00-9:00", "remove 1", "client 3"] {
      #expect(error { try device.type(line) }?.code == .invalidField)
    }
    #expect(error { try device.type("entri 9:00-10:00") }?.code == .malformedJSON)
  }

  @Test func themesAreTheDevicesOwn() throws {
    try device.type("menu", "premium", "grant yearly", "back", "themes")
    let before = device.keeper.operations.count
    try device.type("theme Forest")
    #expect(device.keeper.operations.count == before)
    let other = try device.restarted()
    #expect(other.app.localState["theme"] == .string("forest"))
    #expect(error { try device.type("theme neon") }?.code == .invalidField)
  }

  @Test func whatWasOpenedIsClosedWhenPremiumHasEnded() throws {
    try device.client("Acme")
    try device.type("menu", "premium", "grant trial", "back", "themes")
    device.now += 7 * 86_400_000
    try device.type("theme ocean")
    #expect(device.screen.title == "Custom Themes")
    try device.type("grant trial", "bulk", "entry 9:00-9:45 Mail")
    device.now += 7 * 86_400_000
    try device.type("save")
    #expect(device.screen.title == "Bulk Time Entry")
    #expect(device.tracked.tasks.isEmpty)
    try device.type("grant trial", "save")
    #expect(device.tracked.tasks.map(\.title) == ["Mail"])
  }

  @Test func bulkEntriesNeedAClient() throws {
    try device.type("menu", "premium", "grant yearly", "back", "bulk")
    #expect(error { try device.type("entry 9:00-9:45 Mail") }?.code == .invalidClient)
  }

  @Test func whatCannotBeWrittenIsOnTheScreen() throws {
    try device.fill()
    try device.type("menu", "premium", "grant yearly", "back", "bulk", "entry 9:00-9:45 Mail")
    device.keeper.refusal = WireError(.insufficientSpace, "the disk is full")
    for lines in [
      ["save"], ["cancel", "premium", "grant trial"], ["revoke"], ["back", "open 1", "invoice"],
      ["bill"], ["back", "delete", "confirm"], ["start", "stop"],
    ] {
      for line in lines { try device.type(line) }
      let isWrite = lines.last != "invoice"
      #expect(device.screen.banner == (isWrite ? "the disk is full" : nil), "\(lines)")
    }
    #expect(device.app.isRunning)
    device.keeper.refusal = nil
    try device.type("stop")
    #expect(!device.app.isRunning)
  }

  @Test func everyTriggerHasItsBenefits() {
    #expect(
      PaywallTrigger.allCases.map(\.rawValue) == [
        "advancedReportsAccess", "invoiceGeneration", "customizationAttempt",
        "historicalDataLimit", "bulkTimeEntry",
      ])
    for trigger in PaywallTrigger.allCases {
      #expect(!trigger.benefits.isEmpty)
      #expect(!trigger.title.isEmpty)
    }
  }
}
