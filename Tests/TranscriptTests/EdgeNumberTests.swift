import RelaySupport
import Testing
import TranscriptSupport
import Wire

/// Numbers from outside end nothing: each number of each line of every dialogue, also where it stands
/// within a string, is replaced by those at the edges of what a number can be, and sent several times, so
/// that sums are met as well. An overflow would end the test's process.
@Suite struct EdgeNumberTests {
  /// Around 0, the widths of machine integers, the numbers that a double holds exactly, the protocol's own
  /// limits, and what is no machine number at all.
  private static let edges = [
    "0", "-1", "65536", "2147483648", "4294967296", "17592186044416", "9007199254740993",
    "253402300799999", "1000000000", "9223372036854775806", "9223372036854775807",
    "9223372036854775808", "-9223372036854775808", "18446744073709551615",
    "99999999999999999999999999999999999999", "1e308", "1e-308", "9223372036854775807.5",
  ]

  /// The same of every number that the descriptions of the requests know, in a session of either role.
  @Test(arguments: MessageDescription.requests.map(\.name))
  func noMemberEndsTheRelay(_ name: String) throws {
    let request = MessageDescription.requests.first { $0.name == name }!
    let members = request.members.filter { $0.type.mayBeNumber }
    guard !members.isEmpty else { return }
    for role in ["phone", "watch"] {
      let world = try World()
      for other in ["phone", "watch"] { world.send("activate pair=p role=\(other)", on: other) }
      world.send("hold", on: role)
      world.send("transferUserInfo payload={\"a\":1} n=1", on: role)
      world.send("sync.open schema=todoTimers", on: role)
      for edge in Self.edges {
        for member in members {
          let others = request.example.split(separator: " ").filter {
            !$0.hasPrefix(member.name + "=")
          }
          let line = others.joined(separator: " ") + " \(member.name)=\(edge)"
          for _ in 1...3 { world.send(line, on: role) }
        }
      }
      try world.kill()
      world.send("ping id=1", on: "bystander")
      #expect(world.client("bystander").takeLines().last?.contains("pong") == true)
    }
  }

  @Test(arguments: TranscriptTests.transcripts)
  func nothingEndsTheRelay(_ transcript: Transcript) throws {
    let recording = Recording()
    var runner = TranscriptRunner(try RecordingServer(transcript, recording))
    try runner.run(transcript)
    for edge in Self.edges { try play(recording.steps, of: transcript, edge) }
  }

  private func play(_ steps: [Recording.Step], of transcript: Transcript, _ edge: String) throws {
    var server = try WorldServer(transcript)
    // Somebody else, who must not notice.
    server.world.send("activate pair=bystander role=phone", on: "bystander")
    for step in steps {
      switch step {
      case .open: _ = server.open()
      case .send(let bytes, let connection):
        for mutant in Self.mutants(of: bytes, edge) {
          for _ in 1...2 { server.send(mutant, on: connection) }
        }
        server.send(bytes, on: connection)
      case .end(let connection): server.end(connection)
      case .close(let connection): server.close(connection)
      case .restart: try server.restart()
      case .kill: try server.kill()
      }
    }
    try server.kill()
    let world = server.world
    world.send("ping id=1", on: "bystander")
    #expect(world.client("bystander").takeLines().last?.contains("pong") == true)
  }

  /// The line with one of its numbers replaced, once for each number.
  private static func mutants(of line: [UInt8], _ edge: String) -> [[UInt8]] {
    // Lines that the runner itself asks with.
    guard line.count < 4_096, line.firstRange(of: Array("\"quiet ".utf8)) == nil else { return [] }
    return numbers(in: line).map { range in
      Array(line[..<range.lowerBound]) + edge.utf8 + line[range.upperBound...]
    }
  }

  /// Where digits stand that belong to no word.
  private static func numbers(in line: [UInt8]) -> [Range<Int>] {
    func isWord(_ byte: UInt8) -> Bool {
      (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
    }
    var found: [Range<Int>] = []
    var index = 0
    while index < line.count {
      guard isWord(line[index]) else {
        index += 1
        continue
      }
      let start = index
      while index < line.count, isWord(line[index]) { index += 1 }
      if line[start..<index].allSatisfy({ (0x30...0x39).contains($0) }) {
        found.append(start..<index)
      }
    }
    return found
  }
}

extension MemberType {
  /// Whether a number is one of the things that the member may be.
  fileprivate var mayBeNumber: Bool {
    switch self {
    case .integer, .seconds, .moment, .identifier, .digits: true
    case .either(let types): types.contains { $0.mayBeNumber }
    default: false
    }
  }
}

/// What a runner did with a server.
private final class Recording {
  enum Step {
    case open
    case send([UInt8], Int)
    case end(Int)
    case close(Int)
    case restart
    case kill
  }
  var steps: [Step] = []
}

/// A world that writes down what is done with it.
private struct RecordingServer: TranscriptServer {
  private var server: WorldServer
  private let recording: Recording

  init(_ transcript: Transcript, _ recording: Recording) throws {
    server = try WorldServer(transcript)
    self.recording = recording
  }

  mutating func open() -> Int {
    recording.steps.append(.open)
    return server.open()
  }

  func send(_ bytes: [UInt8], on connection: Int) {
    recording.steps.append(.send(bytes, connection))
    server.send(bytes, on: connection)
  }

  func nextLine(on connection: Int) -> [UInt8]? { server.nextLine(on: connection) }

  func isClosed(_ connection: Int) -> Bool { server.isClosed(connection) }

  func end(_ connection: Int) {
    recording.steps.append(.end(connection))
    server.end(connection)
  }

  func close(_ connection: Int) {
    recording.steps.append(.close(connection))
    server.close(connection)
  }

  func restart() throws {
    recording.steps.append(.restart)
    try server.restart()
  }

  func kill() throws {
    recording.steps.append(.kill)
    try server.kill()
  }
}
