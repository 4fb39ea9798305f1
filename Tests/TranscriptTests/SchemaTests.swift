import Foundation
import Testing
import TranscriptSupport

/// Every line of every dialogue is as `Protocol/schema` says.
@Suite struct SchemaTests {
  /// The validator is Debian's python3-jsonschema, which belongs to Debian's own Python.
  private static let python = "/usr/bin/python3"

  private static func validate(_ lines: [String]) throws -> (code: Int32, output: String) {
    let folder = Transcript.folder.deletingLastPathComponent()
    let input = FileManager.default.temporaryDirectory
      .appendingPathComponent("watchline-dialogue-\(UUID().uuidString).ndjson")
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: input)
    defer { try? FileManager.default.removeItem(at: input) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: python)
    process.arguments = [
      folder.appendingPathComponent("validate.py").path,
      folder.appendingPathComponent("schema").path,
    ]
    process.standardInput = try FileHandle(forReadingFrom: input)
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: text, as: UTF8.self))
  }

  @Test func everyLineIsAsItsSchemaSays() throws {
    let lines = try TranscriptTests.transcripts.flatMap {
      try TranscriptTests.play($0, .whole).schemaLines
    }
    #expect(lines.count > 1_000)
    let (code, output) = try Self.validate(lines)
    #expect(code == 0, "\(output)")
  }

  @Test(arguments: [
    #"{"direction":"toDevice","line":{"type":"pong","of":"ping"}}"#,
    #"{"direction":"toDevice","line":{"type":"pong","of":"ping","now":1,"more":1}}"#,
    #"{"direction":"toServer","line":{"type":"transferUserInfo"}}"#,
    #"{"direction":"toServer","line":{"type":"nothing"}}"#,
  ])
  func aWrongLineIsFound(_ line: String) throws {
    #expect(try Self.validate([line]).code == 1)
  }
}
