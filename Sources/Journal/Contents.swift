/// What a store held when it was opened.
package struct Contents: Sendable {
  /// Names the store; never the same for two stores. Devices keep it beside their numbers.
  package var identity: String
  /// How many times the store has been opened, this time included; durable before anyone is served.
  package var epoch: UInt64
  /// The number of the last batch committed; 0 in a new store.
  package var lastBatch: UInt64
  /// The opening at which the loss of commits was accepted last, 0 for none. What rows say that were
  /// written before may be behind what devices were told.
  package var lossEpoch: UInt64
  /// What was lost, where that was accepted at this opening: a sentence.
  package var loss: String?
  /// What was wrong with the store together with its last commit, which had not been reported and was left
  /// out.
  package var leftOut: String?
  /// The rows that `Row.Table.start` asks for, by table, pair and item, rising.
  package var rows: [Row]
  /// All segments, by number, rising, without their bodies.
  package var segments: [StoredSegment]

  package init(
    identity: String, epoch: UInt64, lastBatch: UInt64 = 0, lossEpoch: UInt64 = 0,
    rows: [Row] = [], segments: [StoredSegment] = []
  ) {
    self.identity = identity
    self.epoch = epoch
    self.lastBatch = lastBatch
    self.lossEpoch = lossEpoch
    self.rows = rows
    self.segments = segments
  }
}

/// A segment as it is known without reading its body.
package struct StoredSegment: Sendable, Equatable {
  package var number: UInt64
  package var header: [UInt8]
  package var bodyLength: Int

  package init(number: UInt64, header: [UInt8], bodyLength: Int) {
    self.number = number
    self.header = header
    self.bodyLength = bodyLength
  }
}
