import Glibc
import JetStream
import LoopbackSupport
import Testing

@testable import Storage

/// Nodes and streams that are not as they have to be: each gets a sentence that says what to do.
@Suite struct JetStreamTests {
  private static func settings(_ nodes: Nodes) -> JetStreamSettings {
    var settings = JetStreamSettings(servers: nodes.servers)
    settings.replicas = 1
    return settings
  }

  private func refusal(_ settings: JetStreamSettings) -> StoreError? {
    #expect(throws: StoreError.self) { try JetStream(settings) }
  }

  @Test func noNode() throws {
    let port = try FreePorts.draw(1)[0]
    let error = refusal(JetStreamSettings(servers: "nats://127.0.0.1:\(port)"))
    #expect(error?.kind == .cannotOpen)
    #expect(
      error?.message.contains("no NATS server can be reached there") == true, "\(error as Any)")
  }

  @Test func noJetStream() throws {
    let nodes = try Nodes(jetStream: nil)
    let error = refusal(Self.settings(nodes))
    #expect(
      error?.message.contains("JetStream is off; start the nodes with --jetstream") == true,
      "\(error as Any)")
  }

  @Test func tooFewNodes() throws {
    let nodes = try Nodes()
    let error = refusal(JetStreamSettings(servers: nodes.servers))
    #expect(
      error?.message.contains(
        "it wants 3 nodes in one cluster; start as many, or give --replicas 1") == true,
      "\(error as Any)")
  }

  /// Of three nodes one is left, which is no majority.
  @Test func noLeader() throws {
    let nodes = try Nodes(3)
    for number in 1...2 { nodes.kill(number) }
    let error = refusal(JetStreamSettings(servers: nodes.servers))
    #expect(
      error?.message.contains(
        "no node runs JetStream (nats-server --jetstream), or they have no leader") == true,
      "\(error as Any)")
  }

  @Test func anotherNumberOfShards() throws {
    let nodes = try Nodes()
    _ = try JetStream(Self.settings(nodes))
    var settings = Self.settings(nodes)
    settings.shards = 64
    let error = refusal(settings)
    #expect(error?.kind == .notOurs)
    #expect(
      error?.message.contains("the cluster has another number of shards") == true, "\(error as Any)"
    )
    settings.shards = 1
    settings.replicas = 3
    #expect(refusal(settings)?.message.contains("it has 1 replicas") == true)
  }

  /// Somebody has made the stream by hand.
  @Test(arguments: [
    (#""storage": "memory""#, "keeps its messages in memory"),
    (#""discard": "old""#, "makes room by forgetting old messages"),
    (#""max_age": 1000000000000"#, "forgets messages by age"),
    (#""retention": "interest""#, "forgets messages that somebody has read"),
    (#""allow_direct": false"#, "does not allow direct reads"),
    (#""no_ack": true"#, "acknowledges nothing"),
    (#""description": "mine""#, "somebody else made it"),
  ])
  func aStreamOfSomebodyElse(change: String, sentence: String) throws {
    let nodes = try Nodes()
    var members = [
      "name": #""WL_0""#, "subjects": #"["watchline.log.0"]"#, "storage": #""file""#,
      "retention": #""limits""#, "discard": #""new""#, "num_replicas": "1", "allow_direct": "true",
      "description": "\"\(JetStreamSettings(servers: "").description)\"",
    ]
    let parts = change.split(separator: ":", maxSplits: 1)
    members[String(parts[0].dropFirst().dropLast())] = String(parts[1])
    try nodes.ask(
      "$JS.API.STREAM.CREATE.WL_0",
      "{" + members.map { "\"\($0.key)\": \($0.value)" }.joined(separator: ", ") + "}")
    let error = refusal(Self.settings(nodes))
    #expect(error?.kind == .notOurs && error?.message.contains(sentence) == true, "\(error as Any)")
  }

  /// A node that is stopped gives no answer, and is not waited for without end.
  @Test func aNodeThatIsStopped() throws {
    let nodes = try Nodes()
    let log = try JetStream(Self.settings(nodes))
    #expect(log.append([1], behind: 0, patience: 2_000_000) == .appended)
    try nodes.freeze(0)
    let before = monotonicNanoseconds()
    guard case .unanswered = log.append([2], behind: 1, patience: 200_000) else {
      Issue.record("an answer of a node that is stopped")
      return
    }
    #expect(throws: SharedLogSilence.self) { try log.read(behind: 0, patience: 200_000) }
    #expect(monotonicNanoseconds() - before < 2_000_000_000)
    nodes.thaw(0)
    // What was sent has come through; a second one does not.
    var piece = SharedLogPiece(first: 1)
    let deadline = monotonicNanoseconds() + 20_000_000_000
    while piece.entries.count < 2, monotonicNanoseconds() < deadline {
      _ = log.append([2], behind: 1, patience: 500_000)
      piece = (try? log.read(behind: 0, patience: 500_000)) ?? piece
    }
    #expect(piece.entries == [[1], [2]])
    #expect(log.append([2], behind: 1, patience: 2_000_000) == .refused)
  }

  /// The stream is gone: there is no answer, and nothing is begun anew.
  @Test func aStreamThatIsDeleted() throws {
    let nodes = try Nodes()
    let log = try JetStream(Self.settings(nodes))
    #expect(log.append([1], behind: 0, patience: 2_000_000) == .appended)
    try nodes.ask("$JS.API.STREAM.DELETE.WL_0", "")
    let answer = log.append([2], behind: 1, patience: 500_000)
    #expect(
      answer
        == .unanswered(SharedLogSilence("nobody keeps the stream: it is gone, or its nodes are")))
    #expect(throws: SharedLogSilence.self) { try log.read(behind: 0, patience: 500_000) }
  }

  /// The disk that the node may use is full; what is trimmed makes room.
  @Test func aNodeThatIsFull() throws {
    let nodes = try Nodes(jetStream: "max_file_store: 4MB")
    let log = try JetStream(Self.settings(nodes))
    let entry = [UInt8](repeating: 7, count: 500_000)
    var last: UInt64 = 0
    var answer = SharedLogAnswer.appended
    while answer == .appended, last < 100 {
      answer = log.append(entry, behind: last, patience: 2_000_000)
      if answer == .appended { last += 1 }
    }
    guard case .unanswered(let silence) = answer else {
      Issue.record("\(answer) behind \(last)")
      return
    }
    #expect(silence.reason.contains("full"), "\(silence)")
    #expect(last >= 5)
    log.trim(through: last)
    #expect(log.append(entry, behind: last, patience: 2_000_000) == .appended)
  }
}
