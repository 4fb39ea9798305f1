import CSQLite
import Glibc

/// Why the store could not be opened, or why a commit is being retried.
package struct StoreError: Error, CustomStringConvertible, Sendable, Equatable {
  package enum Kind: Sendable, Equatable {
    /// The files are damaged. They are left as they are.
    case corrupt
    /// Commits that were reported are missing.
    case lost
    /// A newer Watchline wrote them.
    case newerVersion(found: Int, known: Int)
    /// A database, but of another program.
    case notOurs
    /// Another process, or another store of this one, has the directory.
    case locked
    /// Another writer has appended to the log.
    case conflict
    /// No room on the device, or the user's share of it is used up.
    case full
    /// The store is as large as it may become (`StoreOptions.quota`).
    case quota
    /// The device or the file system failed.
    case io
    /// A file of the store is not where it was, or not as it was, while the store is open.
    case gone
    /// Missing, no permission, read-only, or not a regular file.
    case cannotOpen
    case other
  }

  package var kind: Kind
  /// SQLite's extended result code (<https://www.sqlite.org/rescode.html>).
  package var code: Int32
  /// The C function that failed.
  package var function: String
  /// What is wrong and what to do about it, without the path.
  package var message: String
  /// The file or directory that it is about.
  package var path: String

  package init(
    _ kind: Kind, code: Int32 = SQLITE_ERROR, function: String, path: String, _ message: String
  ) {
    self.kind = kind
    self.code = code
    self.function = function
    self.path = path
    self.message = message
  }

  /// One sentence that a person can act on.
  package var description: String { "\(path): \(message) (\(function), code \(code))." }
}

extension StoreError {
  /// The error of a SQLite call.
  ///
  /// - Parameter errorNumber: `sqlite3_system_errno`, 0 when unknown: a sync that finds the device
  ///   full is `SQLITE_IOERR_FSYNC` with `ENOSPC`.
  init(code: Int32, function: String, path: String, detail: String, errorNumber: Int32) {
    let kind: Kind
    let advice: String
    switch code & 0xff {
    case SQLITE_FULL:
      (kind, advice) = (.full, "the disk is full, make room")
    case SQLITE_IOERR where errorNumber == ENOSPC || errorNumber == EDQUOT:
      (kind, advice) = (.full, "the disk is full, make room")
    case SQLITE_IOERR:
      (kind, advice) = (.io, "the disk failed, look into the system's log")
    case SQLITE_CORRUPT, SQLITE_NOTADB:
      (kind, advice) = (.corrupt, "the store is damaged, restore it from a backup or move it away")
    case SQLITE_BUSY, SQLITE_LOCKED:
      (kind, advice) = (.locked, "another process has the store open, stop it first")
    case SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH:
      (kind, advice) = (.cannotOpen, "cannot be opened for writing, look at its permissions")
    default:
      (kind, advice) = (.other, "SQLite failed")
    }
    let system = errorNumber == 0 ? "" : ", " + String(cString: strerror(errorNumber))
    self.init(
      kind, code: code, function: function, path: path, "\(advice): \(detail)\(system)")
  }

  /// The error of a system call that has just set `errno`.
  init(errno number: Int32, function: String, path: String) {
    let kind: Kind =
      switch number {
      case ENOSPC, EDQUOT: .full
      case EIO: .io
      default: .cannotOpen
      }
    let code =
      switch kind {
      case .full: SQLITE_FULL
      case .io: SQLITE_IOERR
      default: SQLITE_CANTOPEN
      }
    self.init(
      kind, code: code, function: function, path: path,
      "cannot be used as the store: \(String(cString: strerror(number)))")
  }
}
