import Testing
import TranscriptSupport
import Wire

/// The dialogues leave nothing out: every message and every error code of the protocol occurs.
@Suite struct CoverageTests {
  @Test func everyMessageAndEveryCodeOccurs() throws {
    var requests: Set<String> = []
    var events: Set<String> = []
    var codes: Set<Int> = []
    for transcript in TranscriptTests.transcripts {
      for line in try TranscriptTests.play(transcript, .whole) {
        guard let json = try? JSONReader.read(line.line), let type = json["type"]?.string else {
          if line.isToServer, let word = Self.firstWord(line.line) { requests.insert(word) }
          continue
        }
        if line.isToServer {
          requests.insert(type)
        } else {
          events.insert(type)
          for code in [json["code"], json["error"]?["code"]] {
            if case .number(let text)? = code, let number = Int(text) { codes.insert(number) }
          }
        }
      }
    }
    #expect(Set(MessageDescription.requests.map(\.name)).subtracting(requests) == [])
    #expect(Set(MessageDescription.events.map(\.name)).subtracting(events) == [])
    #expect(Set(ErrorCode.allCases.map(\.rawValue)).subtracting(codes) == [])
  }

  private static func firstWord(_ line: [UInt8]) -> String? {
    String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace).first.map(
      String.init)
  }
}
