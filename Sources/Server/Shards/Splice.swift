import Cluster
import EventLoop
import Relay
import Wire

/// The edge's end of a peer link: what a client sends goes to the server that owns its shard, and what that one answers to
/// the client.
final class Splice: ClientHandler {
  private unowned let server: Server
  let link: Link
  /// The shard, and who owned it.
  let shard: Int
  let owner: UInt64
  private let key: String
  private(set) var visit: Visit
  private var socket: TCPConnection!
  /// Who does not take the visit in time may stand still.
  private var timer: Timer!
  private var reader = PeerFrame.Reader()
  /// Frames that the socket has not taken; before it is open, those that come behind the visit.
  private var outgoing: [UInt8] = []
  private var isOpen = false
  /// Output for the client that its socket has not taken.
  private var output: [UInt8] = []
  /// Bytes that the client's socket was given, ever.
  private(set) var written: UInt64
  /// Up to where the owner wants to know what is confirmed, and what it was told.
  private var wanted: UInt64 = 0
  private var told: UInt64 = 0
  /// The owner has taken the visit.
  private(set) var isWelcome = false
  /// The owner has too much of the client's already.
  private var isPaused = false
  /// All output has come.
  private(set) var hasFinished = false
  /// The connection has left, or the client has: nothing more is sent to the owner.
  private var isOver = false

  /// - Throws: where no connection can be opened.
  init(
    _ server: Server, _ link: Link, _ visit: Visit, _ owner: UInt64, _ contact: Contact
  ) throws(UVError) {
    self.server = server
    self.link = link
    self.visit = visit
    self.owner = owner
    shard = visit.shard
    key = contact.key
    written = visit.position
    socket = try TCPConnection.connect(
      loop: server.loop, host: contact.host, port: contact.port, handler: self)
    timer = Timer(loop: server.loop) { [unowned self] in
      if !isWelcome { socket.close() }
    }
    timer.start(after: Self.patience)
  }

  /// Microseconds in which the owner has to take the visit.
  private static let patience: Int64 = 3_000_000

  // MARK: The owner

  func connectionDidOpen(_ connection: TCPConnection) {
    do throws(UVError) {
      try connection.startReading()
    } catch {
      return connection.close()
    }
    outgoing = PeerFrame.bytes(.greeting(key: key), .visit(visit.bytes)) + outgoing
    isOpen = true
    server.watch(connection)
    flush()
  }

  func connection(_ connection: TCPConnection, didRead bytes: UnsafeRawBufferPointer) {
    reader.append(bytes)
    do throws(LogFault) {
      while socket.isOpen, let frame = try reader.next() { receive(frame) }
    } catch {
      server.log.write(.error, "event=peerLinkBroken reason=\("\(error)".quoted)")
      socket.close()
    }
    pump()
  }

  private func receive(_ frame: PeerFrame) {
    switch frame {
    case .welcome:
      isWelcome = true
      (link.wantsSince, link.tried) = (nil, nil)
    case .bytes(let bytes): output += bytes
    case .ask(let position):
      wanted = max(wanted, position)
      server.awaitConfirmation(of: link)
    case .pause: isPaused = true
    case .resume: isPaused = false
    case .end: hasFinished = true
    case .leave:
      isOver = true
      send(.left)
    case .visit(let bytes):
      guard let visit = try? bytes.withUnsafeBytes({ try Visit($0) }) else {
        return socket.close()
      }
      self.visit = visit
      isOver = true
      flushOutput()
      server.spliceHasReturned(self, visit)
      socket.close()
      return
    case .greeting, .confirmed, .left, .wish: socket.close()
    }
    server.readSpliced(link)
  }

  func connectionDidEnd(_ connection: TCPConnection) { connection.close() }

  func connection(_ connection: TCPConnection, didFail error: UVError) {
    server.log.write(
      .debug, "event=peerLinkFailed shard=\(shard) error=\("\(error)".quoted)")
  }

  func connection(_ connection: TCPConnection, didWrite bytes: Int) {
    flush()
    server.readSpliced(link)
  }

  func connectionDidClose(_ connection: TCPConnection) {
    timer.close()
    server.spliceHasEnded(self)
  }

  private func send(_ frame: PeerFrame) {
    frame.append(to: &outgoing)
    flush()
  }

  private func flush() {
    guard isOpen, let socket, socket.isOpen, !socket.isWriting, !outgoing.isEmpty else { return }
    let bytes = outgoing
    outgoing = []
    do throws(UVError) {
      _ = try socket.send(bytes)
    } catch {
      socket.close()
    }
  }

  func close() { socket.close() }

  // MARK: The client

  /// Whether the client is read: not faster than the owner reads.
  var wantsInput: Bool {
    isWelcome && !isPaused && !isOver && !hasFinished && !socket.isWriting
  }

  /// The client has sent something.
  func forward(_ bytes: UnsafeRawBufferPointer) {
    guard !isOver else { return }
    send(.bytes(Array(bytes)))
  }

  /// The client has ended its input, or is to be as if it had.
  func end() {
    if !isOver { send(.end) }
  }

  /// Gives the client's socket what there is for it; the owner is read no faster than the client reads.
  func pump() {
    flushOutput()
    if hasFinished, output.isEmpty, !link.socket.isWriting { return server.finish(link) }
    guard socket.isOpen else { return }
    if link.socket.isWriting {
      socket.stopReading()
    } else {
      try? socket.startReading()
    }
  }

  private func flushOutput() {
    guard !output.isEmpty, link.socket.isOpen, !link.socket.isWriting else { return }
    let bytes = output
    output = []
    written += UInt64(bytes.count)
    server.put(bytes, spliced: link)
  }

  /// Whether the owner waits to hear what the client's kernel has confirmed.
  var awaitsConfirmation: Bool { told < wanted && !isOver }

  func confirmed(_ position: UInt64) {
    guard position > told, !isOver else { return }
    told = position
    send(.confirmed(position))
  }
}

/// How the other servers reach one that owns a shard.
struct Contact: Equatable {
  var host: String
  var port: Int
  /// Drawn anew by each process: whoever knows it has read the log.
  var key: String

  init(host: String, port: Int, key: String) {
    (self.host, self.port, self.key) = (host, port, key)
  }

  /// As it stands in the log: host, port and key, with blanks between.
  var text: String { "\(host) \(port) \(key)" }

  init?(_ text: String) {
    let words = text.split(separator: " ").map(String.init)
    guard words.count == 3, let port = Int(words[1]), (1...65_535).contains(port) else {
      return nil
    }
    self.init(host: words[0], port: port, key: words[2])
  }
}
