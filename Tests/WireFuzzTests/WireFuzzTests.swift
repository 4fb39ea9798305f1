import Testing
import Wire

@testable import WireFuzz

@Suite struct WireFuzzTests {
  private static func session(_ seed: UInt64) -> (text: [UInt8], run: WireFuzz.Run) {
    var fuzz = WireFuzz(budget: .max)
    var text: [UInt8] = []
    fuzz.narrates = { text += $0 + [0x0A] }
    let run = fuzz.run(seed: seed)
    return (text, run)
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func aSeedIsOneSession(_ seed: UInt64) throws {
    let (text, run) = Self.session(seed)
    #expect(run.finding == nil)
    #expect(run.lines > 50)
    #expect(Self.session(seed).text == text)
    // Its file is the same session.
    let script = try #require(Script(text))
    #expect(script.setting == run.setting)
    #expect(script.steps == run.steps)
    #expect(script.bytes == text)
    #expect(WireFuzz(budget: .max).replay(script.setting, script.steps) == nil)
  }

  /// As a campaign about tokens asks for, whose sessions are otherwise what their seeds make them.
  @Test(arguments: 1...10 as ClosedRange<UInt64>)
  func eachServerMayAskForTokens(_ seed: UInt64) {
    var fuzz = WireFuzz(budget: .max)
    fuzz.asksForTokens = true
    fuzz.steps = 30
    let run = fuzz.run(seed: seed)
    #expect(run.finding == nil)
    #expect(run.setting.hasTokens && run.setting.hasQuotas == (seed % 2 == 1))
    #expect(fuzz.replay(run.setting, run.steps) == nil)
    // Beside those of the end, which comes to the same for longer sessions.
    fuzz.steps = 31
    let longer = fuzz.run(seed: seed)
    #expect(run.steps.count >= 30 && run.steps.count < 150)
    #expect(longer.steps.prefix(30) == run.steps.prefix(30))
  }

  /// A torn line and the rest of it, which names another pair: the error says the sender's own words, and that is no leak.
  @Test func whoIsToldItsOwnWordsIsToldNothing() {
    var fuzz = WireFuzz(budget: .max)
    fuzz.asksForTokens = true
    fuzz.steps = 60
    #expect(fuzz.run(seed: 474_627).finding == nil)
  }

  /// Every request is drawn, in each of its spellings, with each of its members.
  @Test func everyRequestAndMemberIsSent() {
    var members: Set<String> = []
    var typed: Set<String> = []
    for seed in 1...15 as ClosedRange<UInt64> {
      var choices = Choices(seed: seed)
      let setting = Setting(seed: seed, &choices)
      var author = Author(setting, choices)
      for place in author.clients.indices {
        for request in MessageDescription.requests {
          for _ in 0..<3 {
            let line = author.request(request, place)
            for member in line.members { members.insert("\(request.name).\(member.name)") }
            if author.words(line) != nil { typed.insert(request.name) }
          }
        }
      }
    }
    for request in MessageDescription.requests {
      #expect(typed.contains(request.name))
      for member in request.allMembers {
        #expect(members.contains("\(request.name).\(member.name)"))
      }
    }
  }

  /// Every integer is drawn at its limits, beside them, and at those of 64 bits; texts so by their length.
  @Test func limitsAreMet() {
    var choices = Choices(seed: 1)
    let setting = Setting(seed: 1, &choices)
    var author = Author(setting, choices)
    var numbers: Set<String> = []
    var lengths: Set<Int> = []
    for _ in 0..<4_000 {
      if case .plain(let text) = author.value(.integer(7001...7019), 0) { numbers.insert(text) }
      if case .string(let text) = author.value(.text(1...64), 0) { lengths.insert(text.utf8.count) }
    }
    let wanted = [
      "7000", "7001", "7002", "7018", "7019", "7020", "9223372036854775807", "9223372036854775808",
      "-9223372036854775808", "-9223372036854775809",
    ]
    #expect(numbers.isSuperset(of: wanted))
    #expect(lengths.isSuperset(of: [0, 1, 2, 63, 64, 65]))
  }

  @Test func randomSchemasAreSchemas() {
    var choices = Choices(seed: 3)
    let drawn = (0..<200).compactMap { _ in RandomSchema.draw(&choices) }
    #expect(drawn.count > 190)
    #expect(Set(drawn.map { String(decoding: $0.bytes, as: UTF8.self) }).count > 180)
  }

  /// Devices have whole records of such schemas, and some of these are told to others.
  @Test func recordsOfRandomSchemasAreTaken() throws {
    var fuzz = WireFuzz(budget: .max)
    fuzz.steps = 300
    var (said, told) = (0, 0)
    for seed in 1...400 as ClosedRange<UInt64> where told == 0 {
      var choices = Choices(seed: seed)
      let setting = Setting(seed: seed, &choices)
      let stage = try Stage(setting, budget: .max)
      for step in fuzz.run(seed: seed).steps {
        if case .send(_, let bytes) = step, Self.isUpdate(bytes) { said += 1 }
        try stage.perform(step)
        told += stage.heard.count { $0.line["from"]?.text == "hub" && Self.isUpdate($0.line.bytes) }
      }
    }
    #expect(said > 0 && told > 0, "\(said) \(told)")
  }

  private static func isUpdate(_ line: [UInt8]) -> Bool {
    String(decoding: line, as: UTF8.self).contains("recordUpdate")
  }

  /// A ping that no budget allows is told, in each of three tries.
  @Test func aSlowPingIsFound() {
    #expect(WireFuzz(budget: 0).run(seed: 1).finding?.slug == "slow-ping")
  }

  @Test func aTagOfAnotherWorldIsFound() {
    func foreign(_ line: String) -> Int? {
      Tag.foreign(to: UInt8(ascii: "1"), in: Array(line.utf8))
    }
    #expect(foreign(#"{"payload":{"t":"~w1"}}"#) == nil)
    #expect(foreign(#"{"payload":{"t":"~w0"}}"#) == 0)
    for world in 0...7 {
      let data = Step.base64(Array(Tag.text(world).utf8))
      #expect(foreign(#"{"data":"\#(data)"}"#) == (world == 1 ? nil : world))
    }
  }

  @Test func bytesDecideWhereThereIsNoSeed() {
    let bytes = (0..<600).map { UInt8(truncatingIfNeeded: $0 * 37 + $0 / 7) }
    let run = WireFuzz(budget: .max).run(bytes: bytes)
    #expect(run.finding == nil)
    #expect(run.lines > 5)
    #expect(WireFuzz(budget: .max).run(bytes: bytes).steps == run.steps)
  }

  @Test func aStepIsItsText() throws {
    let steps: [Step] = [
      .send(on: "a0", Array("ping\n".utf8)), .send(on: "a0", [0xFF, 0x0A]),
      .send(on: "a0", Array("torn".utf8)), .end(on: "a0"), .close(on: "b1"),
      .reads(on: "a0", false), .restart, .kill(written: 2), .pass(1), .pass(86_400_000_000),
    ]
    for step in steps + Step.Disk.allCases.map({ .disk($0) }) {
      #expect(Step(try #require(JSON(line: step.json.bytes))) == step)
    }
  }
}

@Suite struct ShrinkerTests {
  private static func send(_ text: String) -> Step { .send(on: "a0", Array("\(text)\n".utf8)) }

  @Test func whatSaysNothingIsLeftOut() {
    let steps = (0..<100).map { Self.send("line \($0)") }
    let shrinker = Shrinker(until: { false }) { steps in
      steps.contains(Self.send("line 17")) && steps.contains(Self.send("line 80"))
    }
    #expect(shrinker.shrink(steps) == [Self.send("line 17"), Self.send("line 80")])
  }

  @Test func linesAndMembersAreTakenApart() {
    let both = Self.send("ping\n" + #"{"type":"release","id":7,"count":9,"lane":"file"}"#)
    let shrinker = Shrinker(until: { false }) { steps in
      steps.contains {
        guard case .send(_, let bytes) = $0 else { return false }
        return String(decoding: bytes, as: UTF8.self).contains(#""count":9"#)
      }
    }
    #expect(shrinker.shrink([both]) == [Self.send(#"{"type":"release","count":9}"#)])
  }

  @Test func triesAreBounded() {
    var tries = 0
    let shrinker = Shrinker(until: { tries == 10 }) { _ in
      tries += 1
      return false
    }
    let steps = (0..<50).map { Self.send("\($0)") }
    #expect(shrinker.shrink(steps) == steps)
    #expect(tries == 10)
  }
}
