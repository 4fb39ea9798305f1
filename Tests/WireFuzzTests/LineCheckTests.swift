import Foundation
import Testing
import enum TranscriptSupport.SchemaValidator
import Wire

@testable import WireFuzz

/// That the fuzzer's own look at lines says what the schemas in `Protocol/schema` say.
@Suite struct LineCheckTests {
  /// What the server said in a few sessions, and an example of each event.
  private static let lines = Result { try heard() }

  private static func heard() throws -> [JSON] {
    var lines: [JSON] = []
    for seed in 1...8 as ClosedRange<UInt64> {
      var choices = Choices(seed: seed)
      let setting = Setting(seed: seed, &choices)
      var author = Author(setting, choices)
      let stage = try Stage(setting, budget: .max)
      for _ in 0..<150 {
        try stage.perform(author.next(stage.isOpen))
        for (name, line) in stage.heard { author.hear(line, on: name) }
        lines += stage.heard.map(\.line)
      }
    }
    // Digests are cut short in some.
    lines += MessageDescription.events.compactMap { JSON(line: Array($0.example.utf8)) }
      .filter { LineCheck.fault($0) == nil }
    return lines
  }

  /// How many of the lines do not fit their schemas.
  private static func wrong(_ lines: [JSON]) throws -> (count: Int, output: String) {
    var text: [UInt8] = []
    for line in lines {
      text += Array(#"{"direction":"toDevice","line":"#.utf8) + line.bytes + Array("}\n".utf8)
    }
    let (code, said) = try SchemaValidator.validate(Data(text))
    if code == 0 { return (0, said) }
    let last = said.split(separator: "\n").last?.split(separator: " ") ?? []
    return (Int(last.dropFirst().first ?? "") ?? -1, said)
  }

  @Test func whatIsFineFitsTheSchemas() throws {
    let lines = try Self.lines.get()
    #expect(lines.count > 1_000)
    for line in lines { #expect(LineCheck.fault(line) == nil) }
    let (count, output) = try Self.wrong(lines)
    #expect(count == 0, "\(output)")
  }

  /// Each line with a fault in it is seen by both, or by neither.
  @Test func whatIsWrongFitsNoSchema() throws {
    var choices = Choices(seed: 7)
    var refused: [JSON] = []
    var taken: [JSON] = []
    let lines = try Self.lines.get()
    for _ in 0..<4_000 {
      var line = choices.one(of: lines)
      guard case .object(var members) = line, members.count > 1 else { continue }
      let place = 1 + choices.below(members.count - 1)
      switch choices.below(6) {
      case 0: members.remove(at: place)
      case 1: members.append(.init("another", .bool(true)))
      case 2: members[place].value = .plain("null")
      case 3: members[place].value = .string("")
      case 4: members[place].value = .integer(-1)
      default: members[place].value = .object([])
      }
      line = .object(members)
      if LineCheck.fault(line) == nil { taken.append(line) } else { refused.append(line) }
    }
    #expect(refused.count > 1_500 && taken.count > 100, "\(refused.count) \(taken.count)")
    let (count, output) = try Self.wrong(refused)
    #expect(count == refused.count, "\(refused.count): \(output)")
    #expect(try Self.wrong(taken).count == 0)
  }

  @Test func aLimitIsNamed() throws {
    func fault(_ code: Int, _ message: String, _ limit: String? = nil) throws -> String? {
      let member = limit.map { ",\"limit\":\"\($0)\"" } ?? ""
      let line =
        #"{"type":"error","code":\#(code),"name":"overloaded","message":"\#(message)""# + member
        + "}"
      return LimitCheck.fault(try #require(JSON(line: Array(line.utf8))))
    }
    #expect(try fault(4008, "2 wait (queueItems); have some read", "queueItems") == nil)
    #expect(
      try fault(4011, "1,000 are there (addressConnections); go", "addressConnections") == nil)
    #expect(try fault(4008, "9 bytes (quota.bytes); erase a pair", "quota.bytes") == nil)
    #expect(try fault(4008, "the store cannot write at present (no disk); wait") == nil)
    #expect(try fault(4004, "seq is a number") == nil)
    #expect(try fault(4008, "too many wait; have some read") != nil)
    #expect(try fault(4008, "2 wait; have some read", "queueItems") != nil)
    #expect(try fault(4008, "2 wait (many); have some read", "many") != nil)
    #expect(try fault(4004, "2 wait (queueItems); have some read", "queueItems") != nil)
  }

  @Test func aFaultIsNamed() {
    func fault(_ line: String) -> String? { LineCheck.fault(Array(line.utf8)) }
    #expect(fault(#"{"type":"pong","of":"ping","now":1}"#) == nil)
    #expect(fault(#"{"type":"pong","of":"ping"}"#) == "pong.now is missing")
    #expect(fault(#"{"type":"pong","of":"ping","now":1,"more":1}"#) == "pong.more is not described")
    #expect(fault(#"{"type":"nothing"}"#) == "no message nothing is described")
    #expect(fault(#"{"type":"pong","#) == "the line is no JSON object")
    #expect(
      fault(#"{"type":"pong","of":"ping","re":1,"now":1}"#)
        == "pong has re or of, and not both")
  }
}
