import RelaySupport

/// A connection to the relay in memory, either direction of which can be stopped.
final class MemoryLink: ServerLink {
  private enum Passage { case open, held, lost }

  private let client: Client
  private let world: World
  private let neighbour: Neighbour?
  private var up = Passage.open
  private var down = Passage.open
  /// What is held back on its way up.
  private var waiting: [UInt8] = []
  /// Bytes are gone, and nothing that follows would make sense.
  private var hasHole = false
  /// The device has left, and the server may not know.
  private var isLeft = false

  /// Opens a connection.
  ///
  /// - Parameter kernelRoom: bytes that it takes and may lose, as kernels do.
  init(_ name: String, _ world: World, kernelRoom: Int, _ neighbour: Neighbour? = nil) {
    client = world.open(name)
    client.holdsOutput = true
    client.kernelRoom = kernelRoom
    self.world = world
    self.neighbour = neighbour
  }

  var isOver: Bool { client.isClosed }

  var isClosed: Bool { isLeft || client.isClosed && down == .open }

  var hasInput: Bool { down == .open && (client.unreadBytes > 0 || !client.lines.isEmpty) }

  func send(_ bytes: [UInt8]) {
    switch up {
    case .open:
      neighbour?.send()
      world.send(bytes, from: client)
    case .held: waiting += bytes
    case .lost: hasHole = true
    }
  }

  func read(_ count: Int?) -> [[UInt8]] {
    guard down == .open else { return [] }
    world.read(client, count ?? client.unreadBytes)
    defer { client.lines = [] }
    return client.lines
  }

  /// Where nothing goes up the server does not learn of it.
  func close() {
    isLeft = true
    waiting = []
    if up == .open { world.close(client) }
  }

  // MARK: Faults

  /// - Returns: false where that makes no sense here.
  func change(_ event: TraceEvent) -> Bool {
    switch event.verb {
    case .oneWay: stop(event.lane ?? "both", loses: event.flag ?? false)
    case .heal: heal()
    default: false
    }
  }

  /// - Returns: false where it is over.
  private func stop(_ direction: String, loses: Bool) -> Bool {
    guard !isClosed else { return false }
    let passage = loses ? Passage.lost : .held
    if direction != "down" {
      if loses, !waiting.isEmpty { hasHole = true }
      if loses { waiting = [] }
      up = passage
    }
    if direction != "up" { down = passage }
    return true
  }

  /// What was held back flows; where bytes are gone, or the device is, the connection is cut.
  ///
  /// - Returns: false where nothing was wrong.
  @discardableResult
  func heal() -> Bool {
    guard up != .open || down != .open else { return false }
    // What the server has written meanwhile went nowhere.
    if down == .lost, client.unreadBytes > 0 || !client.lines.isEmpty { hasHole = true }
    let sent = waiting
    (up, down, waiting) = (.open, .open, [])
    if hasHole || isLeft {
      world.close(client)
      world.read(client, client.unreadBytes)
      client.lines = []
    } else if !sent.isEmpty {
      world.send(sent, from: client)
    }
    return true
  }
}
