import Cluster
import EventLoop
import Relay
import Wire

/// Guests of this server's sites, whose clients have connected to other servers.
extension Server {
  /// Servers that have connected and not said what for, at most.
  private static let mostCallers = 1_024

  /// Another server has connected.
  func call(from socket: TCPConnection) {
    guard callers.count < Self.mostCallers else { return socket.close() }
    callers.insert(Caller(self, socket))
  }

  /// A connection comes to a shard, where that is this server's. Its edge is told.
  func welcome(_ visit: Visit, _ caller: Caller) {
    guard !isStopping, parts.indices.contains(visit.shard), let site = parts[visit.shard].site,
      !site.isLeaving
    else { return caller.refuse(visit) }
    caller.leave()
    let edge = EdgeChannel(caller.reader)
    edge.send(.welcome)
    let link = Link(site, site.relay.arrive(visit, now: now), caller.socket, nil, edge)
    add(link)
    watch(link.socket)
    receive(link, edge)
    flush(link, edge)
  }

  func receive(_ bytes: UnsafeRawBufferPointer, _ link: Link, _ edge: EdgeChannel) {
    edge.reader.append(bytes)
    receive(link, edge)
  }

  func receive(_ link: Link, _ edge: EdgeChannel) {
    do throws(LogFault) {
      while link.socket.isOpen, !link.isLingering, let frame = try edge.reader.next() {
        receive(frame, link, edge)
      }
    } catch {
      log.write(.error, "event=peerLinkBroken reason=\("\(error)".quoted)")
      link.socket.close()
    }
  }

  private func receive(_ frame: PeerFrame, _ link: Link, _ edge: EdgeChannel) {
    switch frame {
    case .bytes(let bytes): bytes.withUnsafeBytes { ingest($0, link) }
    case .confirmed(let position): edge.confirmed = max(edge.confirmed, position)
    case .end: takeEnd(link)
    case .left:
      guard edge.isLeaving else { return link.socket.close() }
      let visit = link.relay.depart(link.connection, now: now)
      edge.send(.visit(visit.bytes))
      flush(link, edge)
      link.enter(.lingering(until: now + Self.lingerTime))
      linger(link)
    case .greeting, .visit, .welcome, .ask, .pause, .resume, .leave, .wish: link.socket.close()
    }
  }

  // MARK: Output

  private static let piece = 64 << 10

  func write(_ link: Link, _ edge: EdgeChannel) {
    let output = link.relay.takeOutput(link.connection)
    // In pieces: an edge holds no more than one that is torn.
    for start in stride(from: 0, to: output.count, by: Self.piece) {
      edge.send(.bytes(Array(output[start..<min(start + Self.piece, output.count)])))
    }
    flush(link, edge)
    let isWritten = !link.socket.isWriting
    link.relay.wrote(link.connection, unsent: isWritten ? 0 : output.count, now: now)
  }

  func flush(_ link: Link, _ edge: EdgeChannel) {
    guard edge.hasOutput, link.socket.isOpen, !link.socket.isWriting else { return }
    _ = put(edge.takeOutput(), on: link)
  }

  /// All that the client gets is on its way.
  func end(_ link: Link, _ edge: EdgeChannel) {
    edge.send(.end)
    flush(link, edge)
  }
}

/// Another server, until it has said what it wants.
final class Caller: ConnectionHandler, Hashable {
  private unowned let server: Server
  let socket: TCPConnection
  var reader = PeerFrame.Reader(longest: PeerFrame.longestGreeting)
  private var hasGreeted = false
  /// It does not say what it wants for ever.
  private var timer: Timer!

  private static let patience: Int64 = 2_000_000

  init(_ server: Server, _ socket: TCPConnection) {
    self.server = server
    self.socket = socket
    socket.handler = self
    timer = Timer(loop: server.loop) { socket.close() }
    timer.start(after: Self.patience)
    do throws(UVError) {
      try socket.startReading()
    } catch {
      socket.close()
    }
  }

  func connection(_ socket: TCPConnection, didRead bytes: UnsafeRawBufferPointer) {
    reader.append(bytes)
    do throws(LogFault) {
      while socket.isOpen, server.callers.contains(self), let frame = try reader.next() {
        receive(frame)
      }
    } catch {
      socket.close()
    }
  }

  private func receive(_ frame: PeerFrame) {
    switch frame {
    case .greeting(let key) where !hasGreeted && key == server.contact?.key:
      hasGreeted = true
      reader.longest = PeerFrame.longest
    case .visit(let bytes) where hasGreeted:
      guard let visit = try? bytes.withUnsafeBytes({ try Visit($0) }) else { return socket.close() }
      server.welcome(visit, self)
    case .wish(let shard, let owned) where hasGreeted:
      server.hear(wishFor: shard, owned: owned)
      socket.close()
    default:
      server.log.write(.error, "event=peerRefused peer=\(socket.peerAddress)")
      socket.close()
    }
  }

  /// The shard is not this server's: the visit goes back as it came.
  func refuse(_ visit: Visit) {
    socket.write(PeerFrame.bytes(.visit(visit.bytes)))
  }

  /// Its socket is somebody else's to handle from now on.
  func leave() {
    timer.close()
    server.callers.remove(self)
  }

  func close() { socket.close() }

  func connectionDidEnd(_ socket: TCPConnection) { socket.close() }
  func connection(_ socket: TCPConnection, didFail error: UVError) {}
  func connection(_ socket: TCPConnection, didWrite bytes: Int) {}
  func connectionDidClose(_ socket: TCPConnection) { leave() }

  static func == (a: Caller, b: Caller) -> Bool { a === b }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A word to another server, on a connection of its own: this one would take a shard.
final class Wish: ClientHandler {
  private let frames: [UInt8]
  /// It holds itself until its connection is closed.
  private var own: Wish?
  private var timer: Timer?

  private static let patience: Int64 = 2_000_000

  static func tell(_ contact: Contact, shard: Int, owned: Int, _ loop: EventLoop) {
    let wish = Wish(contact.key, shard, owned)
    wish.own = wish
    do throws(UVError) {
      let socket = try TCPConnection.connect(
        loop: loop, host: contact.host, port: contact.port, handler: wish)
      wish.timer = Timer(loop: loop) { socket.close() }
      wish.timer?.start(after: patience)
    } catch {
      wish.own = nil
    }
  }

  private init(_ key: String, _ shard: Int, _ owned: Int) {
    frames = PeerFrame.bytes(.greeting(key: key), .wish(shard: shard, owned: owned))
  }

  func connectionDidOpen(_ connection: TCPConnection) {
    connection.write(frames)
    try? connection.startReading()
  }

  func connection(_ connection: TCPConnection, didRead bytes: UnsafeRawBufferPointer) {}
  func connectionDidEnd(_ connection: TCPConnection) { connection.close() }
  func connection(_ connection: TCPConnection, didFail error: UVError) {}
  func connection(_ connection: TCPConnection, didWrite bytes: Int) {}
  func connectionDidClose(_ connection: TCPConnection) {
    timer?.close()
    own = nil
  }
}
