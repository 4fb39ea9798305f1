import Merge
import Testing

/// Pushes that are wrong in some way: a clear error or an answer, and never half of one applied.
@Suite struct PushTests {
  private let hub: HubWorld
  private let me = "6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F.1"
  private let timer = "B5C20E1A-0000-4000-8000-000000000001"

  init() throws {
    hub = try HubWorld()
    _ = hub.type("activate pair=p role=watch", on: "watch")
    try #require(
      try hub.ask("sync.open schema=todoTimers replica=\(me)", on: "watch").type == "sync.opened")
    try hub.keyboard("phone")
  }

  /// An operation as a device writes it.
  private func op(
    _ seq: Int, _ actions: String..., replica: String? = nil, stamp: String? = nil,
    more: String = ""
  ) -> String {
    let stamp = stamp ?? "\(978_307_200_000 + seq).1.0"
    return """
      {"actions":[\(actions.joined(separator: ","))],"replica":"\(replica ?? me)",\
      "seq":"\(seq)","stamp":"\(stamp)","wall":"978307200000"\(more)}
      """
  }

  private func action(_ name: String, _ more: String = "", record: String? = nil) -> String {
    #"{"action":"\#(name)","kind":"timer","record":"\#(record ?? timer)"\#(more)}"#
  }

  private func write(_ field: String, _ value: String, record: String? = nil) -> String {
    action("write", #","field":"\#(field)","value":\#(value),"revives":true"#, record: record)
  }

  private func push(_ ops: String...) throws -> Answer {
    try hub.ask("{\"type\":\"sync.push\",\"ops\":[\(ops.joined(separator: ","))]}", on: "watch")
  }

  /// Pushes what must be refused; returns the error.
  private func refused(_ code: Int, _ ops: String...) throws -> String {
    let before = try hub.state("phone")
    let answer = try hub.ask(
      "{\"type\":\"sync.push\",\"ops\":[\(ops.joined(separator: ","))]}", on: "watch")
    #expect(answer.code == code, "\(answer)")
    #expect(answer.isDefinite == true)
    #expect(try hub.state("phone") == before)
    #expect(hub.take("phone").isEmpty)
    return answer.message
  }

  private var create: String {
    op(1, action("create"), write("name", #""Tea""#), write("durationInSeconds", #""60""#))
  }

  @Test func aBadOneInTheMiddle() throws {
    let message = try refused(
      4004, create, op(2, write("durationInSeconds", #""long""#)), op(3, write("name", #""x""#)))
    #expect(message.contains("operation 2") && message.contains("durationInSeconds"))
    let answer = try push(create, op(2, write("durationInSeconds", #""90""#)))
    #expect(answer.type == "sync.accepted")
    #expect(try hub.records("timer", on: "phone")[0]["durationInSeconds"] as? Int == 90)
  }

  @Test func gap() throws {
    #expect(try push(create).type == "sync.accepted")
    #expect(try refused(4007, op(3, write("name", #""x""#))).contains("push from 2 on"))
    #expect(try push(op(2, write("name", #""x""#))).type == "sync.accepted")
  }

  @Test func repeatedPush() throws {
    let first = try push(create)
    let state = try hub.state("phone")
    let again = try push(create)
    #expect(again.text == first.text)
    #expect(try hub.state("phone") == state)
    // Known ones and a new one at once.
    let more = try push(create, op(2, write("name", #""x""#)))
    #expect(more.type == "sync.accepted" && more.at == 2)
  }

  @Test func fork() throws {
    #expect(try push(create).type == "sync.accepted")
    let other = op(1, action("create"), write("name", #""Coffee""#))
    #expect(try refused(4012, other).contains("new incarnation"))
  }

  @Test func ranksAndReplicas() throws {
    #expect(try refused(4004, op(1, action("create"), stamp: "978307200001.2.0")).contains("rank"))
    let foreign = "6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F.2"
    #expect(try refused(4004, op(1, action("create"), replica: foreign)).contains("has opened"))
    let answer = try hub.ask("sync.open schema=todoTimers replica=\(me)", on: "phone")
    #expect(answer.code == 4004 && answer.message.contains("that of watch"))
    #expect(try hub.ask("sync.push ops=[]", on: "phone").message.contains("without a replica"))
  }

  @Test func clocks() throws {
    let before = try hub.state("phone")
    // The last millisecond of 2019, as a hub sees it whose clock is right.
    _ = hub.type("advance seconds=800000000", on: "clock")
    for (stamp, isAhead) in [("1778307260001.1.0", true), ("1577836799999.1.0", false)] {
      let answer = try push(op(1, action("create"), stamp: stamp))
      #expect(answer.type == "sync.retime" && answer["code"] as? Int == 4040, "\(answer)")
      #expect(answer["now"] as? Int == 1_778_307_200 && answer["stamp"] as? String == stamp)
      #expect(answer.message.contains(isAhead ? "ahead" : "before"))
    }
    #expect(try hub.state("phone") == before)
    let early = try push(op(1, action("create"), stamp: "1577836800000.1.0"))
    #expect(early.type == "sync.accepted", "\(early)")
    let last = try push(op(2, write("name", #""x""#), stamp: "1778307260000.1.0"))
    #expect(last.type == "sync.accepted", "\(last)")
    let lower = op(3, write("name", #""y""#), stamp: "1778307260000.1.0")
    #expect(try refused(4004, lower).contains("must be above"))
  }

  /// A hub whose clock is set by hand starts in 2001, and takes stamps of that time.
  @Test func manualClock() throws {
    #expect(try push(op(1, action("create"), stamp: "978307199999.1.0")).type == "sync.accepted")
    let ahead = op(2, write("name", #""y""#), stamp: "978307260001.1.0")
    #expect(try push(ahead).type == "sync.retime")
  }

  @Test func contexts() throws {
    let unknown = #","context":{"00000000-0000-4000-8000-000000000009.1":"1"}"#
    #expect(try refused(4004, op(1, action("create"), more: unknown)).contains("not here"))
    let self1 = ",\"context\":{\"\(me)\":\"1\"}"
    #expect(try refused(4004, op(1, action("create"), more: self1)).contains("own seq"))
    let huge = (0..<9_000).map { number in
      let id = String(number + 10_000)
      return "\"0000000\(id.prefix(1))-0000-4000-8000-0000000\(id).1\":\"1\""
    }
    let context = ",\"context\":{\(huge.joined(separator: ","))}"
    #expect(try refused(4004, op(1, action("create"), more: context)).contains("not here"))
    let open = """
      {"type":"sync.open","schema":"todoTimers","replica":"\(me)",\
      "vector":{\(huge.joined(separator: ","))}}
      """
    #expect(try hub.ask(open, on: "watch").type == "sync.opened")
    #expect(try push(create).type == "sync.accepted")
  }

  @Test func shapes() throws {
    let cases = [
      "{}", "7", "null", #""x""#, "[]", #"{"actions":[]}"#, op(1), op(1, "{}"), op(1, "[]"),
      op(0, action("create")), op(1, #"{"action":"create"}"#),
      op(1, action("create", #","home":"x""#)), op(1, action("create"), stamp: "x"),
      op(1, action("create"), stamp: "999999999999999.1.0"),
      op(1, action("create", ",\"revives\":\"yes\"")), op(1, write("name", "7")),
      op(1, action("create"), more: ",\"context\":[]"),
      op(1, action("insert", #","field":"notes","text":"a","side":"up""#)),
      op(1, action("create"), action("erase", #","field":"notes","elements":[]"#)),
      op(1, action("create"), action("erase", #","field":"notes","elements":[["x","1"]]"#)),
    ]
    for item in cases {
      let before = try hub.state("phone")
      let answer = try push(item)
      #expect(answer.code == 4003 || answer.code == 4004, "\(item): \(answer)")
      #expect(try hub.state("phone") == before)
    }
    for ops in ["{}", "7", "\"x\"", "null"] {
      let answer = try hub.ask("{\"type\":\"sync.push\",\"ops\":\(ops)}", on: "watch")
      #expect(answer.code == 4004 || answer.code == 4003, "\(answer)")
    }
    #expect(try hub.ask("sync.push", on: "watch").code == 4003)
    #expect(try push().type == "sync.accepted")
    #expect(try push(create).type == "sync.accepted")
  }

  @Test func typesOfKindsAndFields() throws {
    #expect(try push(create).type == "sync.accepted")
    let todo = #"{"action":"create","kind":"todo","record":"B5C20E1A-0000-4000-8000-0000000000AA"}"#
    let cases = [
      write("durationInSeconds", #""1.5""#), write("durationInSeconds", #""007""#),
      write("durationInSeconds", #""9223372036854775808""#), write("name", "null"),
      write("name", "true"), write("notes", #""x""#), write("createdAt", #""1""#),
      write("place", #""1""#), write("updatedAt", #""1""#),
      action("insert", #","field":"name","text":"x""#),
      action("move", #","field":"name""#), action("create", record: "tea"),
      action("create", record: timer.lowercased()), todo,
      action("delete", record: "B5C20E1A-0000-4000-8000-0000000000FF"),
      action("insert", #","field":"notes","text":"x","side":"left""#),
      action("insert", ",\"field\":\"notes\",\"text\":\"x\",\"parent\":\"\(me)/1/0\""),
      action("erase", ",\"field\":\"notes\",\"elements\":[[\"\(me)/2/0\",\"1\"]]"),
      action("erase", ",\"field\":\"notes\",\"elements\":[[\"\(me)/9/0\",\"1\"]]"),
      action("move", ",\"field\":\"place\",\"parent\":\"\(me)/1/0\""),
    ]
    for bad in cases {
      let message = try refused(4004, op(2, write("name", #""y""#), bad))
      #expect(message.contains("operation 2") || message.contains("2"), "\(message)")
    }
    #expect(try push(op(2, write("name", #""y""#))).type == "sync.accepted")
  }

  @Test func unpairedSurrogates() throws {
    for text in [#""\ud800""#, #""\udc00x""#, #""a\ud83d\u0041""#] {
      let before = try hub.state("phone")
      let answer = try push(op(1, action("create"), write("name", text)))
      #expect(answer.code == 4001 || answer.code == 4004, "\(answer)")
      #expect(answer.message.contains("byte"))
      let fields = #"{"name":\#(text),"durationInSeconds":1}"#
      let edited = try hub.ask("sync.edit kind=timer set=\(fields)", on: "phone")
      #expect(edited.code == 4001 || edited.code == 4004, "\(edited)")
      #expect(try hub.state("phone") == before)
    }
    #expect(try push(op(1, action("create"), write("name", #""\ud83d\ude00""#))).code == nil)
  }

  /// A line has 64 levels and an operation 48, so that whatever holds operations can be read.
  @Test func depth() throws {
    func nested(_ levels: Int) -> String {
      String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
    }
    #expect(try push(create).type == "sync.accepted")
    let before = try hub.state("phone")
    #expect(try push(op(2, write("future", nested(60)))).code == 4001)
    #expect(try push(op(2, write("future", nested(46)))).code == 4004)
    #expect(try hub.state("phone") == before)
    #expect(try push(op(2, write("future", nested(45)))).type == "sync.accepted")
    let state = try hub.state("phone")
    try hub.restart()
    try hub.keyboard("phone")
    #expect(try hub.state("phone") == state)
  }

  /// As many characters as an operation may have do not fit one line; they come in several.
  @Test func aMillionCharacters() throws {
    #expect(try push(create).type == "sync.accepted")
    let text = String(repeating: "0123456789", count: 25_000)
    for part in 0..<4 {
      let parent = part == 0 ? "" : ",\"parent\":\"\(me)/\(part + 1)/249999\""
      let insert = action(
        "insert", ",\"revives\":true,\"field\":\"notes\",\"text\":\"\(text)\"\(parent)")
      #expect(try push(op(part + 2, insert)).type == "sync.accepted")
    }
    let notes = try hub.records("timer", on: "phone")[0]["notes"] as? String
    #expect(notes?.utf8.count == 1_000_000)
    #expect(notes?.hasPrefix("0123") == true && notes?.hasSuffix("6789") == true)
    let tooLong = String(repeating: "x", count: 1 << 20)
    #expect(try push(op(6, write("name", "\"\(tooLong)\""))).code == 4005)
    #expect(try push(op(6, write("name", #""x""#))).type == "sync.accepted")
  }
}
