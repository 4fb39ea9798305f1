import Glibc
package import Journal

/// What a test or a benchmark may vary. The defaults are measured (`store-benchmark`).
package struct StoreOptions: Sendable {
  /// A registered SQLite VFS; nil is SQLite's own.
  package var vfs: String?
  /// Tables, version and migrations.
  package var schema = Schema.current
  /// What a row of version 1 is today: it, or several. Throws where it cannot be understood.
  package typealias Upgrade = @Sendable (Row) throws -> [Row]
  package var rowsOfVersion1: Upgrade = { [$0] }
  /// Serves a store that has lost commits, under a new name; else it is refused.
  package var acceptsLoss = false
  /// Bytes a page of a new store.
  package var pageSize = 16384
  /// Bytes of the log at which the database is brought up to it…
  package var logBytes = 64 << 20
  /// …and bytes that the database does not have yet, held in memory.
  package var memTableBytes = 16 << 20
  /// Bytes of batches that may share an entry of the log; one batch may be larger.
  package var groupBytes = 4 << 20
  /// Bytes of reads answered between two commits; one reference may be larger.
  package var readBytes = 256 << 10
  /// Log bytes that are moved into the database when nothing waits…
  package var idleCheckpointBytes = 4 << 20
  /// …and those that are moved even though batches wait.
  package var busyCheckpointBytes = 64 << 20
  /// Bytes kept on the disk for when it is full (`Reserve`); 0 for none.
  package var reserveBytes = 0
  /// What the store may take.
  package var quota = Quota.none
  /// Bytes that are free where a path leads to; nil where that is not known.
  package var freeBytes: @Sendable (_ path: String) -> Int? = StoreOptions.freeBytes
  /// How long nothing is committed, in nanoseconds, before what is not needed is given back…
  package var tidyDelay: UInt64 = 1_000_000_000
  /// …in pieces of so many pages…
  package var tidyPages = 256
  /// …and how long the files of the log and the WAL may stay then.
  package var idleWALBytes = 1 << 20
  /// The first and the longest delay, in nanoseconds, before a failed step is tried again.
  package var retryDelays: ClosedRange<UInt64> = 10_000_000...1_000_000_000
  /// A store up to this size is checked page by page at each opening; a larger one only when it was
  /// not closed cleanly. 240 MiB take 0.15 s from memory.
  package var checkedBytes = 256 << 20

  package init() {}

  /// How much a store may take before nothing new is to be added to it: what is used of its database, the WAL, and its
  /// own log.
  package enum Quota: Sendable, Equatable {
    case none
    /// So many bytes.
    case bytes(Int)
    /// What it has when it is opened, and a share of nine tenths of what is free on the disk then, or of what else is when
    /// others have made room; as much as there is in memory.
    case disk(shares: Int)
  }

  private static func freeBytes(_ path: String) -> Int? {
    var room = statvfs()
    guard statvfs(path, &room) == 0 else { return nil }
    let (bytes, isTooLarge) = Int(clamping: room.f_bavail)
      .multipliedReportingOverflow(by: Int(room.f_frsize))
    return isTooLarge ? nil : bytes
  }

  /// With a reserve that can move a WAL of 64 MiB, and a quarter more.
  package static var server: StoreOptions {
    var options = StoreOptions()
    options.reserveBytes = options.busyCheckpointBytes / 4 * 5
    return options
  }
}
