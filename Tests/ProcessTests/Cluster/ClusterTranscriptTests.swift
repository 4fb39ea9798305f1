import Foundation
import Seeded
import Testing
import TranscriptSupport

extension ProcessTests {
  /// The transcripts of `Protocol/transcripts` against three servers with four shards, each connection to a server that is
  /// drawn: the same lines as from one that is alone.
  ///
  /// A manual clock is for a server alone, so those are not among them that move it, or name a moment; nor those that
  /// start a server anew, which the other two outlive (`ClusterKillTests`).
  @Suite struct ClusterTranscriptTests {
    private static let transcripts: [Transcript] = try! Transcript.all(in: Transcript.folder)
      .filter { transcript in
        transcript.name != "15-operator" && !transcript.needsClock && !transcript.startsAnew
      }

    /// Those with the same limits, tokens and schema share servers, which forget each one's pairs behind it.
    @Test func atThreeServers() throws {
      #expect(Self.transcripts.count > 80)
      let groups = Dictionary(grouping: Self.transcripts) { transcript in
        "\(transcript.limits) \(transcript.tokens ?? []) \(transcript.schema ?? [])"
      }
      for (_, group) in groups.sorted(by: { $0.key < $1.key }) {
        let site = try ClusterTranscriptServer.site(group[0])
        for transcript in group {
          let server = ClusterTranscriptServer(site, seed: UInt64(transcript.steps.count))
          var runner = TranscriptRunner(server)
          do {
            try runner.run(transcript)
          } catch {
            Issue.record("\(error)")
          }
          server.leave()
          if group.count > 1 { try server.forgetPairs() }
        }
        #expect(try site.stop() == [0, 0, 0])
      }
    }
  }
}

extension Transcript {
  /// It moves the clock, or expects that it stands still.
  fileprivate var needsClock: Bool {
    steps.contains { step in
      switch step.action {
      case .send(_, let text): text.contains("advance")
      case .receive(_, let line): "\(line)".contains("978307")
      default: false
      }
    }
  }

  fileprivate var startsAnew: Bool {
    steps.contains { step in
      switch step.action {
      case .restart, .kill: true
      default: false
      }
    }
  }
}

/// Three servers, as a transcript's runner sees them.
private final class ClusterTranscriptServer: TranscriptServer {
  private let site: ClusterSite
  private var random: SplitMix64
  private var clients: [LineClient] = []
  /// Greetings, which a client has read already, by connection.
  private var greetings: [Int: [UInt8]] = [:]
  private static let shards = 4

  static func site(_ transcript: Transcript) throws -> ClusterSite {
    let scratch = try Scratch()
    let limits = transcript.limits.map { "\($0.name)=\($0.value)" }.joined(separator: ",")
    var arguments = ["--shards", "\(shards)"] + (limits.isEmpty ? [] : ["--limits", limits])
    if let tokens = transcript.tokens { arguments += ["--tokens", try scratch.tokens(tokens)] }
    if let schema = transcript.schema { arguments += ["--schema", try scratch.schema(schema)] }
    let site = try ClusterSite(scratch, .nodes(1), servers: 3, more: arguments)
    try site.balance(shards)
    return site
  }

  init(_ site: ClusterSite, seed: UInt64) {
    self.site = site
    random = SplitMix64(seed: seed)
  }

  func open() throws -> Int {
    let client = try site.server(&random).client()
    clients.append(client)
    greetings[clients.count - 1] = client.hello.map { Array($0.text.utf8) }
    return clients.count - 1
  }

  func send(_ bytes: [UInt8], on connection: Int) throws {
    try clients[connection].send(bytes: bytes)
  }

  func nextLine(on connection: Int) throws -> [UInt8]? {
    try greetings.removeValue(forKey: connection) ?? clients[connection].bytes()
  }

  func isClosed(_ connection: Int) -> Bool { clients[connection].hasEnded }

  func end(_ connection: Int) { clients[connection].endOutput() }

  func close(_ connection: Int) { clients[connection].reset() }

  func restart() throws { throw Failure("servers that are several are not started anew") }
  func kill() throws { try restart() }

  func leave() {
    for client in clients where !client.hasEnded { client.reset() }
  }

  /// Erases what a transcript has left.
  func forgetPairs() throws {
    for shard in 0..<Self.shards {
      let client = try site.server(&random).client()
      let list = try client.request(["type": "listPairs", "shard": shard, "limit": 1_000])
      for pair in list.members["pairs"] as? [[String: Any]] ?? [] {
        let (app, name) = (pair["app"] ?? "", pair["pair"] ?? "")
        let answer = try client.request(["type": "listDevices", "app": app, "pair": name])
        guard let device = (answer.members["devices"] as? [[String: Any]])?.first else { continue }
        let eraser = try site.server(&random).client()
        try eraser.send([
          "type": "activate", "app": app, "pair": name, "role": device["role"] ?? "",
          "device": device["device"] ?? "",
        ])
        try eraser.expect("activationDidComplete")
        let erased = try eraser.request(["type": "forgetPair", "erase": true])
        #expect(erased.type == "accepted", "\(erased)")
        eraser.close()
      }
      client.close()
    }
  }
}
