import Testing
import TranscriptSupport

extension ProcessTests {
  /// The transcripts of `Protocol/transcripts` with the real binary, over TCP.
  @Suite struct TranscriptProcessTests {
    private static let transcripts: [Transcript] = try! Transcript.all(in: Transcript.folder)

    @Test(arguments: transcripts)
    func overTCP(_ transcript: Transcript) throws {
      var runner = TranscriptRunner(try TCPTranscriptServer(transcript))
      try runner.run(transcript)
    }
  }
}

/// `watchline-server` with a manual clock and a directory of its own, as a transcript's runner
/// sees it.
private struct TCPTranscriptServer: TranscriptServer {
  private let scratch: Scratch
  private let arguments: [String]
  private var server: ServerProcess
  private var clients: [LineClient] = []
  /// Greetings, which a client has read already, by connection.
  private var greetings: [Int: [UInt8]] = [:]

  init(_ transcript: Transcript) throws {
    let limits = transcript.limits.map { "\($0.name)=\($0.value)" }.joined(separator: ",")
    scratch = try Scratch()
    var arguments = ["--clock", "manual"] + (limits.isEmpty ? [] : ["--limits", limits])
    if let tokens = transcript.tokens { arguments += ["--tokens", try scratch.tokens(tokens)] }
    if let schema = transcript.schema { arguments += ["--schema", try scratch.schema(schema)] }
    self.arguments = arguments
    server = try ServerProcess(scratch, arguments)
  }

  mutating func open() throws -> Int {
    let client = try server.client()
    clients.append(client)
    greetings[clients.count - 1] = client.hello.map { Array($0.text.utf8) }
    return clients.count - 1
  }

  func send(_ bytes: [UInt8], on connection: Int) throws {
    try clients[connection].send(bytes: bytes)
  }

  mutating func nextLine(on connection: Int) throws -> [UInt8]? {
    try greetings.removeValue(forKey: connection) ?? clients[connection].bytes()
  }

  func isClosed(_ connection: Int) -> Bool { clients[connection].hasEnded }

  func end(_ connection: Int) { clients[connection].endOutput() }

  /// With a reset: a mere end of input would leave the server owing what it owes.
  func close(_ connection: Int) { clients[connection].reset() }

  mutating func restart() throws {
    let code = try server.terminate()
    guard code == 0 else { throw Failure("the server ended with \(code): \(server.log)") }
    server = try ServerProcess(scratch, arguments)
  }

  mutating func kill() throws {
    server.kill()
    server = try ServerProcess(scratch, arguments)
  }
}
