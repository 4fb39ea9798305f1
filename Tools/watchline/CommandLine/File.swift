internal import Glibc

/// A call failed: which, on what, and what the system says.
struct FileFailure: Error {
  let message: String
  /// What the system says alone.
  let reason: String

  init(_ call: String, _ path: String) {
    let isDirectory = errno == EISDIR
    reason = isDirectory ? "it is a directory; name a file" : String(cString: strerror(errno))
    message = isDirectory ? "\(path) is a directory; name a file" : "\(path): \(call): \(reason)"
  }

  init(of path: String, because reason: String) {
    self.reason = reason
    message = "\(path): \(reason)"
  }
}

/// Files as a whole. Blocking, for small ones.
enum File {
  /// What a file holds; nil where there is none.
  static func read(_ path: String) throws(FileFailure) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0, errno == ENOENT { return nil }
    guard descriptor >= 0 else { throw FileFailure("open", path) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      guard count >= 0 else { throw FileFailure("read", path) }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
    }
  }

  /// Puts a new file in the place of another, so that a crash leaves the one or the other; it is on
  /// the disk when this returns.
  ///
  /// - Parameters:
  ///   - isPrivate: nobody else may read it; else as the umask says.
  ///   - keepsOwner: it belongs to whom the other one belongs, or the folder where there is no other, where
  ///     that can be.
  static func replace(
    _ path: String, with bytes: [UInt8], isPrivate: Bool = true, keepsOwner: Bool = false
  ) throws(FileFailure) {
    let draft = "\(path).\(getpid())"
    let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    var status = stat()
    let owner = keepsOwner && (stat(path, &status) == 0 || stat(directory, &status) == 0)
    // One that a crash left. What is written is a file of ours, and none that a link leads to.
    unlink(draft)
    try write(
      bytes, to: draft, O_EXCL, isSynced: true, mode: isPrivate ? 0o600 : 0o666,
      owner: owner ? status : nil)
    guard rename(draft, path) == 0 else { throw FileFailure("rename", draft) }
    // Where the directory cannot be synced, a crash of the machine may bring the old file back.
    let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    _ = fsync(descriptor)
    close(descriptor)
  }

  /// Writes at the end of a file, which is made where there is none.
  static func append(
    _ bytes: [UInt8], to path: String, isSynced: Bool = false
  ) throws(FileFailure) {
    try write(bytes, to: path, O_APPEND, isSynced: isSynced, mode: 0o600)
  }

  private static func write(
    _ bytes: [UInt8], to path: String, _ flags: Int32, isSynced: Bool, mode: mode_t,
    owner: stat? = nil
  ) throws(FileFailure) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, mode)
    guard descriptor >= 0 else { throw FileFailure("open", path) }
    defer { close(descriptor) }
    if let owner { _ = fchown(descriptor, owner.st_uid, owner.st_gid) }
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress! + sent, $0.count - sent)
      }
      guard count > 0 else { throw FileFailure("write", path) }
      sent += count
    }
    guard !isSynced || fsync(descriptor) == 0 else { throw FileFailure("fsync", path) }
  }
}
