/// Everything that one commit makes durable, all of it or nothing.
///
/// `Relay` fills a batch, the store writes and syncs it, and only then does `Relay` tell anyone.
package struct Batch: Sendable, Equatable {
  /// Rises by one with each batch of a store, from 1; the number of its segment too.
  package var number: UInt64
  /// Pairs of which all rows go. Their numbers are not used again, and nothing in a segment is theirs any more.
  package var removedPairs: [UInt32]
  /// New values of rows. A key occurs at most once.
  package var rows: [Row]
  /// The payloads accepted since the last batch, in arrival order; nil when there is none.
  package var segment: Segment?
  /// Segments in which nothing is live any more.
  package var removedSegments: [UInt64]

  package init(
    number: UInt64, removedPairs: [UInt32] = [], rows: [Row] = [], segment: Segment? = nil,
    removedSegments: [UInt64] = []
  ) {
    self.number = number
    self.removedPairs = removedPairs
    self.rows = rows
    self.segment = segment
    self.removedSegments = removedSegments
  }
}

/// The payloads of one batch, one blob, and the header that says where each lies.
package struct Segment: Sendable, Equatable {
  /// Opaque to the store; read whole at start.
  package var header: [UInt8]
  /// Opaque to the store; read in pieces by `Reference`.
  package var body: [UInt8]
  /// Where the payloads in the body end, rising: each gets a checksum of its own. Not kept.
  package var ends: [UInt32]
  /// Parts of the body that are not as they were written; of a segment that was read back.
  package var damage: [Range<Int>] = []

  package init(header: [UInt8] = [], body: [UInt8] = [], ends: [UInt32] = []) {
    self.header = header
    self.body = body
    self.ends = ends
  }

  /// Whether a payload is as it was written.
  package func isWhole(_ reference: Reference) -> Bool {
    let range = Int(reference.offset)..<Int(reference.offset) + Int(reference.length)
    return range.upperBound <= body.count && !damage.contains { $0.overlaps(range) }
  }
}

/// A small record that is rewritten in place. The store does not look into `value`.
package struct Row: Sendable, Equatable {
  package enum Table: UInt8, Sendable, CaseIterable {
    case pair, device, context, file
    /// What waits in an evicted pair; while there is one, the pair's other rows are as it left them.
    case queue
    /// The state of a pair's merged replica, and the operations that it was made of.
    case hub, operation

    /// The rows that are read when a store is opened. The others are read pair by pair.
    package enum Start: Sendable {
      case all, ofPairsWithoutQueue, none
    }

    package var start: Start {
      switch self {
      case .pair, .queue: .all
      case .device, .context, .file: .ofPairsWithoutQueue
      case .hub, .operation: .none
      }
    }
  }

  package struct Key: Sendable, Hashable {
    package var table: Table
    /// The pair that owns the row; one pair's rows lie together.
    package var pair: UInt32
    /// Which of the pair's rows of this table; 0 for the pair's own.
    package var item: UInt32

    package init(_ table: Table, pair: UInt32, item: UInt32 = 0) {
      self.table = table
      self.pair = pair
      self.item = item
    }

    /// The order in which rows lie: by table, pair and item.
    package func isBefore(_ other: Key) -> Bool {
      (table.rawValue, pair, item) < (other.table.rawValue, other.pair, other.item)
    }
  }

  package var key: Key
  /// nil removes the row.
  package var value: [UInt8]?

  package init(_ key: Key, _ value: [UInt8]?) {
    self.key = key
    self.value = value
  }
}

/// Where a payload lies: `length` bytes from `offset` of the body of segment `segment`.
package struct Reference: Sendable, Hashable {
  package var segment: UInt64
  package var offset: UInt32
  package var length: UInt32

  package init(segment: UInt64, offset: UInt32, length: UInt32) {
    self.segment = segment
    self.offset = offset
    self.length = length
  }
}
