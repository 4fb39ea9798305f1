import Foundation
import Testing

extension ProcessTests {
  /// `watchline fuzz` and `watchline replay` from outside.
  @Suite struct FuzzTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func watchline(_ words: String...) throws -> Program {
      try Program(["\(Program.products)/watchline"] + words, in: scratch)
    }

    private var examples: String {
      URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Tools/Examples").path
    }

    private func object(_ program: Program) throws -> [String: Any] {
      let last = try #require(program.output.split(separator: "\n").last)
      return try #require(
        try JSONSerialization.jsonObject(with: Data(last.utf8)) as? [String: Any])
    }

    @Test func aCleanCampaign() throws {
      let program = try watchline(
        "fuzz", "--seeds", "1..40", "--json", "--out", "\(scratch.path)/out", "--junit",
        "\(scratch.path)/junit.xml")
      #expect(try program.exitCode() == 0, "\(program.errors)")
      let summary = try object(program)
      #expect(summary["seeds"] as? Int == 40)
      #expect(summary["schedules"] as? Int == 40)
      #expect((summary["violations"] as? [Any])?.isEmpty == true)
      #expect((summary["schedulesPerSecond"] as? Double ?? 0) > 0)
      #expect((summary["simulatedDeviceDaysPerSecond"] as? Double ?? -1) >= 0)
      #expect(((summary["coverage"] as? [String: Int])?["edit"] ?? 0) > 0)
      let xml = try String(contentsOfFile: "\(scratch.path)/junit.xml", encoding: .utf8)
      #expect(xml.contains("failures=\"0\""))
    }

    /// Whole records lose an edit; the finding can be looked at, played again and checked in.
    @Test func aFindingAndWhatItLeaves() throws {
      let against = "command:python3 \(examples)/whole_record.py"
      let out = "\(scratch.path)/out"
      let program = try watchline(
        "fuzz", "--against", against, "--seeds", "1..60", "--jobs", "1", "--out", out, "--json",
        "--corpus", "\(scratch.path)/corpus")
      #expect(try program.exitCode() == 1, "\(program.errors)")
      let violations = try #require(try object(program)["violations"] as? [[String: Any]])
      let lost = try #require(violations.first { $0["slug"] as? String == "lost-edit" })
      let folder = try #require(lost["folder"] as? String)
      #expect(folder.hasPrefix(out))
      for name in ["trace.ndjson", "report.html", "finding.json", "Reproduce.swift", "stderr.txt"] {
        #expect(FileManager.default.fileExists(atPath: "\(folder)/\(name)"), "\(name)")
      }
      #expect((lost["events"] as? Int ?? 99) <= 8)
      // Others of its word may have another cause.
      let seeds = try #require(lost["seeds"] as? [Int])
      let (count, first) = (lost["count"] as? Int ?? 0, lost["seed"] as? Int ?? 0)
      #expect(seeds.count == min(20, count) && seeds.contains(first))
      #expect(seeds == Set(seeds).sorted())
      let again = try watchline("replay", "\(folder)/trace.ndjson", "--against", against)
      #expect(try again.exitCode() == 1)
      #expect(again.output.contains("VIOLATION"))
      let word = try #require(
        again.output.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("wl1:") })
      #expect(try watchline("replay", String(word), "--against", against).exitCode() == 1)
      // The merge that keeps fields apart has nothing to answer for.
      let right = "command:python3 \(examples)/field_level.py"
      #expect(try watchline("replay", String(word), "--against", right).exitCode() == 0)
      // It names what there is, and nothing else.
      #expect(again.output.contains("watchline replay \(folder)/trace.ndjson --against"))
      #expect(!again.output.contains("report.html") && !again.output.contains("Reproduce.swift"))
      let index = try String(contentsOfFile: "\(out)/index.html", encoding: .utf8)
      let name = (folder as NSString).lastPathComponent
      #expect(index.contains("<a href=\"\(name)/report.html\">"), "\(index)")
      // Others may read them as far as the umask lets them.
      let mask = umask(0)
      umask(mask)
      for path in ["\(out)/index.html", "\(folder)/trace.ndjson", "\(folder)/report.html"] {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == Int(0o666 & ~mask), "\(path)")
      }
      let corpus = try FileManager.default.contentsOfDirectory(atPath: "\(scratch.path)/corpus")
      #expect(corpus.contains { $0.hasPrefix("lost-edit") })
    }

    /// What was found until then is told and written, in the middle of shrinking too, and the process ends
    /// by the signal.
    @Test(arguments: [SIGINT, SIGTERM], [0.0, 0.005]) func interrupt(
      _ number: Int32, _ pause: Double
    ) throws {
      // Each answer takes its time, so that making a finding small takes minutes.
      let slow = """
        import sys, time
        sys.path.insert(0, "\(examples)")
        import merge_under_test, whole_record
        answer = merge_under_test._answer
        def slowly(*words):
            time.sleep(\(pause))
            return answer(*words)
        merge_under_test._answer = slowly
        merge_under_test.run(whole_record.Device, can=["delete"])
        """
      try Data(slow.utf8).write(to: URL(filePath: "\(scratch.path)/slow.py"))
      let out = "\(scratch.path)/out"
      let program = try watchline(
        "fuzz", "--against", "command:python3 -B \(scratch.path)/slow.py", "--seconds", "120",
        "--jobs", "2", "--json", "--out", out, "--junit", "\(scratch.path)/junit.xml")
      if pause == 0 {
        try eventually(within: 60, "a finding") {
          let names = (try? FileManager.default.contentsOfDirectory(atPath: out)) ?? []
          return !names.isEmpty
        }
      } else {
        sleep(9)
      }
      program.signal(number)
      #expect(try program.exitCode(within: 20) == -Int(number))
      #expect(program.errors.contains("watchline: interrupted: this is what was found so far\n"))
      let summary = try object(program)
      #expect(summary["ended"] as? String == "interrupted")
      #expect(summary["schedules"] as? Int ?? 0 > 0)
      let violations = try #require(summary["violations"] as? [[String: Any]])
      let lost = try #require(violations.first { $0["slug"] as? String == "lost-edit" })
      let folder = try #require(lost["folder"] as? String)
      #expect(FileManager.default.fileExists(atPath: "\(folder)/report.html"))
      #expect(FileManager.default.fileExists(atPath: "\(out)/index.html"))
      let xml = try String(contentsOfFile: "\(scratch.path)/junit.xml", encoding: .utf8)
      #expect(xml.contains("<failure type=\"lost-edit\""), "\(xml)")
    }

    /// A trace from the standard input has no path to be named.
    @Test func replayFromTheInput() throws {
      let trace = """
        {"trace":1,"world":"exchange","seed":1,"schema":"todoTimers","start":0,"devices":[{"device":"phone","role":"phone"}],"events":1}
        {"at":0,"device":"phone","do":"edit","kind":"timer","record":"00000001-0000-4000-8000-000000000000","create":{"name":"a","durationInSeconds":1,"icon":"i","colorHex":"c"}}

        """
      let against = "command:exit 3"
      let program = try Program(
        ["\(Program.products)/watchline", "replay", "-", "--against", against], in: scratch,
        input: trace)
      #expect(try program.exitCode() == 1, "\(program.errors)")
      #expect(program.output.contains("VIOLATION"))
      #expect(!program.output.contains("  again"), "\(program.output)")
      #expect(program.output.contains("from log   watchline replay wl1:"))
    }

    @Test(arguments: [
      (["--seeds", "9..1"], "backwards"),
      (["--seeds", "all"], "A..B"),
      (["--seeds", "1..2", "--seconds", "3"], "exclude"),
      (["--faults", "gremlins"], "gremlins"),
      (["--schema", "todoTimer"], "todoTimer"),
      (["--seeds", "1..2", "--out", "/dev/null/findings"], "cannot be written"),
      (["--against", "nothing"], "command:"),
      (["--loss", "fields"], "--against"),
      (["--exhaustive", "9"], "1 to 4"),
      (["--exhaustive", "2", "--part", "4/3"], "I/N"),
    ]) func badWords(_ words: [String], _ hint: String) throws {
      let program = try Program(["\(Program.products)/watchline", "fuzz"] + words, in: scratch)
      #expect(try program.exitCode() == 2)
      #expect(program.errors.contains(hint), "\(program.errors)")
      #expect(program.errors.split(separator: "\n").count == 1)
    }

    @Test(arguments: [
      ("", "empty"), ("{\"a\":1}\n", "not a trace"), ("{\"trace\":9}\n", "version 9"),
      ("{\"trace\":1,\"devices\":[{\"device\":\"phone\"}],\"events\":3}\n", "cut off"),
      ("{\"trace\":1,\"devices\":[{\"device\":\"phone\"}]}\n{\"at\":1,\"dev", "cut off"),
    ]) func badTraces(_ text: String, _ hint: String) throws {
      let path = "\(scratch.path)/trace.ndjson"
      try Data(text.utf8).write(to: URL(filePath: path))
      let program = try watchline("replay", path)
      #expect(try program.exitCode() == 2)
      #expect(program.errors.contains(hint), "\(program.errors)")
      #expect(try watchline("replay", "\(scratch.path)/none.ndjson").exitCode() == 2)
      #expect(try watchline("replay", "wl1:###").exitCode() == 2)
    }

    /// A part of a small scope, told with what was tried.
    @Test func smallScopes() throws {
      let program = try watchline("fuzz", "--exhaustive", "2", "--part", "2/4", "--json")
      #expect(try program.exitCode() == 0, "\(program.errors)")
      let summary = try object(program)
      #expect((summary["count"] as? Int ?? 0) > 100)
      #expect((summary["alphabet"] as? [String] ?? []).count > 10)
    }
  }
}
