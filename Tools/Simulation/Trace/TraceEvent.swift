package import Merge

/// One thing that happens at one place.
package struct TraceEvent: Equatable, Sendable {
  /// Milliseconds since the trace's start; never less than the event's before it.
  package var at: Int64
  /// Its name, where another event refers to it: unique in the trace.
  package var name: String?
  /// The device; `server` for the server itself.
  package var device: String
  package var verb: Verb
  /// Of `edit`.
  package var edit: Edit?
  /// Of `send`: `context`, `userInfo` or `message`; of others the lane that is meant.
  package var lane: String?
  /// The event that this one is the other end of.
  package var of: String?
  /// The other device.
  package var to: String?
  /// A number: of milliseconds, bytes, pieces, as the verb says.
  package var count: Int64?
  /// A yes or no, as the verb says.
  package var flag: Bool?
  /// JSON text, where something other than the device's own state is sent.
  package var payload: [UInt8]?
  /// The device's clock, in milliseconds since 1970, where it is not the true time.
  package var now: Int64?

  package init(
    at: Int64, _ device: String, _ verb: Verb, name: String? = nil, edit: Edit? = nil,
    lane: String? = nil, of: String? = nil, to: String? = nil, count: Int64? = nil,
    flag: Bool? = nil, payload: [UInt8]? = nil, now: Int64? = nil
  ) {
    self.at = at
    self.name = name
    self.device = device
    self.verb = verb
    self.edit = edit
    self.lane = lane
    self.of = of
    self.to = to
    self.count = count
    self.flag = flag
    self.payload = payload
    self.now = now
  }
}

extension TraceEvent {
  /// What can happen. A world passes over what it does not know.
  package enum Verb: String, CaseIterable, Sendable {
    // At a device, in any world.
    /// A person edits a record.
    case edit
    /// From now on its clock is wrong by `count` milliseconds; at the server the system's clock of its
    /// machine.
    case clock
    /// The app ends and starts again with what it has stored.
    case restart

    // Between devices, in the world of exchanges.
    /// What the device holds, or `payload`, goes into a lane.
    case send
    /// What was sent arrives.
    case deliver
    /// A live message did not arrive, and the sender is told.
    case undelivered
    /// The device is told whether the other one can be reached (`flag`).
    case reachability
    /// The radio is switched off or on; for people to read.
    case disconnect
    case connect

    // Between a device and the server, in the world of the server; `connect` opens a connection.
    /// The connection is lost, with everything on its way.
    case drop
    /// The server reads `count` bytes of what the device has sent; all where there is none. Where
    /// `flag` is set, of a connection that another has taken over from.
    case up
    /// The device reads `count` bytes of what the server has sent; all where there is none.
    case down
    /// All is sent, committed and read at this device, until nothing moves.
    case flow
    /// A transfer begins; `lane` is `userInfo`, `complication` or `file`, of `count` bytes; a user info brings `payload`,
    /// where there is one. Where `flag` says
    /// no, it has no `n`, or the file is announced with a wrong digest.
    case transfer
    /// The next `count` bytes of a file are sent.
    case upload
    /// The application context is set to the value `count`.
    case context
    /// A live message is sent that expects a reply, unless `flag` says no.
    case message
    case reply
    /// The device asks the server for its state.
    case look
    /// What was processed in a lane is acknowledged, but for the last `count`; in all lanes where
    /// none is named.
    case acknowledge
    /// The `count`th last delivery of a lane is refused.
    case refuse
    /// The `count`th of the transfers whose end is not known is cancelled.
    case cancel
    /// The phone selects the watch `to`.
    case select
    /// The app's state becomes the `count`th: 0 foreground, 1 background, 2 suspended, 3 terminated.
    case appState
    /// Facts of its own that the system would know become what `payload` says.
    case setDeviceState
    /// The complication's budget becomes `count` a day.
    case configure
    /// Deliveries are stopped; where `count` is set, so many are let through.
    case hold
    case release
    /// The device is of a newer version than the others and does what they do not know: the `count`
    /// says what.
    case extend
    /// A device with whole records sends all that it has, or asks for all there is. Where `fullSync` has
    /// a `count`, its person has put its lists into another order before: the `count`th.
    case fullSync
    case syncRequest
    /// A device with whole records sends the `count`th last copy again that it had sent, as another
    /// lane would bring it late.
    case resend
    /// Whatever passes its connection takes `count` milliseconds; 0: none.
    case delay
    /// Whatever passes its connection comes in pieces of at most `count` bytes; 0: whole.
    case slice
    /// Its connection passes nothing in the direction `lane` (`up`, `down` or `both`): it is held
    /// back, or where `flag` is set lost.
    case oneWay
    /// What its connection has sent and sends is sent on a second connection too.
    case duplicate
    /// Its connection is as it should be; one that has lost bytes is cut.
    case heal
    /// The device's storage is copied.
    case backup
    /// The copy takes the storage's place; where there is none, the storage is empty.
    case goBack

    // At the server.
    /// The disk has `count` more batches; one where there is none.
    case commit
    /// The process is killed; `count` batches that nobody was told of are on the disk all the same.
    case kill
    /// The process ends in order and starts again.
    case stop
    /// Its machine has slept since the event before.
    case suspend
    /// The disk fails, and works again.
    case fail
    case recover

    // At the server `to` of several; `kill` and `stop` have one as well. Where `flag` is set it is killed with its disk.
    /// It wants to own the shard.
    case claim
    /// It stands still, and goes on as if nothing had been.
    case freeze
    case thaw
    /// What it has becomes the snapshot, and the log before it is gone.
    case trim
    /// The `count`th message between the servers and their log arrives, below 0 counted from the last one; where `flag` is set a copy stays on its way.
    case arrive
    /// It is lost.
    case lose
    /// It arrives at a server of the log that has heard of nothing new.
    case lag
  }
}

/// An edit as a person means it: only what was touched.
package struct Edit: Equatable, Sendable {
  package var kind: Name
  package var record: Name
  package var change: Change
  /// The event at this device after which the form or editor was opened; just now where nil.
  package var since: String?

  package enum Change: Equatable, Sendable {
    /// - Parameter fields: a JSON object.
    case create(fields: [UInt8])
    /// - Parameter fields: a JSON object.
    case set(fields: [UInt8])
    case delete
    case restore
    /// Behind another record of its list, or first; where `into` is set, of that container's list.
    case move(after: Name?, into: Name?)
    /// In a text, at a place in Unicode scalars, so many go and others come; `result` is the whole.
    case splice(field: Name, at: Int, remove: Int, insert: String, result: String)
  }

  package init(_ kind: Name, _ record: Name, _ change: Change, since: String? = nil) {
    self.kind = kind
    self.record = record
    self.change = change
    self.since = since
  }
}
