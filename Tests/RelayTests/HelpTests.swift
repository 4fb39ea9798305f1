import Foundation
import Testing
import Wire

@testable import Relay

@Suite struct HelpTests {
  /// Each line as the server would send it.
  private func text(_ lines: [Help.Line]) -> [[UInt8]] {
    lines.map { line in
      var output: [UInt8] = []
      Relay.begin(&output, "help", re: "", of: .help)
      line(&output)
      output.append("}")
      return output
    }
  }

  private func expectLines(_ lines: [Help.Line], _ topic: String) {
    let help = MessageDescription.events.first { $0.name == "help" }!
    let known = Set(["type"] + help.allMembers.map(\.name))
    var envelope = Envelope()
    for line in text(lines) {
      let shown = String(decoding: line, as: UTF8.self)
      line.withUnsafeBytes { bytes in
        do throws(WireError) {
          try envelope.scan(bytes)
          let whole = Value(kind: .object, start: 0, end: bytes.count)
          let names = Set(envelope.fields(of: bytes).members(of: whole).map(\.name))
          #expect(names.isSubset(of: known), "\(topic): \(shown)")
          // Examples may be long; what explains has to fit a terminal.
          #expect(bytes.count <= 210 || names.contains("example"), "\(topic): \(shown)")
        } catch {
          Issue.record("\(topic): \(error.message) in \(shown)")
        }
      }
    }
  }

  @Test func overviewListsEveryRequest() {
    expectLines(Help.overview(), "help")
    let all = text(Help.overview()).map { String(decoding: $0, as: UTF8.self) }
    for request in Request.allCases {
      #expect(all.filter { $0.contains("\"topic\":\"\(request.rawValue)\"") }.count == 1)
    }
  }

  @Test func everyTopicIsExplained() throws {
    for topic in Help.topics { expectLines(try #require(Help.lines(on: topic)), topic) }
    for error in ErrorCode.allCases {
      expectLines(try #require(Help.lines(on: "\(error.rawValue)")), "\(error)")
    }
    #expect(Help.lines(on: "nothing") == nil)
  }

  /// Clause 9 of PROTOCOL.md has each limit with its default.
  @Test func theTableOfLimitsIsThatOfTheServer() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Protocol/PROTOCOL.md")
    let text = try String(contentsOf: file, encoding: .utf8)
    let table = try #require(text.range(of: "| limit | default |")).lowerBound
    let rows = text[table...].components(separatedBy: "\n\n")[0].split(separator: "\n").dropFirst(2)
      .map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
    let limits = Limits.names.map { name, path in
      let value = Limits()[keyPath: path]
      let isTime = Limits.durations.contains(name)
      return [
        "`\(name)`",
        value == 0 ? Limits.fallback(name) : isTime ? "\(value / 1_000_000) s" : "\(value)",
      ]
    }
    #expect(rows.map { [$0[0], $0[1].replacing(",", with: "")] } == limits)
  }

  @Test func knobsAreDescribedAsTheyAre() {
    #expect(KnobDescription.all.map(\.key) == Knobs.names)
    let described =
      "{"
      + KnobDescription.all.map { "\"\($0.key.rawValue)\":\($0.standard)" }.joined(separator: ",")
      + "}"
    var written: [UInt8] = []
    Knobs().write(to: &written)
    #expect(String(decoding: written, as: UTF8.self) == described)
  }
}
