import Foundation

/// A file system of a few megabytes, mounted while this value lives. Needs privileges.
final class SmallDisk {
  private let path: String
  private let scratch: Scratch

  init(_ path: String, in scratch: Scratch) throws {
    self.path = path
    self.scratch = scratch
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let mount = try Program(["mount", "-t", "tmpfs", "-o", "size=8m", "none", path], in: scratch)
    guard try mount.exitCode() == 0 else { throw Failure(mount.errors) }
  }

  deinit { _ = try? Program(["umount", "-l", path], in: scratch).exitCode() }

  private var filler: String { path + "/filler" }

  func fill(leaving bytes: Int) throws {
    var status = statvfs()
    statvfs(path, &status)
    let free = Int(status.f_bavail) * Int(status.f_bsize)
    try Data(count: max(0, free - bytes)).write(to: URL(fileURLWithPath: filler))
  }

  func free() throws { try FileManager.default.removeItem(atPath: filler) }
}

extension ServerProcess {
  /// Lets no file of the server's grow beyond `bytes`; nil for as it was.
  func limitFiles(to bytes: Int?) throws {
    let limit = bytes.map { "\($0):unlimited" } ?? "unlimited:unlimited"
    let scratch = try Scratch()
    let program = try Program(
      ["prlimit", "--pid", "\(self.program.id)", "--fsize=\(limit)"], in: scratch)
    guard try program.exitCode() == 0 else { throw Failure(program.errors) }
  }
}
