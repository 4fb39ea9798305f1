import RelaySupport
import Testing

/// Nothing is told and nothing is delivered before the commit that covers it.
@Suite struct DurabilityTests {
  /// A request, and the types of line that its commit brings, to whom.
  struct Step {
    var device: String
    var line: String
    var brings: [String]
  }

  static let session: [Step] = [
    Step(
      device: "phone", line: "activate pair=p role=phone", brings: ["phone activationDidComplete"]),
    Step(
      device: "watch", line: "activate pair=p role=watch", brings: ["watch activationDidComplete"]),
    Step(
      device: "phone", line: "transferUserInfo payload={} n=1",
      brings: ["phone accepted", "watch didReceiveUserInfo"]),
    Step(
      device: "phone", line: "transferCurrentComplicationUserInfo payload={} n=2",
      brings: ["phone accepted", "watch didReceiveUserInfo"]),
    Step(
      device: "phone", line: "updateApplicationContext payload={}",
      brings: ["phone accepted", "watch didReceiveApplicationContext"]),
    Step(device: "phone", line: "transferUserInfo payload={} n=1", brings: []),
    Step(
      device: "watch", line: "acknowledge seq=1 id=1",
      brings: ["watch accepted", "phone didFinishUserInfoTransfer"]),
    Step(
      device: "watch", line: "refuse lane=complication seq=1 code=7015 id=2",
      brings: ["watch accepted", "phone didFinishUserInfoTransfer"]),
    Step(
      device: "phone",
      line: "transferFile n=3 name=a size=3 "
        + "sha256=\"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"",
      brings: ["phone accepted"]),
    Step(
      device: "phone", line: "fileChunk transfer=phone:0.3 offset=0 data=YWJj id=3",
      brings: [
        "phone accepted", "phone transferProgress", "watch didReceiveFile", "watch fileChunk",
      ]),
    Step(
      device: "watch", line: "setDeviceState isWatchAppInstalled=false",
      brings: ["watch accepted", "phone sessionWatchStateDidChange"]),
    Step(
      device: "watch", line: "setDeviceState isWatchAppInstalled=true",
      brings: ["watch accepted", "phone sessionWatchStateDidChange"]),
    Step(device: "phone", line: "configure replyTimeout=1", brings: ["phone configured"]),
    Step(device: "watch", line: "deactivate", brings: []),
    Step(device: "phone", line: "transferUserInfo payload={} n=4", brings: ["phone accepted"]),
    Step(
      device: "phone", line: "cancelTransfer transfer=phone:0.4 id=4", brings: ["phone accepted"]),
    Step(
      device: "watch", line: "activate pair=p role=watch device=second",
      brings: ["watch activationDidComplete"]),
    Step(
      device: "phone", line: "selectWatch device=second",
      brings: ["phone accepted", "phone sessionDidBecomeInactive", "phone sessionDidDeactivate"]),
    Step(device: "phone", line: "activate pair=p role=phone", brings: []),
    Step(device: "phone", line: "advance seconds=1", brings: ["phone advanced"]),
    Step(
      device: "phone", line: "forgetPair",
      brings: ["phone accepted", "phone sessionDidDeactivate", "watch sessionDidDeactivate"]),
  ]

  @Test(arguments: [true, false])
  func nothingBeforeTheCommit(takesBatchesAhead: Bool) throws {
    let world = try World()
    world.takesBatchesAhead = takesBatchesAhead
    _ = world.client("phone")
    _ = world.client("watch")
    for step in Self.session {
      _ = types(world)
      world.holdsCommits = true
      world.send(step.line, on: step.device)
      let early = types(world).filter { step.brings.contains($0) }
      #expect(early.isEmpty, "\(step.line) told \(early) before its commit")
      world.holdsCommits = false
      world.settle()
      let late = types(world)
      for line in step.brings { #expect(late.contains(line), "\(step.line) brought \(late)") }
    }
  }

  /// The same with everything in flight at once: answers still come in the order of the requests.
  @Test func answersKeepTheirOrder() throws {
    let world = try World()
    world.send("activate pair=p role=phone", on: "phone")
    world.send("activate pair=p role=watch", on: "watch")
    _ = types(world)
    world.holdsCommits = true
    for number in 1...5 {
      world.send("transferUserInfo payload={} id=\(number) n=\(number)", on: "phone")
    }
    #expect(types(world).isEmpty)
    #expect(world.uncommitted.count == 5)
    for number in 1...5 {
      world.commitOne()
      let lines = world.client("phone").takeLines()
      #expect(lines.count == 1 && lines[0].contains("\"re\":\(number)"))
      #expect(world.client("watch").takeLines().count == 1)
    }
  }

  /// A lost commit takes back what nobody was told, and nothing else.
  @Test func aKillLosesOnlyWhatWasNotTold() throws {
    let world = try World()
    world.send("activate pair=p role=phone", on: "phone")
    world.send("activate pair=p role=watch", on: "watch")
    world.send("transferUserInfo payload={\"i\":1} n=1", on: "phone")
    world.holdsCommits = true
    world.send("transferUserInfo payload={\"i\":2} n=2", on: "phone")
    world.send("acknowledge seq=1", on: "watch")
    try world.kill()
    world.holdsCommits = false
    world.send("activate pair=p role=phone", on: "phone")
    #expect(world.client("phone").takeLines().last!.contains("\"n\":1,\"outstanding\":1"))
  }

  /// Who was handed a number must never have missed a smaller one: an item whose cancellation is
  /// not committed may come back.
  @Test func nothingPassesAnUncommittedCancellation() throws {
    let world = try World()
    world.send("activate pair=p role=phone", on: "phone")
    world.send("activate pair=p role=watch", on: "watch")
    world.send("hold", on: "watch")
    world.send("transferUserInfo payload={\"i\":1} n=1", on: "phone")
    world.send("transferUserInfo payload={\"i\":2} n=2", on: "phone")
    _ = types(world)
    world.holdsCommits = true
    world.send("cancelTransfer transfer=phone:0.1", on: "phone")
    world.send("release id=1", on: "watch")
    #expect(types(world) == ["watch accepted"])
    try world.kill()
    world.holdsCommits = false
    world.send("activate pair=p role=watch", on: "watch")
    let lines = world.client("watch").takeLines()
    #expect(lines.count { $0.contains("didReceiveUserInfo") } == 2)
  }

  /// An item that waited through a hold is handed out only when the store says that it may have
  /// been, even where a later one was said to be with its own commit.
  @Test func anOfferIsDurableFirst() throws {
    let world = try World()
    world.send("activate pair=p role=phone", on: "phone")
    world.send("activate pair=p role=watch", on: "watch")
    world.send("configure wakeWatchOnBackgroundTransfer=false", on: "phone")
    world.send("hold", on: "watch")
    world.send("setAppState state=suspended", on: "watch")
    world.send("transferUserInfo payload={\"i\":1} n=1", on: "phone")
    world.send("setAppState state=foreground", on: "watch")
    _ = types(world)
    world.holdsCommits = true
    world.send("transferUserInfo payload={\"i\":2} n=2", on: "phone")
    world.send("release id=1", on: "watch")
    #expect(types(world) == ["watch accepted"])
    world.holdsCommits = false
    world.settle()
    #expect(types(world).count { $0 == "watch didReceiveUserInfo" } == 2)
  }

  /// The types of the lines that have come, each with its connection's name before it.
  private func types(_ world: World) -> [String] {
    ["phone", "watch"].flatMap { name in
      world.client(name).takeLines().map { line in
        "\(name) " + line.split(separator: "\"")[3]
      }
    }
  }

  /// Who repeats an announcement while its bytes are under way is told to go on behind them, and of a file that is whole
  /// behind its end: whoever went on before that would be refused.
  @Test(arguments: [3, 6]) func aRepeatedAnnouncementSaysWhereToGoOn(bytes: Int) throws {
    let world = try World()
    for line in ["activate pair=p role=phone", "activate pair=p role=watch"] {
      world.send(line, on: line.hasSuffix("phone") ? "phone" : "watch")
    }
    let sum = "bef57ec7f53a6d40beb640a780a639c83bc29ac8a9816f1fc6c5c6dcd93c4721"
    let announcement = "transferFile n=1 id=f name=a size=6 sha256=\"\(sum)\""
    world.send(announcement, on: "phone")
    _ = world.client("phone").takeLines()
    world.holdsCommits = true
    world.send(
      "fileChunk transfer=phone:0.1 offset=0 data=\(bytes == 3 ? "YWJj" : "YWJjZGVm")", on: "phone")
    world.send(announcement, on: "phone")
    #expect(world.client("phone").takeLines() == [])
    world.holdsCommits = false
    world.settle()
    let answers = world.client("phone").takeLines().filter {
      $0.contains("\"re\":\"f\"") && $0.contains("accepted")
    }
    #expect(answers.count == 1 && answers[0].contains("\"offset\":\(bytes)"), "\(answers)")
  }
}
