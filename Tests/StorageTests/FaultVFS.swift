import CFaultVFS
import CSQLite

@testable import Storage

/// An SQLite VFS of a test's own (see `fault_vfs.h`).
final class FaultVFS: @unchecked Sendable {
  private let handle: OpaquePointer

  init() { handle = fault_vfs_create() }

  deinit { fault_vfs_destroy(handle) }

  /// Options for a store on this VFS that reaches every step soon: small checkpoints, short delays, a
  /// reserve, and tidying as soon as nothing waits.
  var options: StoreOptions {
    var options = StoreOptions()
    options.vfs = String(cString: fault_vfs_name(handle))
    options.logBytes = 200_000
    options.memTableBytes = 60_000
    options.idleCheckpointBytes = 240_000
    options.busyCheckpointBytes = 800_000
    options.retryDelays = 200_000...2_000_000
    options.reserveBytes = 1 << 20
    options.tidyDelay = 100_000
    options.tidyPages = 4
    options.idleWALBytes = 65_536
    return options
  }

  func fail(
    _ operation: fault_operation, first: Int, count: Int = 1, code: Int32, torn: Bool = false
  ) {
    fault_vfs_arm(handle, operation, Int64(first), Int64(count), code, torn ? 1 : 0)
  }

  func heal(_ operation: fault_operation) { fault_vfs_arm(handle, operation, 0, 0, 0, 0) }

  var fired: Int { Int(fault_vfs_fired(handle)) }

  /// All files together may be so large; nil is no limit.
  func limit(_ bytes: Int?) { fault_vfs_limit(handle, Int64(bytes ?? -1)) }

  /// Puts into `directory` what a loss of power now would leave; with seed 0, what a kill would leave.
  func stop(into directory: TemporaryDirectory, seed: Int) {
    for name in directory.names { directory.remove(name) }
    precondition(fault_vfs_lose_power(handle, directory.path, UInt64(seed)) == 0)
  }
}

/// Extended codes, which Swift does not import (<https://www.sqlite.org/rescode.html>).
let SQLITE_IOERR_READ = SQLITE_IOERR | 1 << 8
let SQLITE_IOERR_WRITE = SQLITE_IOERR | 3 << 8
let SQLITE_IOERR_FSYNC = SQLITE_IOERR | 4 << 8
let SQLITE_IOERR_TRUNCATE = SQLITE_IOERR | 6 << 8
let SQLITE_IOERR_DELETE = SQLITE_IOERR | 10 << 8
