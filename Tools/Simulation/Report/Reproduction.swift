extension FindingReport {
  /// `Reproduce.swift`: a test with the trace in it, for Swift Testing or XCTest, on macOS and on
  /// Linux. It plays the trace by `watchline` and passes where nothing is found any more.
  package var test: String {
    let raw = SwiftLiteral(String(decoding: trace.ndjson, as: UTF8.self))
    let words = arguments.map { SwiftLiteral($0).line }.joined(separator: ", ")
    let about = ([finding.headline] + finding.story).map { "/// \(Visible.text($0))" }
    return """
      // A test that fails until this is fixed. It needs the program `watchline`, on the PATH or
      // named by the environment variable WATCHLINE; relative paths are those of the test's folder.
      import Foundation

      #if canImport(Testing) && !WATCHLINE_XCTEST
        import Testing
      #else
        import XCTest
      #endif

      \(about.joined(separator: "\n///\n"))
      ///
      /// By hand: \(Visible.text(command))
      private enum \(capitalized) {
        static let trace = \(raw.block(indentation: "    "))

        static let arguments: [String] = [\(words)]

        /// Plays the trace.
        ///
        /// - Returns: the exit status, 0 where nothing is wrong, and what the program said.
        static func play() throws -> (status: Int32, said: String) {
          let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("watchline-\\(UUID().uuidString)")
          try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
          defer { try? FileManager.default.removeItem(at: folder) }
          let file = folder.appendingPathComponent("trace.ndjson")
          try Data((trace + "\\n").utf8).write(to: file)
          let log = folder.appendingPathComponent("log.txt")
          try Data().write(to: log)

          let process = Process()
          let named = ProcessInfo.processInfo.environment["WATCHLINE"]
          process.executableURL = URL(fileURLWithPath: named ?? "/usr/bin/env")
          process.arguments = (named == nil ? ["watchline"] : []) + ["replay", file.path] + arguments
          let output = try FileHandle(forWritingTo: log)
          process.standardOutput = output
          process.standardError = output
          try process.run()
          process.waitUntilExit()
          let said = String(decoding: try Data(contentsOf: log), as: UTF8.self)
          return (process.terminationStatus, said)
        }
      }

      #if canImport(Testing) && !WATCHLINE_XCTEST
        @Test private func \(name)() throws {
          let run = try \(capitalized).play()
          #expect(run.status == 0, "\\(run.said)")
        }
      #else
        final class \(capitalized)Tests: XCTestCase {
          func test\(capitalized)() throws {
            let run = try \(capitalized).play()
            XCTAssertEqual(run.status, 0, run.said)
          }
        }
      #endif

      """
  }

  /// The same as the name of a type: `LostEdit164`.
  private var capitalized: String { name.prefix(1).uppercased() + name.dropFirst() }

  /// The slug and the seed as a name: `lostEdit164`.
  private var name: String {
    var name = "finding"
    var words: [String] = []
    for byte in finding.slug.utf8 {
      let scalar = UnicodeScalar(byte)
      guard scalar.isASCII, scalar.properties.isAlphabetic || (0x30...0x39).contains(byte) else {
        words.append("")
        continue
      }
      if words.isEmpty { words.append("") }
      words[words.count - 1].unicodeScalars.append(scalar)
    }
    words.removeAll(where: \.isEmpty)
    if let first = words.first, first.utf8.first! > 0x39 {
      name = first + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
    return name + "\(trace.seed)"
  }
}

/// Text as a literal of Swift's that reads as the text does.
struct SwiftLiteral {
  private let text: String
  private let marks: String

  init(_ text: String) {
    self.text = text
    // One more than there are in a row anywhere, so that nothing in it ends or escapes anything.
    var longest = 0
    var run = 0
    for byte in text.utf8 {
      run = byte == 0x23 ? run + 1 : 0
      longest = max(longest, run)
    }
    marks = String(repeating: "#", count: longest + 1)
  }

  /// In one line.
  var line: String { "\(marks)\"\(escaped(keepsLines: false))\"\(marks)" }

  /// In as many lines as it has, without its last line end.
  func block(indentation: String) -> String {
    var body = escaped(keepsLines: true)
    if body.utf8.last == 0x0A { body.removeLast() }
    let lines = body.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
      .map { indentation + String(Substring($0)) }
    return "\(marks)\"\"\"\n\(lines.joined(separator: "\n"))\n\(indentation)\"\"\"\(marks)"
  }

  private func escaped(keepsLines: Bool) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      let isLineEnd = keepsLines && scalar == "\n"
      // A quotation mark is followed by as many marks as end the literal only where there are some.
      if isLineEnd || (0x20...0x7E).contains(scalar.value) || scalar.properties.isAlphabetic {
        result.append(scalar)
      } else {
        result.append(contentsOf: "\\\(marks)u{\(String(scalar.value, radix: 16))}".unicodeScalars)
      }
    }
    return String(result)
  }
}
