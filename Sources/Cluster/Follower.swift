package import Journal

/// What a server knows of a shard's log, up to an entry: where its local copy of the shard stands.
package struct Follower: Equatable, Sendable {
  /// The sequence of the last entry that was taken in; 0 before the first.
  package private(set) var sequence: UInt64 = 0
  /// Names the shard for its devices, whoever owns it; nil before the first owner.
  package private(set) var identity: String?
  /// How many owners have begun.
  package private(set) var epoch: UInt64 = 0
  /// The number of the last batch.
  package private(set) var lastBatch: UInt64 = 0
  /// Who has begun and not released.
  package private(set) var owner: UInt64?
  /// How that one is reached; empty where that is not known.
  package private(set) var contact = ""
  /// What an unfinished commit has so far.
  private var parts: [UInt8] = []
  /// The sequence of the entry before those.
  private var wholeSequence: UInt64 = 0

  package init() {}

  /// Takes in the next entry.
  ///
  /// - Returns: the batches that are committed with it.
  /// - Throws: where the entry cannot follow those before it. Nothing has changed then.
  package mutating func ingest(
    _ bytes: [UInt8], sequence: UInt64
  ) throws(LogFault) -> [Batch] {
    guard sequence == self.sequence + 1 else {
      throw LogFault("entry \(sequence) stands behind entry \(self.sequence)")
    }
    guard let entry = Entry(bytes) else {
      throw LogFault("entry \(sequence) was not made by a server of this version")
    }
    var batches: [Batch] = []
    if case .open(let identity, let epoch, let contact) = entry.body {
      guard epoch == self.epoch + 1, self.identity ?? identity == identity else {
        throw LogFault("entry \(sequence) opens another shard than the one before it")
      }
      (self.identity, self.epoch) = (identity, epoch)
      (owner, self.contact) = (entry.owner, contact)
      // What an owner has not finished, nobody was told of.
      parts = []
    } else {
      guard entry.owner == owner else {
        throw LogFault("entry \(sequence) is not of the owner that began last")
      }
      switch entry.body {
      case .open: break
      case .part(let some): parts += some
      case .commit(let rest):
        batches = try Self.batches(parts + rest, behind: lastBatch, sequence)
        parts = []
      case .released: (owner, contact) = (nil, "")
      }
    }
    self.sequence = sequence
    if parts.isEmpty { wholeSequence = sequence }
    lastBatch = batches.last?.number ?? lastBatch
    return batches
  }

  /// The next entry is the last of a commit of whoever asks, and in the log: it knows what is in there.
  mutating func finishOwn(through batch: UInt64) {
    sequence += 1
    wholeSequence = sequence
    lastBatch = batch
    parts = []
  }

  private static func batches(
    _ bytes: [UInt8], behind last: UInt64, _ sequence: UInt64
  ) throws(LogFault) -> [Batch] {
    guard !bytes.isEmpty else { return [] }
    guard let batches = bytes.withUnsafeBytes({ BatchCoding.batches($0) }) else {
      throw LogFault("the batches of entry \(sequence) cannot be read")
    }
    for (batch, number) in zip(batches, (last + 1)...) where batch.number != number {
      throw LogFault("entry \(sequence) has batch \(batch.number) where \(number) comes next")
    }
    return batches
  }
}

// MARK: Kept beside a copy

extension Follower {
  /// What a copy says of where it stands: before the parts of an unfinished commit, which are in no copy.
  ///
  /// ```
  /// version 1, hasOwner 1, sequence 8, epoch 8, lastBatch 8, owner 8, identity (what is left)
  /// version 2: the size of the contact 2 and the contact come before the identity
  /// ```
  package var position: [UInt8] {
    var bytes: [UInt8] = [Self.version, owner == nil ? 0 : 1]
    for number in [wholeSequence, epoch, lastBatch, owner ?? 0] {
      bytes.append(littleEndian: number)
    }
    bytes.append(littleEndian: UInt16(contact.utf8.count))
    return bytes + Array(contact.utf8) + Array((identity ?? "").utf8)
  }

  /// nil where these are not the bytes of a position.
  package init?(position bytes: [UInt8]) {
    guard bytes.count >= 34, (1...Self.version).contains(bytes[0]), bytes[1] <= 1 else {
      return nil
    }
    var rest = bytes[34...]
    if bytes[0] == Self.version {
      let size = Int(Entry.number(rest.prefix(2)))
      guard rest.count >= 2 + size,
        let contact = String(validating: rest.dropFirst(2).prefix(size), as: UTF8.self)
      else { return nil }
      self.contact = contact
      rest = rest.dropFirst(2 + size)
    }
    guard let identity = String(validating: rest, as: UTF8.self) else { return nil }
    func number(_ index: Int) -> UInt64 { Entry.number(bytes[(2 + index * 8)...].prefix(8)) }
    (sequence, wholeSequence) = (number(0), number(0))
    epoch = number(1)
    lastBatch = number(2)
    owner = bytes[1] == 1 ? number(3) : nil
    self.identity = identity.isEmpty ? nil : identity
  }

  private static let version: UInt8 = 2
}

/// A log that no server of this version has written.
package struct LogFault: Error, Equatable, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}
