import Foundation
import Testing

extension ProcessTests {
  /// The example merges, each at the levels that it must pass and fail, and programs that break the
  /// contract.
  @Suite struct AgainstTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static let examples =
      URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().path + "/Tools/Examples"

    private func fuzz(
      _ command: String, _ arguments: [String] = [], seeds: String
    ) throws -> (code: Int, output: String, errors: String) {
      let program = try Program(
        [
          Program.products + "/watchline", "fuzz", "--against", "command:\(command)", "--seeds",
          seeds, "--jobs", "1", "--out", scratch.path + "/findings",
        ] + arguments, in: scratch)
      let code = try program.exitCode(within: 240)
      return (code, program.output, program.errors)
    }

    private static func python(_ name: String) -> String {
      "python3 -B \(examples)/\(name).py"
    }

    /// An example whose answers have their members in any order and their numbers in any spelling.
    private static func shuffled(_ name: String) -> String {
      let folder = (#filePath as NSString).deletingLastPathComponent
      return "python3 -B \(folder)/shuffled.py \(examples) \(name)"
    }

    static let passing: [(String, [String])] = [
      (shuffled("field_level"), ["--loss", "fields"]),
      (shuffled("operation_set"), ["--loss", "everything", "--schema", "timeTracker"]),
      (python("field_level"), ["--loss", "fields"]),
      (python("field_level") + " messages", ["--loss", "fields"]),
      (python("field_level"), ["--process-per-device", "--winner", "phone-on-tie"]),
      (python("operation_set"), ["--loss", "everything"]),
      (python("operation_set"), ["--loss", "everything", "--network", "any"]),
      (python("everything"), ["--loss", "everything", "--winner", "phone-on-tie"]),
      (
        python("everything"),
        ["--loss", "everything", "--network", "any", "--faults", "clock,loss"]
      ),
      (python("everything"), ["--loss", "everything", "--process-per-device"]),
      (shuffled("everything"), ["--loss", "everything"]),
    ]

    @Test(arguments: passing) func passes(_ command: String, _ options: [String]) throws {
      let result = try fuzz(command, options, seeds: "1..100")
      #expect(result.code == 0, "\(result.output.suffix(2000)) \(result.errors)")
      #expect(result.output.contains("no findings"))
    }

    static let failing: [(String, [String], String)] = [
      (python("whole_record"), ["--loss", "fields"], "lost-edit"),
      (python("field_level"), ["--loss", "deletes"], "delete-hid-edit"),
    ]

    @Test(arguments: failing) func fails(
      _ command: String, _ options: [String], _ slug: String
    ) throws {
      let result = try fuzz(command, options, seeds: "1..60")
      #expect(result.code == 1, "\(result.errors)")
      #expect(result.output.contains("\(slug) "), "\(result.output.suffix(2000))")
      let folder = try FileManager.default.contentsOfDirectory(atPath: scratch.path + "/findings")
        .first { $0.hasPrefix(slug) }
      let trace = "\(scratch.path)/findings/\(folder ?? "none")/trace.ndjson"
      let replay = try Program(
        [
          Program.products + "/watchline", "replay", trace, "--against", "command:\(command)",
        ] + options, in: scratch)
      #expect(try replay.exitCode(within: 60) == 1, "\(replay.errors)")
    }

    /// A merge with a fault in it.
    private static func faulty(_ name: String) -> String {
      let folder = (#filePath as NSString).deletingLastPathComponent
      return "python3 -B \(folder)/faulty.py \(examples) \(name)"
    }

    /// Faults in what a merge says that it can do, by what is found and within how many seeds.
    static let faults: [(String, String, Int)] = [
      ("ignores-moves", "lost-move", 150), ("moves-before", "lost-move", 150),
      ("splits-groups", "split-group", 400),
    ]

    @Test(arguments: faults) func findsFaults(_ fault: String, _ slug: String, _ seeds: Int) throws
    {
      let result = try fuzz(Self.faulty(fault), seeds: "1..\(seeds)")
      #expect(result.code == 1, "\(result.errors)")
      #expect(
        result.output.contains("1 distinct finding (\(slug) "), "\(result.output.suffix(2000))")
    }

    /// A program that raises in an edit: the edit is in the trace, and the trace is small.
    @Test func theEditThatEndsAProgramIsTold() throws {
      let command = Self.faulty("raises-in-edit")
      let result = try fuzz(command, seeds: "1..10")
      #expect(result.code == 1, "\(result.errors)")
      #expect(result.output.contains("1 distinct finding (program-ended "), "\(result.output)")
      #expect(result.output.contains("ValueError: a record of another device"))
      let folder = try #require(
        try FileManager.default.contentsOfDirectory(atPath: scratch.path + "/findings")
          .first { $0.hasPrefix("program-ended-") })
      let trace = "\(scratch.path)/findings/\(folder)/trace.ndjson"
      let lines = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
      #expect(lines.count == 5 && lines[4].contains(#""set":"#), "\(lines)")
      let replay = try Program(
        [Program.products + "/watchline", "replay", trace, "--against", "command:\(command)"],
        in: scratch)
      #expect(try replay.exitCode(within: 60) == 1)
      #expect(replay.output.contains("The program ended in the middle of a schedule."))
    }

    @Test func swiftPasses() throws {
      let built = scratch.path + "/field-level"
      let compiler = try Program(
        [
          "swiftc", "-O", "-parse-as-library", Self.examples + "/MergeUnderTest.swift",
          Self.examples + "/FieldLevel.swift", "-o", built,
        ], in: scratch)
      #expect(try compiler.exitCode(within: 300) == 0, "\(compiler.errors)")
      let result = try fuzz(built, seeds: "1..100")
      #expect(result.code == 0, "\(result.output.suffix(2000)) \(result.errors)")
    }

    @Test func checkShowsEachLine() throws {
      let result = try fuzz(Self.python("field_level"), ["--check"], seeds: "1..1")
      #expect(result.code == 0, "\(result.errors)")
      let lines = result.output.split(separator: "\n")
      #expect(lines.count { $0.hasPrefix("→ {") } == 5)
      #expect(lines.count { $0.hasPrefix("← {") } == 5)
      let wrong = try fuzz("cat", ["--check"], seeds: "1..1")
      #expect(wrong.code == 1)
      #expect(wrong.output.contains("its type must be started"))
    }

    static let broken: [(String, String, String)] = [
      ("cat", "bad-answer", "not what the contract asks for"),
      (
        #"python3 -c 'import sys; sys.stdin.readline(); sys.stderr.write("oh no\n"); sys.exit(3)'"#,
        "program-ended", "ended with status 3"
      ),
      (
        #"python3 -c 'import sys,time; sys.stdin.readline(); print("{\"type\":\"started\",\"re\":1,\"sync\":\"state\",\"can\":[]}", flush=True); sys.stdin.readline(); time.sleep(60)'"#,
        "no-answer", "did not answer in time"
      ),
    ]

    @Test(arguments: broken) func faultsAreFindings(
      _ command: String, _ slug: String, _ words: String
    ) throws {
      let result = try fuzz(command, ["--answer-limit", "0.2"], seeds: "1..1")
      #expect(result.code == 1, "\(result.errors)")
      #expect(result.output.contains(slug), "\(result.output)")
      #expect(result.output.contains(words), "\(result.output)")
    }

    @Test func whatCannotBeStartedIsAMisuse() throws {
      let result = try fuzz("/nowhere/merge", seeds: "1..2")
      #expect(result.code == 2)
      #expect(result.errors.contains("cannot be started"), "\(result.errors)")
    }

    /// What action.yml runs in somebody's CI: the status says what was found, and a report is kept.
    @Test(arguments: [("field_level", 0, "no findings"), ("whole_record", 1, "lost-edit ")])
    func theActionTellsAndKeeps(_ name: String, _ status: Int, _ told: String) throws {
      let root = URL(filePath: Self.examples).deletingLastPathComponent()
        .deletingLastPathComponent()
      let report = scratch.path + "/report"
      let program = try Program(
        [root.path + "/Packaging/fuzz-action"], in: scratch,
        environment: [
          "PATH": "\(Program.products):/usr/bin:/bin", "COMMAND": Self.python(name),
          "SECONDS_TO_RUN": "3", "OPTIONS": "--loss fields --jobs 1", "REPORT": report,
          "GITHUB_STEP_SUMMARY": scratch.path + "/summary",
        ])
      #expect(try program.exitCode(within: 240) == status, "\(program.errors)")
      let summary = try String(contentsOfFile: scratch.path + "/summary", encoding: .utf8)
      #expect(summary.contains(told), "\(summary)")
      let kept = try FileManager.default.contentsOfDirectory(atPath: report)
      #expect(Set(kept).isSuperset(of: ["junit.xml", "campaign.html", "output.txt"]))
      #expect(kept.contains { $0.hasPrefix("lost-edit") } == (status == 1))
    }
  }
}
