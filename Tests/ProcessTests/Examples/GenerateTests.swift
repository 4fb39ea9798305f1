import Foundation
import Testing

extension ProcessTests {
  /// `watchline generate` and those who replay what it writes.
  @Suite struct GenerateTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static let root = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().path
    private static let watchline = Program.products + "/watchline"

    /// - Returns: the exit code and what was said on the standard error.
    @discardableResult
    private func generate(_ arguments: [String]) throws -> (code: Int, errors: String) {
      let program = try Program([Self.watchline, "generate"] + arguments, in: scratch)
      return (try program.exitCode(), program.errors)
    }

    private func bytes(_ folder: String) throws -> [Data] {
      try ["trace.ndjson", "expected.json"].map {
        try Data(contentsOf: URL(fileURLWithPath: "\(scratch.path)/\(folder)/\($0)"))
      }
    }

    /// Each process has another hash seed. The options that it prints give the same bytes again.
    @Test(arguments: ["todoTimers", "timeTracker", "pomodoro", "none"])
    func sameSeedSameBytes(_ schema: String) throws {
      for seed in 1...4 {
        let options = ["--seed", "\(seed)", "--schema", schema, "--events", "60"]
        let one = try generate(options + ["--out", "\(scratch.path)/one/deep"])
        #expect(one.code == 0, "\(one.errors)")
        #expect(try generate(options + ["--out", "\(scratch.path)/two"]).code == 0)
        #expect(try bytes("one/deep") == bytes("two"))
        let printed = one.errors.split(whereSeparator: \.isWhitespace).map(String.init)
        #expect(try generate(printed + ["--out", "\(scratch.path)/three"]).code == 0)
        #expect(try bytes("three") == bytes("two"))
      }
      let printed = try generate(
        ["--seed", "1", "--schema", schema, "--events", "60", "--out", "\(scratch.path)/none"]
          + (schema == "todoTimers" ? ["--whole-records", "0"] : [])
      ).errors
      #expect(printed.contains("--whole-records 0") == (schema == "todoTimers"), "\(printed)")
      let other = ["--seed", "5", "--schema", schema, "--events", "60"]
      try generate(other + ["--out", "\(scratch.path)/other"])
      #expect(try bytes("other") != bytes("two"))
    }

    /// So is what the real hub makes of watches that know whole records only.
    @Test func sameSeedSameBytesWithWholeRecords() throws {
      for seed in 1...4 {
        let options = ["--seed", "\(seed)", "--whole-records", "\(1 + seed % 2)", "--events", "60"]
        let one = try generate(options + ["--out", "\(scratch.path)/one"])
        #expect(one.code == 0, "\(one.errors)")
        #expect(try generate(options + ["--out", "\(scratch.path)/two"]).code == 0)
        #expect(try bytes("one") == bytes("two"))
        let printed = one.errors.split(whereSeparator: \.isWhitespace).map(String.init)
        #expect(printed.suffix(2) == ["--whole-records", "\(1 + seed % 2)"])
        #expect(try generate(printed + ["--out", "\(scratch.path)/three"]).code == 0)
        #expect(try bytes("three") == bytes("two"))
        let header = String(decoding: try bytes("one")[0].prefix { $0 != 0x0A }, as: UTF8.self)
        #expect(header.contains(#""role":"watch","records":"whole"}"#), "\(header)")
      }
    }

    @Test func linesAreAsTheirSchemasSay() throws {
      let folders = try (1...6).map { seed in
        let folder = "\(scratch.path)/\(seed)"
        let schema = ["todoTimers", "timeTracker", "none"][seed % 3]
        let network = seed > 3 ? "any" : "watchConnectivity"
        try generate(
          [
            "--seed", "\(seed)", "--schema", schema, "--network", network, "--faults",
            "loss,duplicate,reorder,delay,cut,restart,clock", "--events", "80", "--out", folder,
          ] + (seed == 3 ? ["--whole-records", "1"] : []))
        return folder
      }
      let script = """
        import json, sys, jsonschema
        load = lambda name: jsonschema.Draft202012Validator(
            json.load(open(f"{sys.argv[1]}/Protocol/schema/{name}.schema.json")))
        trace, expected = load("trace"), load("expected")
        for folder in sys.argv[2:]:
            lines = [json.loads(line) for line in open(f"{folder}/trace.ndjson", encoding="utf-8")]
            assert lines[0]["events"] == len(lines) - 1 and "do" not in lines[0]
            for line in lines:
                trace.validate(line)
            result = json.load(open(f"{folder}/expected.json", encoding="utf-8"))
            expected.validate(result)
            sends = [line["event"] for line in lines if line.get("do") == "send"]
            arrived = [name for names in result["deliveries"].values() for name in names]
            assert set(arrived) | set(result["reasons"]) == set(sends), folder
            assert not set(arrived) & set(result["reasons"]), folder
        print("valid")
        """
      let program = try Program(["python3", "-c", script, Self.root] + folders, in: scratch)
      #expect(try program.exitCode() == 0, "\(program.errors)")
      #expect(program.output == "valid\n")
    }

    static let misuses: [([String], String)] = [
      ([], "--out"), (["--out", "x"], "--seed"), (["--out", "x", "--seed", "-1"], "--seed"),
      (["--out", "x", "--seed", "1", "--devices", "9"], "--devices"),
      (["--out", "x", "--seed", "1", "--schema", "notes"], "--schema"),
      (["--out", "x", "--seed", "1", "--faults", "fire"], "--faults"),
      (["--out", "x", "--seed", "1", "--events", "none"], "--events"),
      (["--out", "x", "--seed", "1", "--whole-records", "4"], "--whole-records"),
      (["--out", "x", "--seed", "1", "--whole-records", "3"], "only 2"),
      (["--out", "x", "--seed", "1", "--whole-records", "2", "--devices", "2"], "only 1"),
      (["--out", "x", "--seed", "1", "--whole-records", "1", "--schema", "pomodoro"], "pomodoro"),
      (["--out", "x", "--seed", "1", "--whole-records", "1", "--network", "any"], "any"),
      (["--out", "/proc/nowhere/x", "--seed", "1"], "/proc/nowhere/x"),
    ]

    @Test(arguments: misuses) func misuseIsOneSentence(_ misuse: ([String], String)) throws {
      let result = try generate(misuse.0)
      #expect(result.code == 2)
      #expect(result.errors.hasPrefix("watchline: "))
      #expect(result.errors.contains(misuse.1), "\(result.errors)")
      #expect(result.errors.split(separator: "\n").count == 1)
    }

    // MARK: Replayers

    /// Every third one has a watch with whole records.
    private func fixtures(_ count: Int) throws -> [String] {
      try (1...count).map { seed in
        let folder = "\(scratch.path)/fixture\(seed)"
        let result = try generate([
          "--seed", "\(seed)", "--schema", "todoTimers", "--events", "60", "--out", folder,
          "--whole-records", seed % 3 == 0 ? "1" : "0",
        ])
        #expect(result.code == 0, "\(result.errors)")
        return folder
      }
    }

    /// A merge of fields ends as some correct merge may, one of whole records does not.
    @Test func pythonReplays() throws {
      let script = """
        import sys
        sys.path.insert(0, sys.argv[1])
        import field_level, whole_record
        from trace_replay import check, replay
        def knowing(Device):
            class Knowing(Device):
                def edit(self, now, kind, record, change):
                    if "splice" in change:
                        change = {"set": {change["splice"]["field"]: change["splice"]["result"]}}
                    if "move" not in change:
                        super().edit(now, kind, record, change)
            return Knowing
        for module in (field_level, whole_record):
            problems = []
            for folder in sys.argv[2:]:
                devices = replay(f"{folder}/trace.ndjson", knowing(module.Device))
                problems += check(f"{folder}/expected.json", devices)
            print(module.__name__, len(problems))
        made = []
        def whole(name, role, schema):
            made.append(role)
            return knowing(field_level.Device)(name, role, schema)
        for folder in sys.argv[2:]:
            replay(f"{folder}/trace.ndjson", knowing(field_level.Device), whole)
        print(*made)
        """
      let program = try Program(
        ["python3", "-B", "-c", script, Self.root + "/Tools/Examples"] + fixtures(8), in: scratch)
      #expect(try program.exitCode() == 0, "\(program.errors)")
      let lines = program.output.split(separator: "\n")
      #expect(lines.first == "field_level 0")
      #expect(lines.count == 3 && lines[1] != "whole_record 0", "\(lines)")
      #expect(lines.last == "watch watch")
    }

    @Test func swiftReplays() throws {
      let main = "\(scratch.path)/main.swift"
      try Self.tinyMerge.write(toFile: main, atomically: true, encoding: .utf8)
      let built = scratch.path + "/replay"
      let compiler = try Program(
        ["swiftc", Self.root + "/Tools/Examples/TraceReplay.swift", main, "-o", built],
        in: scratch)
      #expect(try compiler.exitCode(within: 300) == 0, "\(compiler.errors)")
      let program = try Program([built] + fixtures(8), in: scratch)
      #expect(try program.exitCode() == 0, "\(program.errors)")
      let numbers = program.output.split(separator: " ").compactMap { Int($0) }
      #expect(
        numbers.count == 3 && numbers[0] == 0 && numbers[1] > 0 && numbers[2] == 2,
        "\(program.output)")
    }

    /// Fields by last write; where `isForgetful`, what comes in replaces everything.
    private static let tinyMerge = """
      import Foundation

      struct Device: ReplayedDevice {
        let name: String
        let isForgetful: Bool
        var clock: Int64 = 0
        var fields: [String: [Any]] = [:]

        func isNewer(_ one: [Any], _ other: [Any]) -> Bool {
          let (left, right) = ((one[0] as! NSNumber).int64Value, (other[0] as! NSNumber).int64Value)
          return left != right ? left > right : (one[1] as! String) > (other[1] as! String)
        }

        mutating func put(_ key: String, _ field: [Any]) {
          clock = max(clock, (field[0] as! NSNumber).int64Value)
          if !isForgetful, let known = fields[key], !isNewer(field, known) { return }
          fields[key] = field
        }

        mutating func edit(now: Int64, kind: String, record: String, change: [String: Any]) {
          if change["move"] != nil { return }
          var values = (change["create"] ?? change["set"]) as? [String: Any] ?? [:]
          if let splice = change["splice"] as? [String: Any] {
            values[splice["field"] as! String] = splice["result"]
          }
          values[""] = change["delete"] == nil
          let time = NSNumber(value: max(now, clock + 1))
          for (field, value) in values { put("\\(kind)/\\(record)/\\(field)", [time, name, value]) }
        }

        func snapshot() -> Any { fields }

        mutating func receive(_ body: Any, from device: String) {
          for (key, field) in body as! [String: [Any]] { put(key, field) }
        }

        func state() -> [String: [[String: Any]]] {
          var kinds: [String: [String: [String: Any]]] = [:]
          for (key, field) in fields {
            let parts = key.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
            guard fields["\\(parts[0])/\\(parts[1])/"]![2] as! Bool else { continue }
            let value = parts[2].isEmpty ? parts[1] : field[2]
            kinds[parts[0], default: [:]][parts[1], default: [:]][
              parts[2].isEmpty ? "id" : parts[2]] = value
          }
          return kinds.mapValues { $0.sorted { $0.key < $1.key }.map(\\.value) }
        }
      }

      for isForgetful in [false, true] {
        var problems: [String] = []
        for folder in CommandLine.arguments.dropFirst() {
          let url = URL(fileURLWithPath: folder)
          let trace = try TraceReplay(contentsOf: url.appendingPathComponent("trace.ndjson"))
          let devices = try trace.run { name, _ in Device(name: name, isForgetful: isForgetful) }
          problems += try trace.problems(
            expected: url.appendingPathComponent("expected.json"), devices)
        }
        print(problems.count, terminator: " ")
      }
      let traces = try CommandLine.arguments.dropFirst().map {
        try TraceReplay(contentsOf: URL(fileURLWithPath: $0).appendingPathComponent("trace.ndjson"))
      }
      print(traces.count { $0.wholeRecords.count == 1 }, terminator: "")
      """
  }
}
