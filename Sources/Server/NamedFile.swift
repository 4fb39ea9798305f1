import Glibc

/// A file that an option of the command line names, read as a whole.
struct NamedFile {
  let option: String
  let path: String

  /// - Parameters:
  ///   - limit: what is longer is refused by its reader, so that no more than a byte beyond is read.
  ///   - check: looks at what the file is, before it is read.
  /// - Throws: one sentence with the option and the path.
  func contents(
    limit: Int, check: (stat) throws(StartError) -> Void = { (_) throws(StartError) in }
  ) throws(StartError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure() }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failure() }
    try check(status)
    var bytes = [UInt8](repeating: 0, count: limit + 1)
    var count = 0
    while count < bytes.count {
      let more = bytes.withUnsafeMutableBytes {
        read(descriptor, $0.baseAddress! + count, $0.count - count)
      }
      guard more >= 0 else { throw failure() }
      if more == 0 { break }
      count += more
    }
    return Array(bytes[..<count])
  }

  func failure(_ reason: String) -> StartError { StartError("\(option) \(path): \(reason)") }

  /// What the last call of the system failed by.
  private func failure() -> StartError {
    failure(
      errno == EISDIR ? "it is a directory; name a file" : String(cString: strerror(errno)))
  }
}
