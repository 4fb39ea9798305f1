import Bridge
import Merge
package import Wire

/// The live message about a countdown, for devices that share what runs.
extension TimerStateMessage {
  /// What the device tells of a timer.
  ///
  /// - Parameters:
  ///   - timer: its id; nil comes of one that is no UUID.
  ///   - current: seconds left.
  ///   - now: milliseconds since 1970.
  init?(_ timer: Name, _ action: Action, current: Int, now: Int64) {
    guard let id = Identifier(timer.utf8) else { return nil }
    self.init(
      timerID: id, action: action, currentTime: Int64(current),
      timestamp: RecordDate.date(milliseconds: UInt64(max(0, now))))
  }

  /// A live message of the counterpart's; nil for every other one.
  ///
  /// - Throws: 4001, 4003 and 4004 where it is one that cannot be (clause 13.5 of the protocol).
  package init?(live message: [UInt8]) throws(WireError) {
    let result: Result<TimerStateMessage?, WireError> = message.withUnsafeBytes { bytes in
      do throws(WireError) {
        var envelope = Envelope()
        try envelope.scan(bytes)
        let start = bytes.firstIndex(of: 0x7B) ?? 0
        let end = (bytes.lastIndex(of: 0x7D) ?? 0) + 1
        let dictionary = Value(kind: .object, start: start, end: end)
        guard case .timerState(let state)? = try TodoTimersEnvelope.read(dictionary, bytes)?.message
        else { return .success(nil) }
        try state.check()
        return .success(state)
      } catch {
        return .failure(error)
      }
    }
    guard let state = try result.get() else { return nil }
    self = state
  }

  /// What it says by a later time, where a queue has brought it: a timer that was started has gone on
  /// since.
  ///
  /// - Parameter now: milliseconds since 1970.
  /// - Returns: nil where the timer has run out meanwhile.
  package func later(_ now: Int64) -> TimerStateMessage? {
    guard action == .started else { return self }
    let age = RecordDate.date(milliseconds: UInt64(max(0, now))) - timestamp
    var message = self
    message.currentTime -= Int64(min(max(0, age), Double(currentTime)))
    return message.currentTime > 0 ? message : nil
  }

  /// The message as it is sent: the typed dictionary, with the payload as an object.
  package var live: [UInt8] {
    TodoTimersEnvelope(.typed, .object).dictionary(.timerState(self))
  }
}
