import AppModels
import Merge
import Testing
import Wire

@Suite struct TimerStateTests {
  private let id = Identifier("6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F".utf8)!

  private func state(
    _ action: TimerStateMessage.Action, _ current: Int64, at date: Double = 1.5
  ) -> TimerStateMessage {
    TimerStateMessage(timerID: id, action: action, currentTime: current, timestamp: date)
  }

  @Test func message() throws {
    let text = String(decoding: state(.started, 1500, at: 785_412_200).live, as: UTF8.self)
    #expect(
      text == #"{"type":"timerState","payload":{"action":"started","currentTime":1500,"#
        + #""timerID":"\#(id)","timestamp":785412200}}"#)
    for action in TimerStateMessage.Action.allCases {
      #expect(try TimerStateMessage(live: state(action, 7).live) == state(action, 7))
    }
  }

  @Test func otherSpellings() throws {
    let payload =
      #"{"timestamp":1.5,"action":"paused","timerID":"\#(id.description.lowercased())","#
      + #""currentTime":3.0}"#
    var base64: [UInt8] = []
    base64.append(base64: Array(payload.utf8)[...])
    let coded = String(decoding: base64, as: UTF8.self)
    #expect(try read(#"{"payload":\#(payload),"type":"timerState"}"#) == state(.paused, 3))
    #expect(try read(#" {"type":"timerState","payload":"\#(coded)"} "#) == state(.paused, 3))
    #expect(
      try read(#"{"type":"timerState","payload":{"$data":"\#(coded)"}}"#) == state(.paused, 3))
  }

  @Test(arguments: ["{}", #"{"type":"timer","payload":{}}"#, #"{"type":7,"payload":{}}"#])
  func somethingElse(_ message: String) throws { #expect(try read(message) == nil) }

  @Test(arguments: [
    "", "x", "[]", #"{"type":"timerState"}"#, #"{"type":"timerState","payload":[]}"#,
    #"{"type":"timerState","payload":"?"}"#, #"{"type":"timerState","payload":{"$data":"?"}}"#,
    #"{"type":"timerState","payload":{"$data":7}}"#, #"{"type":"timerState","payload":"e30="}"#,
    #"{"type":"timerState","payload":"W10="}"#, #"{"type":"timerState","payload":"YWJj"}"#,
  ])
  func nothing(_ message: String) {
    #expect(throws: WireError.self) { try read(message) }
  }

  @Test(arguments: [
    ("\"started\"", "\"exploded\""), ("1500", "\"1500\""), ("1500", "1.5"), ("1500", "-1"),
    ("1500", "86401"), ("785412200", "-1"), ("785412200", "null"), ("785412200", "true"),
    ("\"currentTime\"", "\"extra\":[{}],\"currentTime\""), ("6F0E3A52-", ""),
  ])
  func notAsThePayloadIs(_ part: String, _ other: String) {
    let text = String(decoding: state(.started, 1500, at: 785_412_200).live, as: UTF8.self)
    #expect(throws: WireError.self) { try read(text.replacing(part, with: other)) }
  }

  private func read(_ text: String) throws(WireError) -> TimerStateMessage? {
    try TimerStateMessage(live: Array(text.utf8))
  }
}
