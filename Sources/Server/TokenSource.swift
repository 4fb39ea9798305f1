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
    let file = NamedFile(option: "--tokens", path: path)
    seen = nil
    let bytes = try file.contents(limit: TokenFile.largest) { (status) throws(StartError) in
      seen = Stamp(status)
      guard status.st_mode & S_IFMT == S_IFREG else {
        throw file.failure("it is not a file; name one")
      }
      guard status.st_mode & 0o077 == 0 else {
        throw file.failure("others than its owner can read or write it; chmod 600 it")
      }
    }
    do throws(TokenFileError) {
      return Access(try TokenFile.read(bytes))
    } catch {
      throw file.failure(error.message)
    }
  }
}
