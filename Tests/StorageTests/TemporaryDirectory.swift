import Glibc

/// A directory that goes with this value.
final class TemporaryDirectory {
  let path: String

  /// - Parameter inMemory: on a file system without a disk behind it, for tests that sync a lot and
  ///   bring their own idea of what is durable.
  init(inMemory: Bool = false) {
    let parent = inMemory && access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    var template = Array("\(parent)/watchline-storage-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { preconditionFailure("mkdtemp: \(errno)") }
    path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }

  deinit {
    for name in names { remove(name) }
    rmdir(path)
  }

  func remove(_ name: String) { unlink(path + "/" + name) }

  var database: String { path + "/watchline.sqlite" }
  var wal: String { database + "-wal" }
  var log: String { path + "/watchline.log" }

  /// The files' names, sorted.
  var names: [String] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// All that is in the directory, to compare.
  var contents: [String: [UInt8]] {
    Dictionary(uniqueKeysWithValues: names.map { ($0, readFile(path + "/" + $0)) })
  }

  /// Puts other files in the place of those that are there.
  func replace(with contents: [String: [UInt8]]) {
    for name in names { remove(name) }
    for (name, bytes) in contents { writeFile(path + "/" + name, bytes) }
  }
}

func readFile(_ path: String) -> [UInt8] {
  var status = stat()
  guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
    let file = fopen(path, "r")
  else { return [] }
  defer { fclose(file) }
  fseek(file, 0, SEEK_END)
  let size = ftell(file)
  rewind(file)
  // The standard library writes the count of an empty array, which all threads share.
  guard size > 0 else { return [] }
  return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
    count = fread(buffer.baseAddress, 1, size, file)
  }
}

func writeFile(_ path: String, _ bytes: [UInt8]) {
  guard let file = fopen(path, "w") else { preconditionFailure("\(path): \(errno)") }
  defer { fclose(file) }
  precondition(fwrite(bytes, 1, bytes.count, file) == bytes.count)
}
