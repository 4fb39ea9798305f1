import Foundation
import Testing
import TranscriptSupport

/// Every line of every dialogue is as `Protocol/schema` says.
@Suite struct SchemaTests {
  private static func validate(_ lines: [String]) throws -> (code: Int32, output: String) {
    try SchemaValidator.validate(Data((lines.joined(separator: "\n") + "\n").utf8))
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
