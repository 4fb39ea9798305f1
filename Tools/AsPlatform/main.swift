import Foundation
import PlatformConditions

// What the plugins AsPhone and AsWatch run.
//
// watchline-as phone|watch INPUT OUTPUT   writes a file as the one or the other compiles it
// watchline-as list LIST STAMP FILE...    fails where a list has other files than the build was planned with

func fail(_ sentence: String, _ code: Int32) -> Never {
  FileHandle.standardError.write(Data("\(sentence)\n".utf8))
  exit(code)
}

let arguments = CommandLine.arguments
do {
  if arguments.count > 3, arguments[1] == "list" {
    let list = try SourceList(URL(fileURLWithPath: arguments[2]))
    guard list.missing.isEmpty, list.files.map(\.path) == Array(arguments.dropFirst(4)) else {
      fail(
        "error: \(arguments[2]) has other files than this build was planned with: "
          + "touch Package.swift, and build again", 1)
    }
    try Data().write(to: URL(fileURLWithPath: arguments[3]))
  } else if arguments.count == 4, let platform = PlatformSource.Platform(rawValue: arguments[1]) {
    let text = try String(contentsOfFile: arguments[2], encoding: .utf8)
    let resolved = PlatformSource.resolve(text, for: platform, path: arguments[2])
    try resolved.write(toFile: arguments[3], atomically: true, encoding: .utf8)
  } else {
    fail("usage: watchline-as phone|watch INPUT OUTPUT, or list LIST STAMP FILE...", 2)
  }
} catch {
  fail("\(arguments[2]): \(error.localizedDescription)", 1)
}
