import Journal

/// `watchline.mark`: which commit was reported last, or one before it.
///
/// It is written after each commit and not synced: exact after a kill, and after a loss of power a
/// commit that was reported, though not the last one. So a store that holds less than its mark says has
/// lost commits, and one that was stopped at any moment never does.
///
/// ```
/// offset 0      sequence epoch lastBatch identity sum     numbers of 8 bytes, little-endian
/// offset 4096   the same
/// ```
/// The two are written in turns, so that one of them is whole whatever becomes of a write.
final class Mark {
  struct Note: Equatable {
    var sequence: UInt64
    var epoch: UInt64
    var lastBatch: UInt64
    /// The checksum of the store's name.
    var identity: UInt64

    static let size = 40

    init(sequence: UInt64, _ state: StoreState) {
      self.sequence = sequence
      epoch = state.epoch
      lastBatch = state.lastBatch
      identity = state.identitySum
    }

    /// nil where these are not the bytes of a note.
    init?(_ bytes: [UInt8]) {
      guard
        bytes.prefix(32).withUnsafeBytes({ Checksum.of($0, seed: 1) })
          == bytes.number(at: 32, as: UInt64.self)
      else { return nil }
      sequence = bytes.number(at: 0, as: UInt64.self)
      epoch = bytes.number(at: 8, as: UInt64.self)
      lastBatch = bytes.number(at: 16, as: UInt64.self)
      identity = bytes.number(at: 24, as: UInt64.self)
    }

    var bytes: [UInt8] {
      var bytes: [UInt8] = []
      for number in [sequence, epoch, lastBatch, identity] { bytes.append(littleEndian: number) }
      bytes.append(littleEndian: bytes.withUnsafeBytes { Checksum.of($0, seed: 1) })
      return bytes
    }
  }

  private static let distance: Int64 = 4096

  private let path: String
  private let vfs: String?
  private var file: VFSFile?
  private var nextSequence: UInt64
  /// What is in the file, the newer one first.
  let notes: [Note]

  /// Reads the mark, and makes none.
  init(_ path: String, vfs: String?) throws(StoreError) {
    self.path = path
    self.vfs = vfs
    var notes: [Note] = []
    if let file = try VFSFile(path, creating: false, vfs: vfs) {
      let size = try file.size()
      for offset in [0, Self.distance] where offset + Int64(Note.size) <= size {
        if let note = Note(try file.bytes(Note.size, at: offset)) { notes.append(note) }
      }
    }
    notes.sort { $0.sequence > $1.sequence }
    self.notes = notes
    nextSequence = (notes.first?.sequence ?? 0) &+ 1
  }

  /// What it says of a store; nil where it has nothing of it.
  func note(of state: StoreState) -> Note? {
    notes.first { $0.identity == state.identitySum }
  }

  /// Writes what a store has reported.
  func write(_ state: StoreState) throws(StoreError) {
    if file == nil { file = try VFSFile(path, creating: true, vfs: vfs) }
    let offset = Int64(nextSequence % 2) * Self.distance
    try file!.write(Note(sequence: nextSequence, state).bytes, at: offset)
    nextSequence &+= 1
  }

  func sync() throws(StoreError) { try file?.sync() }

  /// Has the mark of a copy say that it is one: whatever the store has, more may have been reported since.
  func declareBackup() throws(StoreError) {
    guard var note = notes.first else { return }
    if file == nil { file = try VFSFile(path, creating: true, vfs: vfs) }
    for offset in [0, Self.distance] {
      note.lastBatch = Self.backup
      note.sequence &+= 1
      try file!.write(note.bytes, at: offset)
    }
    try file!.sync()
  }

  /// Whether it is that of a backup.
  func isOfBackup(_ state: StoreState) -> Bool { note(of: state)?.lastBatch == Self.backup }

  private static let backup = UInt64.max
}
