import Foundation

/// What a target's `sources.txt` lists.
///
/// A line of the list is a Swift file, or a folder of which all Swift files are meant, seen from the list's folder;
/// `#` begins a comment, and `-` in front leaves a file or a folder out.
struct SourceList {
  private(set) var files: [URL] = []
  /// The folders in which a file that is added belongs to the list.
  private(set) var folders: [URL] = []
  /// Entries at which there is no Swift file.
  private(set) var missing: [String] = []

  init(_ list: URL) throws {
    let text = try String(contentsOf: list, encoding: .utf8)
    for line in text.split(whereSeparator: \.isNewline) {
      var entry = line.trimmingCharacters(in: .whitespaces)
      if entry.isEmpty || entry.hasPrefix("#") { continue }
      let isLeftOut = entry.hasPrefix("-")
      if isLeftOut { entry = entry.dropFirst().trimmingCharacters(in: .whitespaces) }
      let url = URL(
        fileURLWithPath: entry, relativeTo: list.deletingLastPathComponent()
      ).standardizedFileURL
      if isLeftOut {
        files.removeAll { $0.path == url.path || $0.path.hasPrefix(url.path + "/") }
      } else {
        try add(url, entry)
      }
    }
  }

  private mutating func add(_ url: URL, _ entry: String) throws {
    var found: [URL] = []
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) {
      found = isFolder.boolValue ? [] : [url]
    }
    if isFolder.boolValue {
      folders.append(url)
      for path in try FileManager.default.subpathsOfDirectory(atPath: url.path).sorted() {
        let inner = url.appendingPathComponent(path)
        if path.hasSuffix(".swift") {
          found.append(inner)
        } else if FileManager.default.fileExists(atPath: inner.path, isDirectory: &isFolder),
          isFolder.boolValue
        {
          folders.append(inner)
        }
      }
    }
    if found.isEmpty { missing.append(entry) }
    files += found.filter { file in !files.contains { $0.path == file.path } }
  }
}
