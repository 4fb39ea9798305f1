import Foundation
import PlatformConditions

// watchline-as phone|watch INPUT OUTPUT: what the plugins AsPhone and AsWatch run for each file.
let arguments = CommandLine.arguments
guard arguments.count == 4, let platform = PlatformSource.Platform(rawValue: arguments[1]) else {
  FileHandle.standardError.write(Data("usage: watchline-as phone|watch INPUT OUTPUT\n".utf8))
  exit(2)
}
do {
  let text = try String(contentsOfFile: arguments[2], encoding: .utf8)
  let resolved = PlatformSource.resolve(text, for: platform, path: arguments[2])
  try resolved.write(toFile: arguments[3], atomically: true, encoding: .utf8)
} catch {
  FileHandle.standardError.write(
    Data("\(arguments[2]): \(error.localizedDescription)\n".utf8))
  exit(1)
}
