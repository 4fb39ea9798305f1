import AppModels
import Foundation
import Testing

/// Compares a screen with the file that shows it, `Goldens/<name>.txt`.
func expectGolden(
  _ screen: Screen, _ idiom: Idiom, _ name: String,
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  try expectGolden(
    screen.lines(columns: idiom.columns), idiom, name, sourceLocation: sourceLocation)
}

/// Compares lines in a frame with the file that shows them.
///
/// With `WATCHLINE_RECORD=1` in the environment the file is written anew.
func expectGolden(
  _ lines: [String], _ idiom: Idiom, _ name: String,
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let widths = Set(lines.map(\.columns))
  #expect(
    widths == [idiom.columns + 2], "the frame is not straight", sourceLocation: sourceLocation)
  let text = lines.joined(separator: "\n") + "\n"
  let file = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../Goldens/\(name).txt")
  if ProcessInfo.processInfo.environment["WATCHLINE_RECORD"] == "1" {
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
    return
  }
  let golden = try #require(
    try? Data(contentsOf: file), "\(name).txt is missing", sourceLocation: sourceLocation)
  #expect(text == String(decoding: golden, as: UTF8.self), sourceLocation: sourceLocation)
}
