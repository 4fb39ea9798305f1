internal import EventLoop
internal import TLS
internal import Usage
internal import Wire

/// What the commands for whoever keeps a server are told alike.
struct OperatorOptions {
  var endpoint = Endpoints.standard
  var tls: TLSOptions?
  /// The last member of a request that is about all pairs, with its comma; nothing where that is not said.
  var shard = ""

  static let options = TLSOptions.options
  static let shardOption = Option(
    "shard", value: "N", "whose pairs, from 0, where servers share several shards")
  static let operands = "[HOST:PORT,…]"
  static let notes = """
    HOST:PORT is \(Endpoint.standard) where left out; of several, the first that answers. A server with tokens wants one with the grant admin, in
    WATCHLINE_TOKEN: watchline token create --pair none --grant admin
    """

  init(_ arguments: Arguments) throws(UsageError) {
    if let server = arguments.operands.first { endpoint = try Endpoints(server) }
    tls = try TLSOptions(arguments)
    if let number = try arguments.integer("shard", in: 0...255) { shard = ",\"shard\":\(number)" }
  }
}

/// Asks a server one request after the other, and ends when there is none left.
///
/// ```
/// connect ─▶ hello ─▶ (authenticate) ─▶ ask ─▶ answer ─▶ ask … ─▶ finish
/// ```
final class OperatorLink {
  /// How long the server may take for an answer, in microseconds.
  private static let patience: Int64 = 10_000_000

  let loop: EventLoop
  private let options: OperatorOptions
  private let tls: TLSContext?
  private var connection: ServerConnection!
  private var lines = LineSplitter()
  private var waiting: [(line: String, then: (Members) -> Void)] = []
  private var answer: ((Members) -> Void)?
  private var limit: Timer!
  private var ending: Ending?
  /// What comes without being asked for each time.
  var news: ((Members) -> Void)?

  init(_ options: OperatorOptions, _ tls: TLSContext?, loop: EventLoop) {
    self.options = options
    self.tls = tls
    self.loop = loop
    limit = Timer(loop: loop) { [unowned self] in
      fail("\(options.endpoint) has not answered for \(Self.patience / 1_000_000) s")
    }
  }

  /// Asks what `begin` asks, and what the answers lead to, until `finish`.
  func run(_ begin: () -> Void) throws(UVError) -> Ending {
    do throws(ConnectionFailure) {
      connection = try ServerConnection(options.endpoint, tls, loop: loop, handler: self)
      if let line = authentication { ask(String(decoding: line, as: UTF8.self)) { _ in } }
      limit.start(after: Self.patience)
      begin()
      try run()
    } catch {
      limit.close()
      return Ending(1, "\(options.endpoint): \(error.message)")
    }
    return ending ?? Ending(1, "\(options.endpoint) has closed the connection")
  }

  private func run() throws(ConnectionFailure) {
    do throws(UVError) {
      try loop.run()
    } catch {
      throw ConnectionFailure(error)
    }
  }

  /// Sends a request when those before it are answered.
  func ask(_ line: String, then: @escaping (Members) -> Void) {
    waiting.append((line, then))
    askNext()
  }

  private func askNext() {
    guard ending == nil, answer == nil, isOpen, !connection.isWriting, !waiting.isEmpty else {
      return
    }
    let next = waiting.removeFirst()
    answer = next.then
    limit.start(after: Self.patience)
    connection.write(Array((next.line + "\n").utf8))
  }

  private var isOpen = false

  func finish(_ ending: Ending) {
    guard self.ending == nil else { return }
    self.ending = ending
    limit.close()
    connection.close()
    loop.stop()
  }

  private func fail(_ reason: String) { finish(Ending(1, reason)) }

  private func ingest(_ line: UnsafeRawBufferPointer) {
    guard let members = try? Members(Array(line)), let type = members.string("type") else {
      return fail("\(options.endpoint) does not speak the protocol of Watchline")
    }
    switch type {
    case "hello": break
    case "passed": news?(members)
    case "error": fail(members.string("message") ?? "the server refuses")
    default:
      guard let answer else { break }
      self.answer = nil
      limit.stop()
      answer(members)
      askNext()
    }
  }
}

extension OperatorLink: ServerConnectionHandler {
  func connectionDidOpen(_ connection: ServerConnection) {
    isOpen = true
    do throws(ConnectionFailure) {
      try connection.startReading()
    } catch {
      return fail(error.message)
    }
    askNext()
  }

  func connection(_ connection: ServerConnection, didRead bytes: UnsafeRawBufferPointer) {
    let isSplit = lines.split(bytes) {
      ingest($0)
      return ending == nil
    }
    if !isSplit { fail("\(options.endpoint) sends a line that is too long") }
  }

  func connectionDidWrite(_ connection: ServerConnection) { askNext() }
  func connectionDidEnd(_ connection: ServerConnection) { connection.close() }
  func connectionDidClose(_ connection: ServerConnection) {
    fail("\(options.endpoint) has closed the connection")
  }

  func connection(_ connection: ServerConnection, didFail failure: ConnectionFailure) {
    fail("\(options.endpoint): \(failure.message)")
  }
}
