import AppModels
import Foundation
import Testing

/// Screens as files that are looked at by people: `Goldens/<app>/<name>.txt`.
enum Golden {
  /// Compares lines in a frame with their file. With `WATCHLINE_RECORD=1` in the environment the
  /// file is written anew.
  static func check(
    _ lines: [String], _ name: String, columns: Int, at location: SourceLocation
  ) {
    for line in lines {
      #expect(
        line.columns == columns + 2, "the frame is not straight: \(line)",
        sourceLocation: location)
      #expect(
        terminalColumns(line) == columns + 2, "the frame is not straight on a terminal: \(line)",
        sourceLocation: location)
    }
    let text = lines.joined(separator: "\n") + "\n"
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Goldens/\(name).txt")
    if ProcessInfo.processInfo.environment["WATCHLINE_RECORD"] == "1" {
      try? FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try? text.write(to: file, atomically: true, encoding: .utf8)
      return
    }
    guard let expected = try? String(contentsOf: file, encoding: .utf8) else {
      Issue.record("there is no \(name).txt; record it", sourceLocation: location)
      return
    }
    #expect(text == expected, "\(name).txt differs", sourceLocation: location)
  }

  static func check(
    _ screen: Screen, _ name: String, columns: Int, at location: SourceLocation
  ) {
    check(screen.lines(columns: columns), name, columns: columns, at: location)
  }
}

/// Compares a screen with its file, in the width of an idiom.
func expectGolden(
  _ screen: Screen, _ idiom: Idiom, _ name: String,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  Golden.check(screen, name, columns: idiom.columns, at: sourceLocation)
}

/// Compares lines in a frame with the file that shows them.
func expectGolden(
  _ lines: [String], _ idiom: Idiom, _ name: String,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  Golden.check(lines, name, columns: idiom.columns, at: sourceLocation)
}

@_silgen_name("wcwidth") func wcwidth(_ character: Int32) -> Int32

/// Columns of a line as the C library has them, by which terminals go.
func terminalColumns(_ line: String) -> Int {
  _ = setlocale(LC_CTYPE, "C.UTF-8")
  return line.unicodeScalars.reduce(0) { $0 + max(0, Int(wcwidth(Int32($1.value)))) }
}
