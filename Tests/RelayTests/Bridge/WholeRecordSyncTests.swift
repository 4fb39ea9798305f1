import AppModels
import Device
import Merge
import Testing
import Wire

/// The lanes of a device that knows whole records only, line by line: a test is the server.
@Suite struct WholeRecordSyncTests {
  private final class Scene {
    let device: HeadlessDevice
    private(set) var sent: [Members] = []
    private let now: Int64 = 1_800_000_000_000

    init(isPhone: Bool = true, saved: [[UInt8]]? = nil) throws {
      var records: UInt64 = 0
      device = HeadlessDevice(
        TodoTimersApp.self, schema: try #require(ShippedSchemas.named("todoTimers")),
        .init(
          pair: "p", isPhone: isPhone, name: isPhone ? "phone" : "watch",
          idiom: isPhone ? .phone : .watch), Identifier(high: 1, low: 0), now: now,
        hasWholeRecords: true
      ) {
        records += 1
        return Identifier(high: saved == nil ? 2 : 3, low: records)
      }
      if let saved { try device.restore(saved, now: now) }
    }

    func connect(n: Int = 0, isReachable: Bool = true, store: String = "s") {
      device.didConnect(now: now)
      _ = device.takeOutput()
      sent = []
      tell(
        """
        {"type":"activationDidComplete","n":\(n),"store":"\(store)","isReachable":\(isReachable),\
        "hasContentPending":false}
        """)
    }

    func disconnect() { device.didDisconnect(now: now) }

    /// Types, and takes what is sent of it.
    func type(_ lines: String...) {
      for line in lines { device.type(line, now: now) }
      take()
    }

    func tell(_ line: String) {
      device.didReceive(Array(line.utf8), now: now)
      take()
    }

    private func take() {
      for line in device.takeOutput() { sent.append((try? Members(line)) ?? Members.none) }
    }

    /// The lane, the number and the kind of what was sent, and forgets it.
    func lines() -> [String] {
      defer { sent = [] }
      return sent.map { line in
        let number = line.integer("n").map { " \($0)" } ?? ""
        let kind = line.object("payload")?.string("type").map { " \($0)" } ?? ""
        return (line.string("type") ?? "") + number + kind
      }
    }

    /// Everything that was sent is accepted.
    func accept() {
      for line in sent {
        guard let id = line.string("id"), id != "message" else { continue }
        tell("{\"type\":\"accepted\",\"re\":\"\(id)\"}")
      }
      sent = []
    }

    func id(_ index: Int) -> String { sent[index].string("id") ?? "" }

    var notices: [HeadlessDevice.Notice] { device.takeNotices() }
  }

  @Test func eachKindHasItsLane() throws {
    let scene = try Scene()
    scene.connect()
    scene.type("new Tea 5:00", "new Eggs 4:30")
    #expect(scene.lines() == ["transferUserInfo 1 timerUpdate", "transferUserInfo 2 timerUpdate"])
    scene.disconnect()
    scene.connect(n: 2)
    scene.type("move 1 2")
    #expect(scene.lines() == ["updateApplicationContext fullSync"])
    scene.disconnect()
    scene.connect(n: 2)
    scene.accept()
    scene.type("open Tea", "add Boil")
    scene.accept()
    scene.type("toggle 1")
    #expect(scene.sent.first?.flag("expectsReply") == true)
    scene.accept()
    scene.type("notes", "write hot", "save")
    #expect(scene.lines() == ["transferUserInfo 4 quickAction"])
  }

  @Test func aToggleGoesByUserInfoWhereNobodyIsReachable() throws {
    let scene = try Scene(isPhone: true)
    scene.connect(isReachable: false)
    scene.type("new Tea 5:00", "open Tea", "add Boil")
    scene.accept()
    scene.type("toggle 1")
    #expect(scene.lines() == ["transferUserInfo 3 quickAction"])
  }

  @Test func aToggleGoesByMessage() throws {
    let scene = try Scene()
    scene.connect()
    scene.type("new Tea 5:00", "open Tea", "add Boil")
    scene.accept()
    scene.type("toggle 1")
    #expect(scene.lines() == ["sendMessage quickAction"])
  }

  /// Whether it arrived is not known; so what is sent again carries its date.
  @Test func aMessageWithoutAnAnswerGoesAsADatedCopy() throws {
    let scene = try Scene()
    scene.connect()
    scene.type("new Tea 5:00", "open Tea", "add Boil")
    scene.accept()
    scene.type("toggle 1")
    scene.disconnect()
    scene.connect(n: 2)
    #expect(scene.lines() == ["transferUserInfo 3 timerUpdate"])
  }

  @Test func whatRunsGoesByMessageAndComplication() throws {
    let scene = try Scene()
    scene.connect()
    scene.type("settings", "share on", "back", "new Tea 5:00", "open Tea")
    scene.accept()
    scene.type("start")
    #expect(
      scene.lines() == [
        "sendMessage timerState", "transferCurrentComplicationUserInfo 2 timerState",
      ])
    scene.disconnect()
    scene.type("pause", "resume", "pause")
    scene.connect(n: 2, isReachable: false)
    #expect(scene.lines() == ["transferCurrentComplicationUserInfo 3 timerState"])
  }

  @Test func aWatchThatReachesNobodyQueuesWhatRuns() throws {
    let scene = try Scene(isPhone: false)
    scene.connect(isReachable: false)
    scene.type("settings", "share on", "back", "new Tea 5:00", "open Tea")
    scene.accept()
    scene.type("start")
    #expect(scene.lines() == ["transferUserInfo 2 timerState"])
  }

  /// A refused request uses up no number: the next one gets it.
  @Test func aRefusedNumberIsGivenAgain() throws {
    let scene = try Scene()
    scene.connect()
    scene.type("new A 1:00", "new B 2:00", "new C 3:00")
    let ids = (0..<3).map(scene.id)
    _ = scene.lines()
    scene.tell("{\"type\":\"accepted\",\"re\":\"\(ids[0])\"}")
    scene.tell(
      """
      {"type":"error","re":"\(ids[1])","code":7009,"message":"too large","definite":true}
      """)
    #expect(scene.lines() == [])
    scene.tell(
      "{\"type\":\"error\",\"re\":\"\(ids[2])\",\"code\":4007,\"message\":\"gap\",\"definite\":true}"
    )
    #expect(scene.lines() == ["transferUserInfo 2 timerUpdate"])
    #expect(scene.notices.contains(.error("the hub refuses timer \"B\": too large")))
  }

  /// What the server had accepted before is not sent again, and the numbers of another store are.
  @Test(arguments: [
    ("s", 1, ["transferUserInfo 2 timerUpdate"]),
    ("other", 0, ["transferUserInfo 1 timerUpdate", "transferUserInfo 2 timerUpdate"]),
  ])
  func numbersOutliveTheDevice(_ store: String, _ n: Int, _ expected: [String]) throws {
    let scene = try Scene()
    scene.connect()
    scene.type("new A 1:00", "new B 2:00")
    let again = try Scene(saved: scene.device.saved)
    again.connect(n: n, store: store)
    #expect(again.lines() == expected)
    #expect(again.device.screen(now: 0).contains { $0.contains("A") })
  }

  /// What the hub brought is acknowledged behind what was done before, and once.
  @Test func acknowledgesFollowWhatWasDone() throws {
    let scene = try Scene(isPhone: false)
    scene.type("new A 1:00")
    scene.connect()
    scene.tell(
      """
      {"type":"didReceiveUserInfo","from":"hub","seq":7,"payload":{"type":"timerUpdate","payload":\
      {"type":"deleted","timerID":"A1B2C3D4-0000-4000-8000-00000000C0DE"}}}
      """)
    #expect(scene.lines() == ["transferUserInfo 1 timerUpdate", "acknowledge"])
    let again = try Scene(isPhone: false, saved: scene.device.saved)
    again.device.didConnect(now: 0)
    let line = try Members(try #require(again.device.takeOutput().first))
    #expect(line.object("received")?.integer("userInfo") == 7)
    #expect(line.string("bridge") == "todoTimers")
  }
}

extension Members {
  fileprivate static var none: Members { try! Members(Array("{}".utf8)) }
}
