import AppModels
import Merge
import Testing
import Wire

@Suite struct TimerStateTests {
  private let id = "6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F"

  @Test func message() {
    let state = TimerState(timer: Name(id), action: .started, currentTime: 1500)
    let text = String(decoding: state.message(1_763_719_400_000), as: UTF8.self)
    #expect(
      text == #"{"type":"timerState","payload":{"action":"started","currentTime":1500,"#
        + #""timerID":"\#(id)","timestamp":785412200}}"#)
    for action in TimerState.Action.allCases {
      let state = TimerState(timer: Name(id), action: action, currentTime: 7)
      #expect(TimerState(message: state.message(0)) == state)
    }
  }

  @Test func otherSpellings() {
    let expected = TimerState(timer: Name(id), action: .paused, currentTime: 3)
    let payload =
      #"{"timestamp":1.5,"action":"paused","timerID":"\#(id.lowercased())","#
      + #""currentTime":3,"extra":[{}]}"#
    var base64: [UInt8] = []
    base64.append(base64: Array(payload.utf8)[...])
    let coded = String(decoding: base64, as: UTF8.self)
    #expect(read(#"{"payload":\#(payload),"type":"timerState"}"#) == expected)
    #expect(read(#" {"type":"timerState","payload":"\#(coded)"} "#) == expected)
    #expect(read(#"{"type":"timerState","payload":{"$data":"\#(coded)"}}"#) == expected)
    let large = payload.replacing("\"currentTime\":3", with: "\"currentTime\":99999999999")
    #expect(read(#"{"payload":\#(large),"type":"timerState"}"#)?.currentTime == 359_999)
    let negative = payload.replacing("\"currentTime\":3", with: "\"currentTime\":-3")
    #expect(read(#"{"payload":\#(negative),"type":"timerState"}"#)?.currentTime == 0)
  }

  @Test(arguments: [
    "", "x", "[]", "{}", #"{"type":"timerState"}"#, #"{"type":"timerUpdate","payload":{}}"#,
    #"{"type":7,"payload":{}}"#, #"{"type":"timerState","payload":[]}"#,
    #"{"type":"timerState","payload":"?"}"#, #"{"type":"timerState","payload":{"$data":"?"}}"#,
    #"{"type":"timerState","payload":{"$data":7}}"#, #"{"type":"timerState","payload":"e30="}"#,
    #"{"type":"timerState","payload":"W10="}"#, #"{"type":"timerState","payload":"YWJj"}"#,
    #"{"type":"timerState","payload":{"timerID":"x","action":"started","currentTime":1}}"#,
    #"{"type":"timerState","payload":{"timerID":"6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F","#
      + #""action":"exploded","currentTime":1}}"#,
    #"{"type":"timerState","payload":{"timerID":"6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F","#
      + #""action":"started","currentTime":"1"}}"#,
    #"{"type":"timerState","payload":{"timerID":"6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F","#
      + #""action":"started","currentTime":1.5}}"#,
  ])
  func nothing(_ message: String) {
    #expect(read(message) == nil)
  }

  private func read(_ text: String) -> TimerState? { TimerState(message: Array(text.utf8)) }
}
