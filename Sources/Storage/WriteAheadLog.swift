import CSQLite

/// SQLite's WAL, and what SQLite leaves undone about it (<https://www.sqlite.org/fileformat2.html#walformat>).
///
/// A WAL that has been moved into the database is written over from its start, so behind what is new lies what
/// is old. A commit that was stopped between two writes has frames of which the content is an old one's. SQLite
/// tells them by a sum over the frames up to there. That sum does not see three numbers in a row that differ by
/// d, -d and -d; a list of free pages that has lost its first page differs like that, since it lies in the same
/// place of many commits. So the sum is not believed where a commit may have been stopped: one that failed
/// is made invalid before the WAL is used again, and at a start the last one counts only where all checks of the
/// database pass with it.
struct WriteAheadLog {
  private let path: String
  private let vfs: String?

  private static let headerSize = 32
  private static let frameHeaderSize = 24

  init(database: String, vfs: String?) {
    path = database + "-wal"
    self.vfs = vfs
  }

  /// Where so many pages end.
  static func end(pages: Int, of pageSize: Int) -> Int {
    headerSize + pages * (frameHeaderSize + pageSize)
  }

  /// Writes the WAL anew, byte for byte. Does nothing when there is none.
  ///
  /// On Linux a sync that fails leaves the pages in memory, marked clean: reading them back shows a commit
  /// that is not on the disk, and the next sync succeeds without writing it
  /// (<https://wiki.postgresql.org/wiki/Fsync_Errors>). SQLite would recover that commit on reopening. When
  /// this returns, whatever recovery then reads is durable.
  ///
  /// - Complexity: O(WAL's size), bounded by the checkpoints.
  func makeDurable() throws(StoreError) {
    guard let file = try VFSFile(path, creating: false, vfs: vfs) else { return }
    let size = try file.size()
    guard size > 0 else { return }
    for offset in stride(from: 0, to: size, by: 1 << 16) {
      let piece = try file.bytes(Int(min(1 << 16, size - offset)), at: offset)
      try file.write(piece, at: offset)
    }
    try file.sync()
  }

  /// Makes whatever lies behind `offset`, where a commit ends, no commit. The file stays as long as it is: its
  /// room is needed again.
  ///
  /// - Returns: what was there, for `put`; nil where the WAL ends there.
  @discardableResult
  func end(at offset: Int) throws(StoreError) -> [UInt8]? {
    guard let file = try VFSFile(path, creating: false, vfs: vfs),
      try file.size() >= Int64(offset + Self.frameHeaderSize)
    else { return nil }
    let before = try file.bytes(Self.frameHeaderSize, at: Int64(offset))
    try file.write([UInt8](repeating: 0, count: before.count), at: Int64(offset))
    return before
  }

  /// Puts back what `end` has taken.
  func put(_ bytes: [UInt8], at offset: Int) throws(StoreError) {
    guard let file = try VFSFile(path, creating: false, vfs: vfs) else { return }
    try file.write(bytes, at: Int64(offset))
  }

  /// Where the last commit that SQLite would recover begins; nil where there is none.
  ///
  /// - Complexity: O(WAL's size).
  func lastCommit() throws(StoreError) -> Int? {
    guard let file = try VFSFile(path, creating: false, vfs: vfs) else { return nil }
    let size = Int(try file.size())
    guard size >= Self.headerSize else { return nil }
    let header = try file.bytes(Self.headerSize, at: 0)
    let isBigEndian = header[3] & 1 == 1
    let pageSize = Int(header.bigEndian(at: 8))
    var sum = Sum()
    sum.add(header[..<24], isBigEndian: isBigEndian)
    guard header.bigEndian(at: 0) & ~1 == 0x377F_0682, pageSize >= 512, pageSize <= 65536,
      sum.isThat(of: header, at: 24)
    else { return nil }
    var last: Int?
    var begin = Self.headerSize
    var offset = begin
    while offset + Self.frameHeaderSize + pageSize <= size {
      let frame = try file.bytes(Self.frameHeaderSize + pageSize, at: Int64(offset))
      guard frame[8..<16] == header[16..<24] else { break }
      sum.add(frame[..<8], isBigEndian: isBigEndian)
      sum.add(frame[Self.frameHeaderSize...], isBigEndian: isBigEndian)
      guard sum.isThat(of: frame, at: 16) else { break }
      offset += frame.count
      if frame.bigEndian(at: 4) != 0 {
        last = begin
        begin = offset
      }
    }
    return last
  }

  /// SQLite's checksum of a WAL.
  private struct Sum {
    private var first: UInt32 = 0
    private var second: UInt32 = 0

    /// - Parameter bytes: a multiple of 8.
    mutating func add(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) {
      bytes.withUnsafeBytes { bytes in
        for offset in stride(from: 0, to: bytes.count, by: 8) {
          let low = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
          let high = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
          first &+= (isBigEndian ? low.bigEndian : low.littleEndian) &+ second
          second &+= (isBigEndian ? high.bigEndian : high.littleEndian) &+ first
        }
      }
    }

    func isThat(of bytes: [UInt8], at offset: Int) -> Bool {
      first == bytes.bigEndian(at: offset) && second == bytes.bigEndian(at: offset + 4)
    }
  }
}

extension [UInt8] {
  fileprivate func bigEndian(at offset: Int) -> UInt32 {
    number(at: offset, as: UInt32.self).byteSwapped
  }
}
