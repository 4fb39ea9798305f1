import RelaySupport
import Testing
import Wire

@testable import Relay

/// What help shows as an example can be sent as it is shown, where there is what it speaks of.
@Suite struct HelpExampleTests {
  /// The line that help shows, as it can be typed.
  private func example(of request: Request) throws -> String {
    let lines = try #require(Help.lines(on: request.rawValue)).map { line in
      var output: [UInt8] = []
      line(&output)
      return String(decoding: output, as: UTF8.self)
    }
    let line = try #require(lines.first { $0.contains(",\"example\":") })
    let shown = try #require(line.firstRange(of: ",\"example\":"))
    let value = line[shown.upperBound...]
    return value.hasPrefix("{") ? String(value) : String(value.dropFirst().prefix { $0 != "\"" })
  }

  /// What is done before, so that there is what an example speaks of; each is a line of the phone's, or of the
  /// watch's where it begins so.
  private static let before: [Request: [String]] = [
    .reply: ["watch sendMessage payload={} expectsReply=true id=q"],
    .refuse: ["watch transferUserInfo payload={} n=1"],
    .acknowledge: ["watch transferUserInfo payload={} n=1"],
    .fileChunk: ["$transferFile"],
    .cancelTransfer: ["watch hold lane=userInfo", "$transferUserInfo"],
    .syncPush: ["sync.open schema=todoTimers replica=6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F.1"],
    .syncEdit: ["$sync.open"],
    .syncView: ["$sync.open"],
    .syncConflicts: ["$sync.open"],
    .syncDigest: ["$sync.open"],
    .syncRestore: [
      "$sync.open",
      #"sync.edit kind=timer record=B5C20E1A-0000-4000-8000-000000000001 set={"name":"Tea","durationInSeconds":9}"#,
      "sync.edit kind=timer record=B5C2 delete=true",
    ],
    .syncAcknowledge: [
      "sync.open schema=todoTimers replica=6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F.1",
      "watch sync.open schema=todoTimers",
    ]
      + (1...17).map {
        "watch sync.edit kind=timer set={\"name\":\"Tea \($0)\",\"durationInSeconds\":9}"
      },
  ]

  @Test(arguments: Request.allCases) func isTaken(request: Request) throws {
    let world = try World()
    world.now = 1_790_000_000_000_000
    func send(_ line: String) throws {
      let isWatch = line.hasPrefix("watch ")
      let words = isWatch ? String(line.dropFirst(6)) : line
      let isNamed = words.hasPrefix("$")
      world.send(
        isNamed ? try example(of: Request(rawValue: String(words.dropFirst()))!) : words,
        on: isWatch ? "watch" : "phone")
    }
    if request != .activate {
      try send("watch activate pair=demo role=watch")
      world.send("activate pair=demo role=watch device=watch2", on: "other")
      world.send("activate pair=demo role=phone", on: "phone")
    }
    for line in Self.before[request] ?? [] { try send(line) }
    for name in ["phone", "watch", "other"] {
      let early = world.client(name).takeLines().filter { $0.contains("\"type\":\"error\"") }
      #expect(early == [], "\(request): before")
    }
    let line = try example(of: request)
    let phone = world.client("phone")
    try send(line)
    #expect(phone.isClosed == (request == .quit))
    let answers = phone.takeLines()
    #expect(!answers.contains { $0.contains("\"type\":\"error\"") }, "\(line): \(answers)")
  }
}
