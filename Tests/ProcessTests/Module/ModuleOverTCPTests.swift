import Foundation
import LoopbackSupport
import Seeded
import Testing

/// Two apps, each a process, which talk by `import WatchConnectivity` over a server.
@Suite struct ModuleOverTCPTests {
  /// An app's process, which can be ended and started again.
  final class App {
    let role: String
    let log: String
    private let scratch: Scratch
    private let environment: [String]
    private let count: Int
    private(set) var program: Program

    init(_ role: String, port: Int, pair: String = "demo", count: Int, in scratch: Scratch) throws {
      self.role = role
      self.scratch = scratch
      self.count = count
      log = "\(scratch.path)/\(role)-\(UUID().uuidString).log"
      environment = [
        "WATCHLINE_SERVER=127.0.0.1:\(port)", "WATCHLINE_ROLE=\(role)", "WATCHLINE_PAIR=\(pair)",
        "WATCHLINE_STORE=\(scratch.path)/\(role).ndjson",
      ]
      program = try Self.start(environment, log, count, scratch)
    }

    private static func start(
      _ environment: [String], _ log: String, _ count: Int, _ scratch: Scratch
    ) throws -> Program {
      try Program(
        ["env"] + environment + [Program.products + "/module-app", log, "\(count)"], in: scratch)
    }

    func restart() throws {
      program.kill()
      program = try Self.start(environment, log, count, scratch)
    }

    var lines: [String] {
      ((try? String(contentsOfFile: log, encoding: .utf8)) ?? "").split(separator: "\n").map(
        String.init)
    }

    func numbers(_ word: String) -> [Int] {
      lines.filter { $0.hasPrefix(word + " ") }.compactMap { Int($0.dropFirst(word.count + 1)) }
    }

    /// How often it has written down what, for a failure.
    var summary: String {
      let counts = Dictionary(grouping: lines) { $0.split(separator: " ")[0] }.mapValues {
        "\(Set($0).count) of \($0.count)"
      }
      return "\(role) \(counts)"
    }

    /// Those numbers, each where it came first.
    func firsts(_ word: String) -> [Int] {
      var seen: Set<Int> = []
      return numbers(word).filter { seen.insert($0).inserted }
    }
  }

  /// Makes the two a pair: before that every send is 7005.
  private static func form(port: Int, in scratch: Scratch) throws {
    let apps = try ["phone", "watch"].map { try App($0, port: port, count: 0, in: scratch) }
    try eventually("both are there") {
      apps.allSatisfy { $0.lines.contains { $0.hasPrefix("activated 2") } }
    }
    for app in apps { app.program.kill() }
  }

  private static func server(_ scratch: Scratch, port: Int) throws -> Program {
    try Program(
      [
        ServerProcess.path, "--listen", "127.0.0.1:\(port)", "--data", scratch.data, "--log-level",
        "error",
      ], in: scratch)
  }

  @Test func nothingIsLostWhateverIsKilled() throws {
    let scratch = try Scratch()
    let port = try FreePorts.draw(1)[0]
    let first = try ServerProcess(scratch, port: port)
    try Self.form(port: port, in: scratch)
    first.kill()
    var server = try Self.server(scratch, port: port)
    let count = 300
    let phone = try App("phone", port: port, count: count, in: scratch)
    let watch = try App("watch", port: port, count: count, in: scratch)
    var dice = SplitMix64(seed: 21)
    for round in 0..<12 {
      usleep(50_000 + UInt32(dice.below(150_000)))
      switch round % 3 {
      case 0:
        server.kill()
        usleep(UInt32(dice.below(100_000)))
        server = try Self.server(scratch, port: port)
      case 1: try phone.restart()
      default: try watch.restart()
      }
    }
    let all = Array(1...count)
    try eventually(
      within: 30, "all came; \([phone, watch].map(\.summary)) \(phone.program.errors)"
    ) {
      [phone, watch].allSatisfy { app in
        Set(app.numbers("got")).count == count && Set(app.numbers("finished")).count == count
          && app.lines.contains { $0.hasPrefix("file 300000") }
      }
    }
    for app in [phone, watch] {
      #expect(app.firsts("got") == all, "in order, none left out")
      #expect(app.firsts("finished").sorted() == all)
      #expect(app.numbers("failed") == [])
      #expect(app.lines.contains("file 300000 true"))
      #expect(app.numbers("context").last == count, "the newest context")
      #expect(!app.lines.contains { $0.hasPrefix("error") })
    }
    withExtendedLifetime(server) {}
  }

  /// What an app hands over while no server runs is sent by its next process.
  @Test func whatWasNeverSentOutlivesItsProcess() throws {
    let scratch = try Scratch()
    let port = try FreePorts.draw(1)[0]
    let first = try ServerProcess(scratch, port: port)
    try Self.form(port: port, in: scratch)
    first.kill()
    let sender = try App("phone", port: port, count: 20, in: scratch)
    try eventually("it has sent") { sender.lines.contains("done") }
    #expect(sender.program.errors.contains("no server answers at 127.0.0.1:\(port)"))
    sender.program.kill()
    let phone = try App("phone", port: port, count: 0, in: scratch)
    let watch = try App("watch", port: port, count: 0, in: scratch)
    let server = try Self.server(scratch, port: port)
    try eventually(within: 20, "all came; \(phone.program.errors)") {
      watch.firsts("got") == Array(1...20)
        && Set(phone.numbers("finished")) == Set(1...20)
    }
    withExtendedLifetime(server) {}
  }

  @Test func aSecondProcessOfADeviceIsTold() throws {
    let scratch = try Scratch()
    let server = try ServerProcess(scratch)
    let phone = try App("phone", port: server.port, count: 0, in: scratch)
    try eventually("it is active") { phone.lines.contains { $0.hasPrefix("activated 2") } }
    let second = try App("phone", port: server.port, count: 0, in: scratch)
    try eventually("it is told") {
      second.lines.contains {
        $0.hasPrefix("activated 0") && $0.contains("in use by another process")
      }
    }
    #expect(second.program.errors.contains("a device runs in one process at a time"))
    #expect(!phone.lines.contains("deactivated"))
  }

  /// A wrong setting is a sentence, and no hang.
  @Test(arguments: [
    (["WATCHLINE_SERVER=nowhere", "WATCHLINE_ROLE=phone"], "has to be HOST:PORT"),
    (["WATCHLINE_ROLE=tablet"], "has to be phone or watch"),
    (["WATCHLINE_SERVER=127.0.0.1:9"], "set WATCHLINE_ROLE"),
  ]) func settings(_ environment: [String], _ sentence: String) throws {
    let scratch = try Scratch()
    let program = try Program(
      ["env"] + environment + [Program.products + "/module-app", "\(scratch.path)/log", "0"],
      in: scratch)
    #expect(try program.exitCode() != 0)
    #expect(program.errors.contains(sentence))
  }
}
