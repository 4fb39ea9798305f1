import Foundation
import PackagePlugin

/// Compiles the files that a target's `sources.txt` lists as those of a phone's or a watch's app.
enum Sources {
  static func commands(
    _ platform: String, _ context: PluginContext, _ target: any Target
  ) throws -> [Command] {
    guard let target = target as? any SourceModuleTarget else { return [] }
    let url = target.directoryURL.appendingPathComponent("sources.txt")
    guard let list = try? SourceList(url) else {
      Diagnostics.error(
        "\(target.name) has no sources.txt: list its Swift files there, one a line, seen from \(target.directoryURL.path)"
      )
      return []
    }
    for entry in list.missing {
      Diagnostics.error("sources.txt of \(target.name): there is no Swift file at \(entry)")
    }
    let tool = try context.tool(named: "watchline-as").url
    let folder = context.pluginWorkDirectoryURL
    var names: Set<String> = []
    let commands = list.files.map { file in
      // Two files may have one name in two folders; and a name of its own keeps `#fileID` unambiguous.
      var name = file.deletingPathExtension().lastPathComponent
      while !names.insert(name).inserted { name += "_" }
      let output = folder.appendingPathComponent("\(name).\(platform).swift")
      return Command.buildCommand(
        displayName: "\(file.lastPathComponent) as a \(platform)'s", executable: tool,
        arguments: [platform, file.path, output.path], inputFiles: [file], outputFiles: [output])
    }
    // SwiftPM asks a plugin again where the package has changed, and not where a file elsewhere has.
    let stamp = folder.appendingPathComponent("sources.txt.swift")
    return commands + [
      .buildCommand(
        displayName: "sources.txt of \(target.name)", executable: tool,
        arguments: ["list", url.path, stamp.path] + list.files.map(\.path),
        inputFiles: [url] + list.folders, outputFiles: [stamp])
    ]
  }
}
