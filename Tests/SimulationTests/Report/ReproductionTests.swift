import Foundation
import Simulation
import Testing

/// `Reproduce.swift`, seen by the compiler and run.
@Suite struct ReproductionTests {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("watchline-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// Runs a program; its status and what it said.
  private func run(
    _ words: [String], environment: [String: String] = [:]
  ) throws -> (status: Int32, said: String) {
    let log = folder.appendingPathComponent("log")
    try Data().write(to: log)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = environment.map { "\($0.key)=\($0.value)" } + words
    let output = try FileHandle(forWritingTo: log)
    process.standardOutput = output
    process.standardError = output
    try process.run()
    process.waitUntilExit()
    return (
      process.terminationStatus, String(decoding: try Data(contentsOf: log), as: UTF8.self)
    )
  }

  private var toolchain: String? {
    guard let found = try? run(["sh", "-c", "readlink -f \"$(command -v swiftc)\""]) else {
      return nil
    }
    return found.said.components(separatedBy: "/bin/").first
  }

  @Test(arguments: [false, true])
  func compiles(isXCTest: Bool) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    var random = RandomReport(seed: 3)
    var other = Samples.lostEdit
    other.trace.seed += 1
    // All of them in one target.
    var files: [String] = []
    for (number, report) in [Samples.lostEdit, other, random.report()].enumerated() {
      let file = folder.appendingPathComponent("Reproduce\(number).swift")
      try Data(report.test.utf8).write(to: file)
      files.append(file.path)
    }
    let plugins = try #require(toolchain) + "/lib/swift/host/plugins/testing"
    let checked = try run(
      ["swiftc", "-typecheck", "-swift-version", "6", "-plugin-path", plugins] + files
        + (isXCTest ? ["-D", "WATCHLINE_XCTEST"] : []))
    #expect(checked.status == 0, "\(checked.said)")
  }

  /// The trace in it is the trace, and its status is that of the program that plays it.
  @Test func playsTheTrace() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    var random = RandomReport(seed: 11)
    var report = random.report()
    while report.trace.events.isEmpty { report = random.report() }
    report.arguments = ["--against", "command:a 'b' \"#\" \\(c) \u{301}"]
    // Its tests are replaced by a main program; the rest is as it is.
    let source = report.test
    let start = try #require(source.range(of: "/// By hand"))
    let enumeration = try #require(
      source.range(of: "private enum ", range: start.upperBound..<source.endIndex))
    let end = try #require(
      source.range(of: "\n#if", range: enumeration.upperBound..<source.endIndex))
    let name = source[enumeration.upperBound...].prefix { $0 != " " }
    let program = """
      import Foundation
      \(source[enumeration.lowerBound..<end.lowerBound])
      let run = try \(name).play()
      FileHandle.standardOutput.write(Data(run.said.utf8))
      exit(run.status)
      """
    let main = folder.appendingPathComponent("main.swift")
    try Data(program.utf8).write(to: main)
    let binary = folder.appendingPathComponent("main").path
    let compiled = try run(["swiftc", "-Onone", "-o", binary, main.path])
    try #require(compiled.status == 0, "\(compiled.said)")

    // Stands for `watchline`: it says what it was asked, and fails.
    let stand = folder.appendingPathComponent("watchline")
    let script = "#!/bin/sh\nprintf '%s|%s|%s|' \"$1\" \"$3\" \"$4\"\ncat \"$2\"\nexit 1\n"
    try Data(script.utf8).write(to: stand)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: stand.path)
    let played = try run([binary], environment: ["WATCHLINE": stand.path])
    #expect(played.status == 1)
    let trace = String(decoding: report.trace.ndjson, as: UTF8.self)
    let expected = "replay|--against|\(report.arguments[1])|\(trace)"
    #expect(played.said.utf8.elementsEqual(expected.utf8), "\(played.said)")
  }

  /// A shell makes of the command what was meant.
  @Test func theCommandIsQuoted() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    for seed in 1...12 as ClosedRange<UInt64> {
      var random = RandomReport(seed: seed)
      var report = random.report()
      report.arguments = report.arguments.map { $0.replacing("\u{0}", with: "") }
      report.folder = report.folder.replacing("\u{0}", with: "")
      let script = folder.appendingPathComponent("script")
      let command = report.command.dropFirst("watchline ".count)
      try Data("printf '%s\\0' \(command)\n".utf8).write(to: script)
      let said = try run(["sh", script.path]).said
      let expected = (["replay", report.path("trace.ndjson")] + report.arguments)
        .map { $0 + "\u{0}" }.joined()
      #expect(said.utf8.elementsEqual(expected.utf8), "seed \(seed)")
    }
  }
}
