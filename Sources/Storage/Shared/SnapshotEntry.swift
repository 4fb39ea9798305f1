import Journal

/// One entry of the log of a shard's snapshots. A snapshot is a copy's database in chunks, one behind the other, and a
/// manifest that says that they were all.
///
/// ```
/// entry     version 1, kind 1, then what the kind has
/// chunk     offset 8, bytes
/// manifest  size 8, checksum 8, sequence 8
/// ```
/// Numbers have the bytes that stand behind their names, little-endian.
enum SnapshotEntry: Equatable {
  case chunk(offset: UInt64, bytes: [UInt8])
  /// - Parameters:
  ///   - sum: of the chunks, one after the other.
  ///   - sequence: the last entry of the shard's log that the copy has.
  case manifest(size: UInt64, sum: UInt64, sequence: UInt64)

  private static let version: UInt8 = 1
  /// What stands before a chunk's bytes.
  static let overhead = 10

  var bytes: [UInt8] {
    var bytes = [Self.version]
    switch self {
    case .chunk(let offset, let some):
      bytes.append(0)
      bytes.append(littleEndian: offset)
      bytes += some
    case .manifest(let size, let sum, let sequence):
      bytes.append(1)
      for number in [size, sum, sequence] { bytes.append(littleEndian: number) }
    }
    return bytes
  }

  /// nil where these are not the bytes of one.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.overhead, bytes[0] == Self.version else { return nil }
    let number = bytes.number(at: 2, as: UInt64.self)
    switch bytes[1] {
    case 0: self = .chunk(offset: number, bytes: Array(bytes[Self.overhead...]))
    case 1 where bytes.count == 26:
      self = .manifest(
        size: number, sum: bytes.number(at: 10, as: UInt64.self),
        sequence: bytes.number(at: 18, as: UInt64.self))
    default: return nil
    }
  }

  /// The checksum of chunks, with one more behind them.
  static func sum(_ chunk: [UInt8], behind sum: UInt64) -> UInt64 {
    chunk.withUnsafeBytes { Checksum.of($0, seed: sum) }
  }
}
