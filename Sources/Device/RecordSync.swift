package import AppModels
package import Merge
package import Wire

/// How a device keeps its records in step with the server: operation by operation (`SyncDevice`), or as
/// whole records (`WholeRecordSync`).
package protocol RecordSync: RecordKeeper {
  /// The device's own clock, in milliseconds since 1970.
  var clock: Int64 { get set }
  /// What `activate` says of it beside pair, role and name: members, each behind a comma.
  var activation: [UInt8] { get }

  /// Takes a line of the server's, whatever it is about.
  ///
  /// - Returns: whether it is also for the device and its app.
  /// - Throws: where the server breaks the protocol.
  func ingest(_ line: Members) throws -> Bool

  func disconnected()

  /// Sends what waits for another try.
  func push()

  /// Syncs at once, as a person asked for it.
  func syncNow()

  /// Sends a live message of the app's to the counterpart in a way of its own.
  ///
  /// - Returns: false where it has none.
  func carry(_ message: [UInt8]) -> Bool

  /// Lines to send, without LF.
  func takeOutput() -> [[UInt8]]

  /// Edits that the hub has not accepted yet.
  var pendingCount: Int { get }
  /// Nothing of its own is unknown to the hub, as far as it knows.
  var isDrained: Bool { get }
  /// It has read what the hub had for it, too.
  var isUpToDate: Bool { get }
  /// What went wrong, in order.
  var errors: [String] { get }
  /// How long it has to wait before it pushes again, in milliseconds.
  var waits: UInt64 { get set }
  /// What the oldest open form was opened on; nil where none is open.
  var formShown: VersionVector? { get set }
  /// The order of the app's list, where the records say it in a way of their own.
  var order: TimerOrder { get }

  /// What it holds, as lines of JSON.
  var saved: [[UInt8]] { get }
  /// Takes up again what was saved.
  ///
  /// - Throws: 4001, 4003 or 4004 where a line is not as it was written.
  func restore(_ saved: [[UInt8]]) throws(WireError)
}

extension SyncDevice: RecordSync {
  package var activation: [UInt8] { Array(#","acknowledge":"automatic""#.utf8) }

  package func ingest(_ line: Members) throws -> Bool {
    if line.type == "activationDidComplete" {
      open()
      return true
    }
    guard line.type.hasPrefix("sync.") || line.type == "error" && line.string("re") != "message"
    else { return true }
    try received(line.bytes)
    return false
  }

  package func syncNow() { push() }

  package func carry(_ message: [UInt8]) -> Bool { false }

  package var pendingCount: Int { current.pending.count }

  package var order: TimerOrder { .automatic }
}
