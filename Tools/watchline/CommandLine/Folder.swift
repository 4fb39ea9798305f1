internal import Glibc

enum Folder {
  /// Makes a folder, and those that it lies in.
  static func make(_ folder: String) throws(FileFailure) {
    var path = ""
    for part in folder.split(separator: "/", omittingEmptySubsequences: false) {
      path += part + "/"
      guard path != "/", mkdir(path, 0o777) != 0, errno != EEXIST else { continue }
      throw FileFailure("mkdir", path)
    }
  }

  /// The names of the files in a folder that end so, sorted; none where there is no folder.
  static func files(_ folder: String, ending: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name.hasSuffix(ending) { names.append(name) }
    }
    return names.sorted()
  }
}
