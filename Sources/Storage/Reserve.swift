import Glibc

/// Room that is kept on the disk for when there is none left: `watchline.reserve`, a file without content
/// that is made shorter, in steps, when a commit finds the disk full.
///
/// What is committed then takes next to nothing (PROTOCOL.md clause 10), but so that the log and the WAL can start
/// over, what they hold has to go into the database, which may grow by all of it. So neither becomes longer than the
/// reserve can move, and a fifth of it is left for what was under way when the disk was full.
///
/// Used by one thread at a time.
final class Reserve {
  /// Bytes that it should have.
  let wanted: Int
  /// Bytes that it has.
  private(set) var bytes = 0
  let path: String
  private let vfs: String?

  /// The file system allocates in pieces of this many bytes; a multiple of all usual blocks.
  private static let piece = 64 << 10
  /// It is given up in so many steps, since others may be waiting for room, too.
  private static let steps = 8

  init(directory: String, options: StoreOptions) {
    path = directory + "/watchline.reserve"
    vfs = options.vfs
    var room = statvfs()
    // Never more than an eighth of a small disk.
    let share =
      statvfs(directory, &room) == 0 ? Int(clamping: room.f_blocks) * Int(room.f_frsize) / 8 : 0
    wanted = min(options.reserveBytes, share) / Self.piece * Self.piece
    var status = stat()
    if stat(path, &status) == 0 { bytes = Int(status.st_size) }
  }

  var isWhole: Bool { bytes >= wanted }

  /// Bytes that may be missing in the database. To write them takes as much in the WAL, and in the database.
  var mostInMemory: Int { wanted / 5 }

  /// How long the WAL may become. To move it the database may have to grow by all that it holds.
  var longestWAL: Int { wanted / 5 * 2 }

  /// How long the log may become before it starts over.
  var longestLog: Int { wanted / 5 * 4 }

  /// Gives a part of it back to the disk.
  ///
  /// - Returns: false where nothing is left to give.
  func giveUp() -> Bool {
    guard bytes > 0 else { return false }
    let rest = max(0, bytes - max(Self.piece, wanted / Self.steps / Self.piece * Self.piece))
    guard resize(to: rest) else { return false }
    bytes = rest
    return true
  }

  /// Takes what is missing, where the disk has it.
  ///
  /// - Parameter more: bytes that have to be free beside it.
  /// - Returns: whether it is whole.
  @discardableResult
  func fill(sparing more: Int) -> Bool {
    guard !isWhole else { return true }
    let isThere = resize(to: wanted + more)
    // Also what was allocated before there was no more.
    guard resize(to: isThere ? wanted : bytes), isThere else { return false }
    bytes = wanted
    return true
  }

  private func resize(to length: Int) -> Bool {
    do throws(StoreError) {
      guard let file = try VFSFile(path, creating: true, vfs: vfs) else { return false }
      if Int64(length) < (try file.size()) {
        try file.truncate(to: Int64(length))
      } else {
        try file.allocate(Int64(length), inPiecesOf: Int32(Self.piece))
      }
      return true
    } catch {
      return false
    }
  }
}
