/// The names of an envelope's members that Watchline knows. A case's name is the name on the wire.
package enum Key: String, CaseIterable, Sendable {
  case type, id, re, of, pair, role, app, device, incarnation, acknowledge, received, store, files
  case `protocol`, token, payload, data, expectsReply, timeout, n, name, size, sha256, metadata
  case transfer, offset, lane, seq, code, state, isPaired, isWatchAppInstalled
  case isComplicationEnabled, isLocked, isSupported, hasDelegate, hasReplyDelegate
  case isCompanionAppInstalled, isWatchOnlyApp, count, seconds, topic, after, limit, last, shard
  case knobs, payloads, erase

  // The merged replica.
  case bridge, schema, replica, vector, ops, kind, record, set, delete, move, asOf, at, horizon

  // What `configure` sets.
  case replyTimeout, identicalContext, contextRedelivery, missingReplyDelegate, cancelCallback
  case complicationDisabled, complicationBudget, complicationReset, complicationCharge, limits
  case sizeMeasure, crossKindOrder, wakePhoneOnBackgroundTransfer, wakeWatchOnBackgroundTransfer
  case outstandingOnSwitch, errorHandlerTwice, preconditionOrder, bgTaskBudget, uploadIdle

  /// Position in `allCases`. An enumeration without payloads is stored as that number; a test
  /// holds the compiler to it.
  var index: Int { Int(unsafeBitCast(self, to: UInt8.self)) }

  /// The key of a name in plain bytes, or nil where the name is not known.
  package init?(_ name: UnsafeRawBufferPointer) {
    guard let base = name.baseAddress,
      let index = NameTable.keys.find(
        base.assumingMemoryBound(to: UInt8.self), from: 0, to: name.count, limit: name.count)
    else { return nil }
    self = unsafeBitCast(index, to: Key.self)
  }
}
