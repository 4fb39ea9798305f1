import Glibc
import Relay

/// The file of `--tokens`, and whether it is another than when it was last read.
struct TokenSource {
  let path: String
  private var seen: Stamp?

  init(_ path: String) { self.path = path }

  /// What tells one content of the file from another.
  private struct Stamp: Equatable {
    var file: UInt64
    var size: Int64
    var seconds: Int
    var nanoseconds: Int

    init(_ status: stat) {
      file = UInt64(status.st_ino)
      size = Int64(status.st_size)
      seconds = status.st_mtim.tv_sec
      nanoseconds = status.st_mtim.tv_nsec
    }
  }

  /// Whether the file has changed, come or gone since it was last read, or tried to be.
  var hasChanged: Bool {
    var status = stat()
    return (stat(path, &status) == 0 ? Stamp(status) : nil) != seen
  }

  /// Reads the tokens.
  ///
  /// - Throws: where the file cannot be read, others can read it, or a line of it is no token.
  mutating func read() throws(StartError) -> Access {
    seen = nil
    // Not held up by a pipe that nobody writes to.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw failure(String(cString: strerror(errno))) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failure(String(cString: strerror(errno))) }
    seen = Stamp(status)
    guard status.st_mode & S_IFMT == S_IFREG else { throw failure("it is not a file; name one") }
    guard status.st_mode & 0o077 == 0 else {
      throw failure("others than its owner can read or write it; chmod 600 it")
    }
    let bytes = try contents(descriptor)
    do throws(TokenFileError) {
      return Access(try TokenFile.read(bytes))
    } catch {
      throw failure(error.message)
    }
  }

  private func contents(_ descriptor: Int32) throws(StartError) -> [UInt8] {
    // What is longer is refused, so its rest need not be read.
    var bytes = [UInt8](repeating: 0, count: TokenFile.largest + 1)
    var count = 0
    while count < bytes.count {
      let more = bytes.withUnsafeMutableBytes {
        Glibc.read(descriptor, $0.baseAddress! + count, $0.count - count)
      }
      guard more >= 0 else { throw failure(String(cString: strerror(errno))) }
      if more == 0 { break }
      count += more
    }
    return Array(bytes[..<count])
  }

  private func failure(_ reason: String) -> StartError { StartError("--tokens \(path): \(reason)") }
}
