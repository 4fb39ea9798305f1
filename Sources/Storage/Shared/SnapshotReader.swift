import Glibc

/// Finds the last whole snapshot in the log of snapshots, and puts it into a file, piece by piece.
final class SnapshotReader {
  private let log: any SharedLog
  private let path: String
  private var draft: String { path + ".draft" }
  private let vfs: String?
  /// The last entry that was read.
  private var sequence: UInt64 = 0
  /// The snapshot in the making; nil where the last chunks are those of one that was given up.
  private var making: (file: VFSFile, size: UInt64, sum: UInt64)?
  /// The entry of the shard's log up to which the snapshot in the file has everything; 0 for none.
  private(set) var found: UInt64 = 0

  /// Why the log did not answer when it was asked last.
  private(set) var silence: SharedLogSilence?

  /// How long an answer is waited for, in microseconds.
  private static let patience: Int64 = 1_000_000

  /// - Parameter path: where a whole one is put.
  init(_ log: any SharedLog, path: String, vfs: String?) {
    (self.log, self.path, self.vfs) = (log, path, vfs)
    unlink(path)
  }

  /// Reads a piece.
  ///
  /// - Returns: whether all was read that can be seen.
  func step() throws(StoreError) -> Bool {
    let piece: SharedLogPiece
    do throws(SharedLogSilence) {
      piece = try log.read(behind: sequence, patience: Self.patience)
      silence = nil
    } catch {
      silence = error
      return false
    }
    if piece.first > sequence + 1 {
      // A newer one has taken the place of what was read so far.
      making = nil
      sequence = piece.first - 1
      if piece.entries.isEmpty { return false }
    }
    for entry in piece.entries {
      sequence += 1
      try ingest(entry)
    }
    guard piece.entries.isEmpty, piece.first == sequence + 1 else { return false }
    making = nil
    unlink(draft)
    return true
  }

  private func ingest(_ bytes: [UInt8]) throws(StoreError) {
    switch SnapshotEntry(bytes) {
    case .chunk(let offset, let bytes):
      if offset == 0 {
        unlink(draft)
        guard let file = try VFSFile(draft, creating: true, vfs: vfs) else { return }
        making = (file, 0, 0)
      }
      guard let now = making, now.size == offset else {
        making = nil
        return
      }
      try now.file.write(bytes, at: Int64(offset))
      making!.size += UInt64(bytes.count)
      making!.sum = SnapshotEntry.sum(bytes, behind: now.sum)
    case .manifest(let size, let sum, let sequence):
      guard let now = making, now.size == size, now.sum == sum else { return }
      try now.file.sync()
      making = nil
      guard rename(draft, path) == 0 else {
        throw StoreError(errno: errno, function: "rename", path: draft)
      }
      found = sequence
    case nil:
      throw StoreError(
        .corrupt, function: "read", path: log.name,
        "entry \(self.sequence) was not made by a server of this version")
    }
  }
}
