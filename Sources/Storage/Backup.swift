import CSQLite
import Glibc
import Journal

/// A copy of a store, made while a server has it open or not.
///
/// The server leaves the database alone meanwhile (`Hold`), and goes on committing into its log. So the database is
/// copied as it lies, and the log behind it, from its end to its start: what is appended meanwhile is in it up to some
/// entry. All of the copy is read and checked then. Where the database was written to all the same (a server that
/// starts or stops, or whose log became too long), that shows, and the copy is made anew.
package enum Backup {
  /// What was copied.
  package struct Summary: Equatable, Sendable {
    /// Up to this batch.
    package var lastBatch: UInt64
    /// Of the files.
    package var bytes: Int
  }

  private static let tries = 3

  /// - Parameters:
  ///   - target: a folder that is not there, or is empty; nothing is left in it where this throws.
  ///   - progress: bytes copied, and all of them.
  /// - Throws: `cannotOpen` where one of the folders cannot be used, `full`, `io`; `corrupt` and `lost` where the
  ///   store is not as it was written.
  package static func make(
    of directory: String, in target: String, options: StoreOptions = StoreOptions(),
    progress: (Int, Int) -> Void = { _, _ in }
  ) throws(StoreError) -> Summary {
    let files = StoreFiles(directory: directory)
    guard case .present = try files.inspect(known: options.schema.version),
      let hold = Hold(files.mark)
    else {
      throw StoreError(
        .cannotOpen, code: SQLITE_CANTOPEN, function: "open", path: directory,
        "there is no store of a server alone in this directory, or one that never had a server")
    }
    let copy = StoreFiles(directory: target)
    try DirectoryLock.makeDirectory(target)
    try refuseFull(target)
    for attempt in 1...tries {
      do throws(StoreError) {
        return try make(files, copy, hold, options, progress)
      } catch {
        for path in [copy.database, copy.wal, copy.log, copy.mark] { unlink(path) }
        guard error.kind == .corrupt || error.kind == .lost, attempt < tries else { throw error }
      }
    }
    preconditionFailure("no try is the last one")
  }

  private static func make(
    _ files: StoreFiles, _ copy: StoreFiles, _ hold: Hold, _ options: StoreOptions,
    _ progress: (Int, Int) -> Void
  ) throws(StoreError) -> Summary {
    hold.wait()
    // What the mark says was reported is in the log that is copied later.
    let paths = [
      (files.mark, copy.mark), (files.database, copy.database), (files.wal, copy.wal),
      (files.log, copy.log),
    ]
    let all = paths.reduce(0) { $0 + size($1.0) }
    var done = 0
    for (from, to) in paths {
      try self.copy(from, to) {
        done += $0
        progress(min(done, all), all)
      }
    }
    hold.giveBack()
    let reader = try StoreReader(copy.directory, options: options)
    if let fault = reader.faults(most: 1).first {
      throw StoreError(
        .corrupt, code: SQLITE_CORRUPT, function: "read", path: files.database,
        "\(Database.damageAdvice)\(fault)")
    }
    try Mark(copy.mark, vfs: options.vfs).declareBackup()
    try DirectoryLock.sync(copy.directory)
    return Summary(lastBatch: reader.lastBatch, bytes: done)
  }

  private static func refuseFull(_ target: String) throws(StoreError) {
    guard let directory = opendir(target) else {
      throw StoreError(errno: errno, function: "opendir", path: target)
    }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      // "." and ".." are all that there is.
      if entry.pointee.d_name.0 == UInt8(ascii: ".") { continue }
      throw StoreError(
        .cannotOpen, code: SQLITE_CANTOPEN, function: "readdir", path: target,
        "is not empty; name a folder that is not there yet")
    }
  }

  private static func size(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Copies a file from its end to its start, and syncs the copy. One that is not there is none.
  private static func copy(
    _ from: String, _ to: String, _ copied: (Int) -> Void
  ) throws(StoreError) {
    let source = Glibc.open(from, O_RDONLY | O_CLOEXEC)
    guard source >= 0 else {
      if errno == ENOENT { return }
      throw StoreError(errno: errno, function: "open", path: from)
    }
    defer { Glibc.close(source) }
    let target = Glibc.open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard target >= 0 else { throw StoreError(errno: errno, function: "open", path: to) }
    defer { Glibc.close(target) }
    let piece = 1 << 20
    var buffer = [UInt8](repeating: 0, count: piece)
    for offset in stride(from: 0, to: size(from), by: piece).reversed() {
      let count = pread(source, &buffer, piece, off_t(offset))
      guard count >= 0 else { throw StoreError(errno: errno, function: "pread", path: from) }
      var written = 0
      while written < count {
        let more = buffer.withUnsafeBytes {
          pwrite(target, $0.baseAddress! + written, count - written, off_t(offset + written))
        }
        guard more > 0 else { throw StoreError(errno: errno, function: "pwrite", path: to) }
        written += more
      }
      copied(count)
    }
    guard fsync(target) == 0 else { throw StoreError(errno: errno, function: "fsync", path: to) }
  }
}
