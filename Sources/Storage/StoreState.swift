import Journal

/// What a store says of itself: one row, written anew with each commit.
///
/// ```
/// epoch lastBatch lossEpoch flags digest… identity sum     numbers of 8 bytes, little-endian
/// ```
struct StoreState: Equatable {
  /// Names the store.
  var identity: String
  /// How many times it has been opened.
  var epoch: UInt64 = 0
  /// The last batch committed.
  var lastBatch: UInt64 = 0
  /// The opening at which a loss was accepted; 0 for none.
  var lossEpoch: UInt64 = 0
  /// Open since `epoch`: it was not closed to the end. In the database file itself before anyone is
  /// served, so that a WAL which is missing later is missed.
  var isOpen = false
  /// What is committed goes into a log first: since version 3.
  var hasLog = false
  /// The copy of a shard: what is committed is in a log that several servers share.
  var isCopy = false
  /// Of each table, and last of the segments: the sum of the checksums of all rows that there are, so
  /// that a row that went missing, or came back, is noticed.
  var digests = [UInt64](repeating: 0, count: Row.Table.allCases.count + 1)

  init(identity: String) { self.identity = identity }

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(200)
    let flags: UInt64 = (isOpen ? 1 : 0) | (hasLog ? 2 : 0) | (isCopy ? 4 : 0)
    for number in [epoch, lastBatch, lossEpoch, flags] + digests {
      bytes.append(littleEndian: number)
    }
    bytes += identity.utf8
    bytes.append(littleEndian: bytes.withUnsafeBytes { Checksum.of($0, seed: 0) })
    return bytes
  }

  /// nil where these are not bytes of a state.
  init?(_ bytes: [UInt8]) {
    let numbers = 4 + digests.count
    guard bytes.count > (numbers + 1) * 8,
      bytes.dropLast(8).withUnsafeBytes({ Checksum.of($0, seed: 0) })
        == bytes.number(at: bytes.count - 8, as: UInt64.self)
    else { return nil }
    func number(_ index: Int) -> UInt64 { bytes.number(at: index * 8, as: UInt64.self) }
    epoch = number(0)
    lastBatch = number(1)
    lossEpoch = number(2)
    isOpen = number(3) & 1 != 0
    hasLog = number(3) & 2 != 0
    isCopy = number(3) & 4 != 0
    for index in digests.indices { digests[index] = number(4 + index) }
    identity = String(decoding: bytes[(numbers * 8)...].dropLast(8), as: UTF8.self)
  }

  /// The checksum of the store's name.
  var identitySum: UInt64 {
    Array(identity.utf8).withUnsafeBytes { Checksum.of($0, seed: 0) }
  }

  /// The place of the segments' digest.
  static let segments = Row.Table.allCases.count
}
