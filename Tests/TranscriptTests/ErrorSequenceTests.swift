import Foundation
import RelaySupport
import Testing
import TranscriptSupport

/// What PROTOCOL.md says in clause 7 of how to bring each error about.
@Suite struct ErrorSequenceTests {
  private struct Sequence {
    var code: Int
    var steps: [(device: String, line: String)] = []
  }

  /// ```
  /// 7001  phone> transferUserInfo payload={"a":1}
  ///       watch> refuse lane=userInfo seq=1 code=7001
  /// ```
  private static func sequences() throws -> [Sequence] {
    let file = Transcript.folder.deletingLastPathComponent().appendingPathComponent("PROTOCOL.md")
    let text = try String(contentsOf: file, encoding: .utf8)
    let start = try #require(text.range(of: "**How to bring each about.**")).upperBound
    let block = try #require(text[start...].components(separatedBy: "```").dropFirst().first)
    var sequences: [Sequence] = []
    for line in block.split(separator: "\n") {
      var step = line.drop { $0 == " " }
      if let code = Int(step.prefix { $0.isNumber }) {
        sequences.append(Sequence(code: code))
        step = step.drop { $0.isNumber || $0 == " " }
      }
      let parts = step.components(separatedBy: "> ")
      try #require(parts.count == 2 && !sequences.isEmpty, "\(line)")
      sequences[sequences.count - 1].steps.append((parts[0], parts[1]))
    }
    return sequences
  }

  @Test func theSequencesOfTheErrorsBringThemAbout() throws {
    let sequences = try Self.sequences()
    #expect(sequences.map(\.code) == Array(7001...7019))
    for sequence in sequences {
      let world = try World()
      let all = [
        ("phone", "activate pair=demo role=phone"), ("watch", "activate pair=demo role=watch"),
      ]
      var codes: [Int] = []
      for (device, line) in all + sequence.steps {
        world.send(line, on: device)
        for name in Set(all.map(\.0) + sequence.steps.map(\.device)) {
          for line in world.client(name).takeLines() {
            let json = try JSONReader.read(Array(line.utf8))
            for code in [json["code"], json["error"]?["code"]] {
              if case .number(let text)? = code, let number = Int(text) { codes.append(number) }
            }
          }
        }
      }
      #expect(codes.contains(sequence.code), "\(sequence.code): \(codes)")
    }
  }
}
