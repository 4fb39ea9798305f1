import AppModels
import Merge
import Testing
import Wire

/// The rules of the records, through the merge engine.
@Suite struct TrackerRecordTests {
  let device = TrackerDevice()

  // MARK: T1 and T11

  @Test func aProjectSetsItsClient() throws {
    let (acme, globex) = (try device.client("Acme"), try device.client("Globex"))
    let site = try device.project("Website", of: acme)
    let task = try device.task("Draft", of: globex, minutes: 5)
    try device.service.assign(task, project: site, now: device.now)
    #expect(device.tracked.task(task)?.client == acme)
    #expect(device.tracked.task(task)?.project == site)
  }

  @Test func anotherClientClearsTheProject() throws {
    let (acme, globex) = (try device.client("Acme"), try device.client("Globex"))
    let site = try device.project("Website", of: acme)
    let task = try device.task("Draft", of: acme, project: site, minutes: 5)
    try device.service.assign(task, client: globex, now: device.now)
    #expect(device.tracked.task(task)?.client == globex)
    #expect(device.tracked.task(task)?.project == nil)
  }

  @Test func aTaskFollowsItsProjectToAnotherClient() throws {
    let (acme, globex) = (try device.client("Acme"), try device.client("Globex"))
    let site = try device.project("Website", of: acme)
    let task = try device.task("Draft", of: acme, project: site, minutes: 5)
    try device.service.update("project", site, ["client": .string(globex)], now: device.now)
    #expect(device.tracked.task(task)?.client == globex)
    #expect(device.tracked.task(task)?.project == site)
  }

  @Test func theClientAndTheProjectMustBeThere() throws {
    let acme = try device.client("Acme")
    let nobody = Name("00000000-0000-4000-8000-000000000000")
    let noClient = error { try device.task("Draft", of: nobody, minutes: 5) }
    #expect(noClient == WireError(.invalidClient, "Invalid client"))
    let noProject = error { try device.task("Draft", of: acme, project: nobody, minutes: 5) }
    #expect(noProject == WireError(.invalidProject, "Invalid project"))
    #expect(device.tracked.tasks.isEmpty)
  }

  @Test func aProjectOfAnotherClientIsRefused() throws {
    let (acme, globex) = (try device.client("Acme"), try device.client("Globex"))
    let site = try device.project("Website", of: acme)
    let wrong = error { try device.task("Draft", of: globex, project: site, minutes: 5) }
    #expect(wrong?.message == "Invalid project")
  }

  // MARK: Deleting

  @Test func aClientTakesItsProjectsAndTasksAlong() throws {
    let (acme, globex) = (try device.client("Acme"), try device.client("Globex"))
    let site = try device.project("Website", of: acme)
    try device.task("Draft", of: acme, minutes: 5)
    try device.task("Draft", of: acme, project: site, minutes: 5)
    let other = try device.task("Draft", of: globex, minutes: 5)
    try device.service.delete("client", acme, now: device.now)
    #expect(device.tracked.clients.map(\.id) == [globex])
    #expect(device.tracked.projects.isEmpty)
    #expect(device.tracked.tasks.map(\.id) == [other])
  }

  @Test func aProjectLeavesItsTasks() throws {
    let acme = try device.client("Acme")
    let site = try device.project("Website", of: acme)
    let task = try device.task("Draft", of: acme, project: site, minutes: 5)
    try device.service.delete("project", site, now: device.now)
    #expect(device.tracked.task(task)?.client == acme)
    #expect(device.tracked.task(task)?.project == nil)
    #expect(device.tracked.unassignedTasks(of: acme).map(\.id) == [task])
  }

  @Test func whatIsMadeForADeletedClientGoesWithIt() throws {
    let watch = device.counterpart()
    let acme = try device.client("Acme")
    try device.exchange(with: watch)
    try device.service.delete("client", acme, now: device.now)
    try watch.task("Draft", of: acme, minutes: 5)
    try device.exchange(with: watch)
    #expect(device.tracked.tasks == watch.tracked.tasks)
    #expect(device.tracked.clients == watch.tracked.clients)
  }

  @Test func aTaskMovedWhileItsProjectIsDeletedIsWhereItWasMovedTo() throws {
    let watch = device.counterpart()
    let (acme, globex) = (try device.client("Acme"), try device.client("Globex"))
    let site = try device.project("Website", of: acme)
    let task = try device.task("Draft", of: acme, project: site, minutes: 5)
    try device.exchange(with: watch)
    try device.service.delete("project", site, now: device.now)
    try watch.service.assign(task, client: globex, now: watch.now)
    try device.exchange(with: watch)
    for tracked in [device.tracked, watch.tracked] {
      #expect(tracked.task(task)?.client == globex)
      #expect(tracked.task(task)?.project == nil)
    }
  }

  // MARK: T4 and T5

  @Test(arguments: ["client", "project", "task"] as [Name], ["", " ", " \t "])
  func namesAreNotBlank(_ kind: Name, _ name: String) throws {
    let acme = try device.client("Acme")
    var fields: [Name: Datum] = ["name": .string(name)]
    if kind != "client" { fields["client"] = .string(acme) }
    let wanted = WireError(.emptyName, "Name cannot be empty")
    #expect(error { try device.service.create(kind, fields, now: device.now) } == wanted)
    fields["name"] = .string("Draft")
    let record = try device.service.create(kind, fields, now: device.now)
    let change: [Name: Datum] = ["name": .string(name)]
    #expect(error { try device.service.update(kind, record, change, now: device.now) } == wanted)
    #expect(device.records[kind, record]?.string("name") == "Draft")
  }

  @Test func aTaskNeedsNoName() throws {
    let acme = try device.client("Acme")
    let task = try device.task(nil, of: acme, minutes: 5)
    #expect(device.tracked.task(task)?.name == nil)
    #expect(device.tracked.task(task)?.title == "Unnamed Task")
  }

  @Test func aProjectAndItsTaskAreOneOperation() throws {
    let acme = try device.client("Acme")
    let before = device.keeper.operations.count
    let (project, task) = try device.service.createProjectWithTask(
      ["name": .string("Website"), "client": .string(acme)], task: ["name": .string("Draft")],
      now: device.now)
    #expect(device.keeper.operations.count == before + 1)
    #expect(device.tracked.task(task)?.project == project)
    #expect(device.tracked.task(task)?.client == acme)
    #expect(device.tracked.project(project)?.isActive == true)
  }

  @Test(arguments: [("", "Draft"), ("Website", " ")])
  func aProjectAndItsTaskAreBothOrNeither(_ project: String, _ task: String) throws {
    let acme = try device.client("Acme")
    let before = device.keeper.operations.count
    let wrong = error {
      _ = try device.service.createProjectWithTask(
        ["name": .string(project), "client": .string(acme)], task: ["name": .string(task)],
        now: device.now)
    }
    #expect(wrong?.message == "Name cannot be empty")
    #expect(device.keeper.operations.count == before)
    #expect(device.tracked.projects.isEmpty)
  }

  // MARK: T6 and T7

  @Test func modifiedAtFollowsChanges() throws {
    let created = device.now
    let acme = try device.client("Acme")
    device.now += 1000
    try device.service.update("client", acme, ["name": .string("Acme")], now: device.now)
    #expect(device.tracked.client(acme)?.modifiedAt == created)
    try device.service.update("client", acme, ["name": .string("ACME")], now: device.now)
    #expect(device.tracked.client(acme)?.modifiedAt == device.now)
    #expect(device.tracked.client(acme)?.createdAt == created)
  }

  @Test func order() throws {
    for name in ["b", "a", "B", "é", "Z"] { try device.client(name) }
    #expect(device.tracked.clients.map(\.name) == ["B", "Z", "a", "b", "é"])
    let client = device.tracked.clients[0].id
    for name in ["x", "Y"] { try device.project(name, of: client) }
    #expect(device.tracked.projects.map(\.name) == ["Y", "x"])
    for ago in [20, 10, 30] as [Int64] {
      try device.task("\(ago)", of: client, minutes: 1, ago: ago)
    }
    #expect(device.tracked.tasks.map(\.title) == ["10", "20", "30"])
  }

  // MARK: T9 and T10

  @Test func rates() throws {
    let acme = try device.client("Acme")
    let site = try device.project("Website", of: acme)
    let task = try device.task("Draft", of: acme, project: site, minutes: 5)
    func rate() -> String? { device.tracked.task(task).map { device.tracked.rate(of: $0).text } }
    func set(_ kind: Name, _ record: Name, _ field: Name, _ rate: Datum) throws {
      try device.service.update(kind, record, [field: rate], now: device.now)
    }
    #expect(rate() == "100")
    try device.records.edit(now: device.now) { edit throws(WireError) in
      try edit.set("settings", ["defaultHourlyRate": .string("90.25")])
    }
    #expect(rate() == "90.25")
    try set("client", acme, "hourlyRate", .string("110"))
    #expect(rate() == "110")
    try set("project", site, "hourlyRate", .string("120"))
    #expect(rate() == "120")
    try set("task", task, "hourlyRate", .string("130"))
    #expect(rate() == "130")
    try set("task", task, "hourlyRate", .string("0"))
    #expect(rate() == "120")
    try set("project", site, "hourlyRate", .null)
    #expect(rate() == "110")
    try set("client", acme, "hourlyRate", .int(0))
    try set("settings", "settings", "defaultHourlyRate", .int(0))
    #expect(rate() == "0")
  }

  @Test func increments() throws {
    let acme = try device.client("Acme")
    let site = try device.project("Website", of: acme)
    let task = try device.task("Draft", of: acme, project: site, minutes: 37)
    func charged() -> Int? {
      device.tracked.task(task).map { device.tracked.billedSeconds(of: $0) / 60 }
    }
    #expect(charged() == 40)
    try device.service.update("client", acme, ["billingIncrement": .int(15)], now: device.now)
    #expect(charged() == 45)
    try device.service.update("project", site, ["billingIncrement": .int(60)], now: device.now)
    #expect(charged() == 60)
    try device.service.update("project", site, ["billingIncrement": .int(0)], now: device.now)
    #expect(charged() == 45)
    let wrong = error {
      try device.service.update("client", acme, ["billingIncrement": .int(7)], now: device.now)
    }
    #expect(wrong?.code == .invalidIncrement)
    #expect(wrong?.message == "Billing increment must be 1, 5, 10, 15, 30 or 60 minutes")
  }

  @Test func theExampleOfTheSeed() throws {
    let acme = try device.client(
      "Acme", ["hourlyRate": .string("100"), "billingIncrement": .int(15)])
    let site = try device.project("Website", of: acme, ["hourlyRate": .string("150")])
    let task = try device.task("Draft", of: acme, project: site, minutes: 37)
    let tracked = device.tracked
    #expect(tracked.task(task).map { tracked.amount(of: $0).text } == "112.50")
  }

  @Test func recordsThatMakeNoSenseFallBack() throws {
    let acme = Target("client", "A0000000-0000-4000-8000-000000000000")
    let task = Target("task", "B0000000-0000-4000-8000-000000000000")
    let owner = Datum.object([
      Datum.Member("client", .string(acme.record)), Datum.Member("project", .bool(true)),
    ])
    let interval = Datum.object([
      Datum.Member("endTime", .string("-1e300")), Datum.Member("startTime", .string("1e300")),
    ])
    var ownerWrite = Action(task, .write(field: "owner", value: owner))
    ownerWrite.into = acme
    try device.keeper.write(
      [
        Action(acme, .create), Action(acme, .write(field: "hourlyRate", value: .string("x"))),
        Action(acme, .write(field: "billingIncrement", value: .string("7"))),
        Action(task, .create), ownerWrite,
        Action(task, .write(field: "interval", value: interval)),
        Action(task, .write(field: "name", value: .bool(false))),
        Action(Target("settings", "settings"), .create),
        Action(Target("entitlement", "entitlement"), .create),
      ], shown: device.keeper.vector, now: device.now)
    let tracked = device.tracked
    #expect(tracked.clients.map(\.name) == ["Unnamed Client"])
    #expect(tracked.tasks.map(\.title) == ["Unnamed Task"])
    #expect(tracked.tasks.first?.interval == nil)
    #expect(tracked.settings.autoPauseMinutes == 15)
    #expect(!tracked.entitlement.isPremium(device.now))
    for word in ["menu", "history", "reports", "export", "premium"] {
      try device.type(word == "menu" ? word : "menu")
      if word != "menu" { try device.type(word) }
      #expect(!device.lines.isEmpty)
      try device.type("home")
    }
    try device.type("open 1")
    #expect(device.screen.title == "Unnamed Client")
  }
}
