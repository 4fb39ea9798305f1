import Device
import Foundation
import Testing

@testable import Relay

/// The transition tables of a connection and of a device at its hub, each pair of states.
struct ConnectionStateTests {
  @Test func connectionTransitions() {
    let states = ConnectionState.allCases
    // A row is a state, in the order above; a column is where it may go.
    let table = [
      ".xxxxxxx",
      "x...xxxx",
      "...xxxxx",
      "x...xxxx",
      ".....xxx",
      "......xx",
      ".......x",
      "........",
    ]
    #expect(states.map { from in row(states) { from.canGo(to: $0) } } == table)
  }

  @Test func syncTransitions() {
    let states: [SyncState] = [
      .closed, .opening(unanswered: 1), .opening(unanswered: 2), .opening(unanswered: 3), .refused,
      .open, .pushing,
    ]
    let table = [
      "xx.....",
      "x.x.xx.",
      "xx.x...",
      "x.x....",
      "xx.....",
      "xx....x",
      "xx...x.",
    ]
    #expect(states.map { from in row(states) { from.canGo(to: $0) } } == table)
    #expect(!SyncState.opening(unanswered: 1).canGo(to: .opening(unanswered: 0)))
  }

  private func row<State>(_ states: [State], _ canGo: (State) -> Bool) -> String {
    states.map { canGo($0) ? "x" : "." }.joined()
  }

  /// Of several endings the one that brings least counts, and none comes after the close.
  @Test func endings() {
    let connection = Connection(number: 0)
    #expect(connection.takesAnswers && !connection.isEnded)
    connection.end(.draining)
    #expect(connection.takesAnswers && connection.isEnded)
    connection.end(.aborted)
    connection.end(.replaced)
    #expect(connection.isAborted && !connection.takesAnswers)
    connection.enter(.closed)
    connection.end(.draining)
    #expect(connection.isClosed && connection.isEnded && !connection.takesAnswers)
  }

  @Test func illegalTransitionsTrap() async {
    setenv("SWIFT_BACKTRACE", "enable=no", 1)
    await #expect(processExitsWith: .failure) {
      let connection = Connection(number: 0)
      connection.end(.draining)
      connection.enter(.reading)
    }
    await #expect(processExitsWith: .failure) {
      let connection = Connection(number: 0)
      connection.wait(for: .pair)
      connection.wait(for: .activation)
    }
    await #expect(processExitsWith: .success) {
      let connection = Connection(number: 0)
      connection.enter(.stalled)
      connection.enter(.held)
      connection.enter(.reading)
      connection.wait(for: .pair)
      connection.endWait()
      connection.wait(for: .activation)
      exit(0)
    }
  }
}
