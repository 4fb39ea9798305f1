import Foundation
import PackagePlugin

/// Compiles the files that a target's `sources.txt` lists as those of a phone's or a watch's app.
///
/// A line of the list is a Swift file, or a folder of which all Swift files are meant, seen from the target's folder;
/// `#` begins a comment, and `-` in front leaves a file or a folder out.
enum Sources {
  static func commands(
    _ platform: String, _ context: PluginContext, _ target: any Target
  ) throws -> [Command] {
    guard let target = target as? any SourceModuleTarget else { return [] }
    let list = target.directoryURL.appendingPathComponent("sources.txt")
    guard let text = try? String(contentsOf: list, encoding: .utf8) else {
      Diagnostics.error(
        "\(target.name) has no sources.txt: list its Swift files there, one a line, seen from \(target.directoryURL.path)"
      )
      return []
    }
    let tool = try context.tool(named: "watchline-as")
    var files: [URL] = []
    for line in text.split(whereSeparator: \.isNewline) {
      var entry = line.trimmingCharacters(in: .whitespaces)
      if entry.isEmpty || entry.hasPrefix("#") { continue }
      let isLeftOut = entry.hasPrefix("-")
      if isLeftOut { entry = entry.dropFirst().trimmingCharacters(in: .whitespaces) }
      let url = URL(fileURLWithPath: entry, relativeTo: target.directoryURL).standardizedFileURL
      if isLeftOut {
        files.removeAll { $0.path == url.path || $0.path.hasPrefix(url.path + "/") }
        continue
      }
      let found = try swiftFiles(url)
      if found.isEmpty {
        Diagnostics.error("sources.txt of \(target.name): there is no Swift file at \(entry)")
      }
      files += found.filter { file in !files.contains { $0.path == file.path } }
    }
    var names: Set<String> = []
    return files.map { file in
      // Two files may have one name in two folders; and a name of its own keeps `#fileID` unambiguous.
      var name = file.deletingPathExtension().lastPathComponent
      while !names.insert(name).inserted { name += "_" }
      let output = context.pluginWorkDirectoryURL.appendingPathComponent(
        "\(name).\(platform).swift")
      return .buildCommand(
        displayName: "\(file.lastPathComponent) as a \(platform)'s", executable: tool.url,
        arguments: [platform, file.path, output.path], inputFiles: [file], outputFiles: [output])
    }
  }

  private static func swiftFiles(_ url: URL) throws -> [URL] {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
      return []
    }
    guard isFolder.boolValue else { return [url] }
    return try FileManager.default.subpathsOfDirectory(atPath: url.path).sorted()
      .filter { $0.hasSuffix(".swift") }.map { url.appendingPathComponent($0) }
  }
}
