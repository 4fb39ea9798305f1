import Foundation
import Testing

extension ProcessTests {
  /// `--schema FILE`: schedules, fixtures and traces about records of one's own.
  @Suite struct OwnSchemaTests {
    let scratch: Scratch
    private let file: String

    init() throws {
      scratch = try Scratch()
      file = "\(scratch.path)/shelf.json"
      try Self.write("notes", to: file)
    }

    private static func write(_ text: String, to path: String) throws {
      try #"""
      {"schema": "shelf", "kinds": [
        {"kind": "box", "order": "place", "fields": [
          {"field": "name", "type": "string"}, {"field": "\#(text)", "type": "text"},
          {"field": "stars", "type": "int", "rules": [
            {"atLeast": 1, "message": "1 to 5"}, {"atMost": 5, "message": "1 to 5"}]}]},
        {"kind": "thing", "order": "place", "container": {"kind": "box", "field": "box"},
          "fields": [{"field": "name", "type": "string"}]}]}
      """#.write(toFile: path, atomically: true, encoding: .utf8)
    }

    private func watchline(_ words: String...) throws -> Program {
      try Program(["\(Program.products)/watchline"] + words, in: scratch)
    }

    private func example(_ name: String) -> String {
      let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in
        url.deletingLastPathComponent()
      }
      return root.appending(path: "Tools/Examples/\(name).py").path
    }

    @Test func ourMergeAndServer() throws {
      let program = try watchline(
        "fuzz", "--schema", file, "--seeds", "1..60", "--out", "\(scratch.path)/out")
      #expect(try program.exitCode() == 0, "\(program.output) \(program.errors)")
    }

    /// A merge that reads where records stand from the schema that it is given passes; one that knows none of it
    /// loses an edit, and its trace is played again without the file.
    @Test func mergesOfOthers() throws {
      let good = try watchline(
        "fuzz", "--schema", file, "--seeds", "1..60", "--loss", "everything", "--against",
        "command:python3 -B \(example("everything"))", "--out", "\(scratch.path)/out")
      #expect(try good.exitCode() == 0, "\(good.output) \(good.errors)")

      let out = "\(scratch.path)/bad"
      let against = "command:python3 -B \(example("whole_record"))"
      let bad = try watchline(
        "fuzz", "--schema", file, "--seeds", "1..60", "--against", against, "--out", out)
      #expect(try bad.exitCode() == 1, "\(bad.output) \(bad.errors)")
      let folders = try FileManager.default.contentsOfDirectory(atPath: out)
      let lost = try #require(folders.first { $0.hasPrefix("lost-edit") }, "\(folders)")
      let trace = "\(out)/\(lost)/trace.ndjson"
      try FileManager.default.removeItem(atPath: file)
      let again = try watchline("replay", trace, "--against", against)
      #expect(try again.exitCode() == 1, "\(again.errors)")
      #expect(again.output.contains("lost"))
      let ours = try watchline("replay", trace)
      #expect(try ours.exitCode() == 0, "\(ours.output) \(ours.errors)")
    }

    @Test func fixtures() throws {
      let out = "\(scratch.path)/fixture"
      let program = try watchline(
        "generate", "--seed", "3", "--events", "40", "--schema", file, "--out", out)
      #expect(try program.exitCode() == 0, "\(program.errors)")
      let trace = try String(contentsOfFile: "\(out)/trace.ndjson", encoding: .utf8)
      #expect(trace.contains(#""schema":"shelf","definition":{"#))
      #expect(trace.contains(#""kind":"thing""#))
      let again = try watchline("replay", "\(out)/trace.ndjson")
      #expect(try again.exitCode() == 0, "\(again.errors)")
      // With a schema that has changed meanwhile.
      try Self.write("remarks", to: file)
      let changed = try watchline("replay", "\(out)/trace.ndjson", "--schema", file)
      #expect(try changed.exitCode() == 0, "\(changed.output) \(changed.errors)")
      let other = try watchline("replay", "\(out)/trace.ndjson", "--schema", "pomodoro")
      #expect(try other.exitCode() == 2)
      #expect(other.errors.contains("of the schema shelf, and --schema is pomodoro"))
    }

    @Test func errors() throws {
      try Data("{".utf8).write(to: URL(filePath: "\(scratch.path)/broken.json"))
      let shipped =
        #"{"schema":"pomodoro","kinds":[{"kind":"k","fields":[{"field":"f","type":"int"}]}]}"#
      try Data(shipped.utf8).write(to: URL(filePath: "\(scratch.path)/shipped.json"))
      for (words, sentence) in [
        (["--schema"], "needs a value: pomodoro, timeTracker, todoTimers, or a file"),
        (["--schema", "todoTimer"], "there is no file todoTimer"),
        (["--schema", "\(scratch.path)/broken.json"], "broken.json: "),
        (["--schema", "\(scratch.path)/shipped.json"], "there is a schema pomodoro already"),
        (["--schema", scratch.path], "cannot be read"),
      ] {
        let program = try Program(
          ["\(Program.products)/watchline", "fuzz", "--seeds", "1..2"] + words, in: scratch)
        #expect(try program.exitCode() == 2, "\(words)")
        #expect(program.errors.contains(sentence), "\(words): \(program.errors)")
      }
      let server = try Program(["\(Program.products)/watchline-server", "--schema"], in: scratch)
      #expect(try server.exitCode() == 2)
      #expect(server.errors.contains("without one there is pomodoro, timeTracker, todoTimers"))
    }
  }
}
