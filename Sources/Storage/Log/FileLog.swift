import CSQLite
import Journal

/// The log of a store in a directory: `watchline.log`, one file that starts over when nothing in it is needed.
///
/// ```
/// offset 0      magic salt base store sum      8 bytes each; the rest of 512 is zero
/// then          entry…                         each from a multiple of 512
/// entry         length previous sequence sum   8 bytes each, then so many bytes
/// ```
/// Numbers are little-endian. `base` is the sequence behind which the first entry stands, `store` the checksum of
/// the store's name. An entry's sum covers its numbers and its bytes and is seeded with the file's `salt`, a random
/// number that is drawn anew each time the file starts over: so what is left of earlier rounds is no entry, and no
/// client can put one into a payload.
///
/// One entry is under way at a time, and is synced before the next one. So at the end there may be one that is
/// torn: it was not reported, and is cut off. A bad one that has a good one behind it was good once: that is damage.
/// An entry that failed is written once more, all of it, at the same place: what the kernel has dropped of it after
/// a failed sync is then in memory again, and goes to the disk with the next one
/// (<https://wiki.postgresql.org/wiki/Fsync_Errors>).
package final class FileLog: Log {
  package private(set) var last: UInt64
  /// Whether there is a file, and it has a head.
  let isThere: Bool
  /// The sequence behind which it began when it was opened.
  let base: UInt64
  /// The checksum of the name of the store whose it was when it was opened.
  let store: UInt64

  let path: String
  private let vfs: String?
  private var file: VFSFile?
  private var salt: UInt64
  /// Where the next entry goes.
  private var end = FileLog.sector
  /// Bytes that the file has.
  private var room = 0
  /// Nothing in the file is needed.
  private var startsOver = false
  /// The checksum of the name of the store that writes.
  private var owner: UInt64
  private var buffer: [UInt8] = []
  /// The file could not be made longer when that was needed last: it has to start over.
  private(set) var cannotGrow = false

  static let sector = 512
  /// "WLLOG", a zero, and the version of what stands behind it, 2 bytes.
  private static let magic: UInt64 = version << 48 | 0x47_4F4C_4C57
  private static let version: UInt64 = 1
  private static let headSize = 40
  private static let entryHeadSize = 32
  /// The file grows by at least, and by at most, so many bytes ahead of what is needed.
  private static let growth = 64 << 10...8 << 20

  /// Reads the file, and makes none.
  ///
  /// - Parameter copied: up to here nothing of it is needed.
  /// - Throws: `corrupt` where something that is needed is not as it was written; `newerVersion`, `io`, `cannotOpen`.
  package init(_ path: String, behind copied: UInt64, vfs: String?) throws(StoreError) {
    self.path = path
    self.vfs = vfs
    file = try VFSFile(path, creating: false, vfs: vfs)
    room = Int(try file?.size() ?? 0)
    var head: Head?
    if let file, room >= Self.sector {
      let bytes = try file.bytes(Self.headSize, at: 0)
      head = Head(bytes)
      if let found = Head.version(bytes) {
        try StoreFiles.refuseNewer(found, known: Int(Self.version), path: path)
      }
      // A file of zeros is one that was about to be made.
      guard head != nil || bytes.allSatisfy({ $0 == 0 }) else {
        throw Self.damaged(path, "it does not begin as a log does")
      }
    }
    isThere = head != nil
    base = head?.base ?? copied
    store = head?.store ?? 0
    salt = head?.salt ?? 0
    owner = head?.store ?? 0
    last = base
    guard head != nil else { return }
    while let entry = try self.entry(at: end), entry.previous == last {
      last = entry.sequence
      end = Self.aligned(end + Self.entryHeadSize + entry.length)
    }
    try refuseEntriesBehindTheEnd(copied)
  }

  /// What is torn is at the end. A good entry behind a bad one says that the bad one was good once.
  private func refuseEntriesBehindTheEnd(_ copied: UInt64) throws(StoreError) {
    let needed = max(last, copied)
    for offset in stride(from: end, to: room, by: Self.sector) {
      guard let head = try entryHead(at: offset), head.previous >= last, head.sequence > needed,
        let entry = try entry(at: offset)
      else { continue }
      throw Self.damaged(
        path, "its entry behind \(last) is not as it was written, and \(entry.sequence) is")
    }
  }

  static func damaged(_ path: String, _ what: String) -> StoreError {
    StoreError(
      .corrupt, code: SQLITE_CORRUPT, function: "read", path: path,
      "the log is damaged, restore the store from a backup or move it away: \(what)")
  }

  // MARK: Writing

  /// So long the file has to be.
  package var byteCount: Int { startsOver ? 0 : end }

  /// Makes the file, or has it start over: it has no entry then, and is durable.
  ///
  /// - Parameter store: the checksum of the store's name.
  func start(behind sequence: UInt64, store: UInt64) throws(StoreError) {
    if file == nil { file = try VFSFile(path, creating: true, vfs: vfs) }
    owner = store
    last = sequence
    let salt = UInt64.random(in: 1...UInt64.max)
    try makeRoom(Self.sector)
    try file!.write(Head(salt: salt, base: sequence, store: store).sector, at: 0)
    try file!.sync()
    self.salt = salt
    end = Self.sector
    startsOver = false
  }

  package func append(
    _ entry: [UInt8], sequence: UInt64, behind previous: UInt64
  ) throws(StoreError) {
    guard previous == last else { throw .conflict(behind: previous, last: last, path: path) }
    precondition(sequence > previous, "entry \(sequence) behind \(previous)")
    buffer.removeAll(keepingCapacity: true)
    var offset = end
    var salt = salt
    if startsOver {
      // In the same write and sync: either head leads to nothing that is needed.
      salt = UInt64.random(in: 1...UInt64.max)
      buffer += Head(salt: salt, base: previous, store: owner).sector
      offset = 0
    }
    let sum = Self.sum(entry, previous, sequence, salt)
    for number in [UInt64(entry.count), previous, sequence, sum] {
      buffer.append(littleEndian: number)
    }
    buffer += entry
    let end = Self.aligned(offset + buffer.count)
    try makeRoom(end)
    try file!.write(buffer, at: Int64(offset))
    try file!.sync()
    self.salt = salt
    self.end = end
    startsOver = false
    last = sequence
  }

  private func makeRoom(_ needed: Int) throws(StoreError) {
    guard needed > room else {
      cannotGrow = false
      return
    }
    let ahead = min(max(room, Self.growth.lowerBound), Self.growth.upperBound)
    cannotGrow = true
    do throws(StoreError) {
      try grow(to: needed + ahead)
    } catch {
      try grow(to: needed)
    }
    cannotGrow = false
  }

  private func grow(to length: Int) throws(StoreError) {
    let piece = Self.growth.lowerBound
    let length = (length + piece - 1) / piece * piece
    try file!.allocate(Int64(length), inPiecesOf: Int32(piece))
    room = length
  }

  package func trim(through sequence: UInt64) {
    guard sequence >= last else { return }
    startsOver = true
  }

  /// Has nothing in it any more, and nothing that one could take for something.
  func empty() throws(StoreError) {
    try start(behind: last, store: owner)
    trim(through: last)
    try shorten(to: 0)
  }

  /// Gives back what the file has beyond so many bytes, where nothing in it is needed.
  func shorten(to bytes: Int) throws(StoreError) {
    guard startsOver, room > max(bytes, Self.growth.lowerBound) else { return }
    try file!.truncate(to: Int64(max(bytes, Self.growth.lowerBound)))
    room = Int(try file!.size())
  }

  // MARK: Reading

  package func read(
    behind sequence: UInt64,
    _ body: (_ sequence: UInt64, _ entry: UnsafeRawBufferPointer) throws(StoreError) -> Void
  ) throws(StoreError) {
    guard !startsOver else { return }
    var offset = Self.sector
    while offset < end {
      guard let entry = try entry(at: offset) else {
        throw Self.damaged(path, "its entry at byte \(offset) is not as it was written")
      }
      let start = Self.entryHeadSize
      if entry.sequence > sequence {
        let result = entry.bytes.withUnsafeBytes { bytes in
          Result { () throws(StoreError) in
            try body(entry.sequence, UnsafeRawBufferPointer(rebasing: bytes[start...]))
          }
        }
        try result.get()
      }
      offset = Self.aligned(offset + start + entry.length)
    }
  }

  private struct Entry {
    var length: Int
    var previous: UInt64
    var sequence: UInt64
    var sum: UInt64
    /// Its head and what it holds.
    var bytes: [UInt8] = []
  }

  /// The numbers that stand at an offset; nil where they cannot be those of an entry.
  private func entryHead(at offset: Int) throws(StoreError) -> Entry? {
    guard offset + Self.entryHeadSize <= room else { return nil }
    let bytes = try file!.bytes(Self.entryHeadSize, at: Int64(offset))
    func number(_ index: Int) -> UInt64 { bytes.number(at: index * 8, as: UInt64.self) }
    guard number(0) <= UInt64(room - offset - Self.entryHeadSize), number(2) > number(1) else {
      return nil
    }
    return Entry(
      length: Int(number(0)), previous: number(1), sequence: number(2), sum: number(3))
  }

  /// The entry at an offset; nil where there is none that is whole.
  private func entry(at offset: Int) throws(StoreError) -> Entry? {
    guard var entry = try entryHead(at: offset) else { return nil }
    entry.bytes = try file!.bytes(Self.entryHeadSize + entry.length, at: Int64(offset))
    let sum = entry.bytes.withUnsafeBytes {
      Self.sum(
        UnsafeRawBufferPointer(rebasing: $0[Self.entryHeadSize...]), entry.previous,
        entry.sequence, salt)
    }
    return sum == entry.sum ? entry : nil
  }

  // MARK: Form

  private static func aligned(_ offset: Int) -> Int { (offset + sector - 1) / sector * sector }

  private static func sum(
    _ entry: [UInt8], _ previous: UInt64, _ sequence: UInt64, _ salt: UInt64
  ) -> UInt64 {
    entry.withUnsafeBytes { sum($0, previous, sequence, salt) }
  }

  private static func sum(
    _ entry: UnsafeRawBufferPointer, _ previous: UInt64, _ sequence: UInt64, _ salt: UInt64
  ) -> UInt64 {
    var numbers: [UInt8] = []
    for number in [UInt64(entry.count), previous, sequence] { numbers.append(littleEndian: number) }
    return Checksum.of(entry, seed: numbers.withUnsafeBytes { Checksum.of($0, seed: salt) })
  }

  private struct Head {
    var salt: UInt64
    var base: UInt64
    var store: UInt64

    init(salt: UInt64, base: UInt64, store: UInt64) {
      self.salt = salt
      self.base = base
      self.store = store
    }

    /// nil where these are not the bytes of a head.
    init?(_ bytes: [UInt8]) {
      func number(_ index: Int) -> UInt64 { bytes.number(at: index * 8, as: UInt64.self) }
      guard Self.version(bytes) == Int(FileLog.version) else { return nil }
      self.init(salt: number(1), base: number(2), store: number(3))
    }

    /// The version of a head, be it a later one; nil where it is none. What stands before the sum, and the sum, are
    /// the same in all versions.
    static func version(_ bytes: [UInt8]) -> Int? {
      let magic = bytes.number(at: 0, as: UInt64.self)
      guard magic << 16 == FileLog.magic << 16,
        bytes.number(at: 32, as: UInt64.self)
          == bytes.prefix(32).withUnsafeBytes({ Checksum.of($0, seed: 2) })
      else { return nil }
      return Int(magic >> 48)
    }

    var sector: [UInt8] {
      var bytes: [UInt8] = []
      for number in [FileLog.magic, salt, base, store] { bytes.append(littleEndian: number) }
      bytes.append(littleEndian: bytes.withUnsafeBytes { Checksum.of($0, seed: 2) })
      return bytes + [UInt8](repeating: 0, count: FileLog.sector - bytes.count)
    }
  }
}

extension StoreError {
  /// Somebody else has appended.
  static func conflict(behind previous: UInt64, last: UInt64, path: String) -> StoreError {
    StoreError(
      .conflict, code: SQLITE_BUSY, function: "append", path: path,
      "another writer has gone on: the log's last entry is \(last), not \(previous)")
  }
}
