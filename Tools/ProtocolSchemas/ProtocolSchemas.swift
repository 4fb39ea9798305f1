import Foundation

/// Writes the protocol's JSON Schemas to a folder, from the descriptions in `Sources/Wire/Messages`.
@main
struct ProtocolSchemas {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    guard arguments.count == 1, let path = arguments.first, !path.hasPrefix("-") else {
      fail("usage: protocol-schemas DIRECTORY", 2)
    }
    let folder = URL(fileURLWithPath: path, isDirectory: true)
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let names = Set(Schemas.files.map(\.name)).union(Schemas.written)
      for old in try FileManager.default.contentsOfDirectory(atPath: path)
      where old.hasSuffix(".schema.json") && !names.contains(old) {
        try FileManager.default.removeItem(at: folder.appendingPathComponent(old))
      }
      for (name, text) in Schemas.files {
        try Data(text.utf8).write(to: folder.appendingPathComponent(name))
      }
    } catch {
      fail("protocol-schemas: \(path): \(error.localizedDescription)", 1)
    }
  }

  private static func fail(_ message: String, _ status: Int32) -> Never {
    FileHandle.standardError.write(Data((message + "\n").utf8))
    exit(status)
  }
}
