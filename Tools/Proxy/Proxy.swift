internal import Wire

/// What decides what a proxy does with connections and bytes. It has no sockets and no clock: what
/// happens comes in with the time, and what is to be done is taken from it.
///
/// Times are milliseconds on a clock that starts with the proxy. Connections are numbered from 1 in
/// the order in which they are opened.
package struct Proxy: Sendable {
  package enum Effect: Equatable, Sendable {
    /// Open the server's side of a connection.
    case connect(Int)
    /// Write all of it, then tell by `wrote`. One at a time for each side.
    case send(Int, Side, [UInt8])
    /// There is nothing more to write.
    case shutdown(Int, Side)
    case close(Int, Side)
    case reset(Int, Side)
    case read(Int, Side, Bool)
    /// A line, without its LF, for who watches.
    case say([UInt8])
    case quit
  }

  /// The most connections at a time: 1024, of at most about 1 MiB each.
  package static let mostConnections = 1024

  let seed: UInt64
  var faults: ProxyFaults
  var links: [Int: Link] = [:]
  private(set) var opened = 0
  private var effects: [Effect] = []

  package init(_ faults: ProxyFaults, seed: UInt64) {
    self.faults = faults
    self.seed = seed
  }

  /// What is to be done now, in this order.
  package mutating func takeEffects() -> [Effect] {
    defer { effects = [] }
    return effects
  }

  mutating func add(_ effect: Effect) { effects.append(effect) }

  /// When `tick` is to be called; nil where there is nothing to wait for.
  package var deadline: Int? { links.values.compactMap(\.deadline).min() }

  // MARK: Connections

  /// Whether what is sent on a connection arrives, sooner or later, in both directions.
  package func passes(_ number: Int) -> Bool {
    guard let link = links[number] else { return false }
    return Direction.allCases.allSatisfy { link[$0].stop == nil }
  }

  /// A client has connected.
  ///
  /// - Returns: the connection's number; nil where there are too many.
  package mutating func accepted(_ client: String, now: Int) -> Int? {
    guard links.count < Self.mostConnections else {
      say("refused", now) { $0.member("reason", "\(Self.mostConnections) connections are open") }
      return nil
    }
    let link = open(client, of: nil, now: now)
    say("opened", now) { writer in
      writer.member("connection", link.number)
      writer.member("client", client)
      link.plan.write(&writer)
    }
    add(.read(link.number, .client, true))
    return link.number
  }

  @discardableResult
  private mutating func open(_ client: String, of original: Int?, now: Int) -> Link {
    opened += 1
    let plan =
      original == nil ? LinkPlan(faults, seed: seed, connection: opened) : LinkPlan()
    var link = Link(opened, client, of: original, plan: plan, seed: seed, now: now)
    for direction in Direction.allCases {
      link[direction].delay = faults.delay
      link[direction].slice = faults.slice
    }
    links[opened] = link
    add(.connect(opened))
    return link
  }

  /// The server has accepted the connection.
  package mutating func connected(_ number: Int, now: Int) {
    guard links[number] != nil else { return }
    links[number]!.isConnected = true
    add(.read(number, .server, true))
    if links[number]!.plan.isDuplicated { duplicate(number, now: now) }
    pump(number, now: now)
  }

  /// Opens a connection that sends what this one has sent and sends. What the server says on it is
  /// dropped.
  mutating func duplicate(_ number: Int, now: Int) {
    guard let link = links[number] else { return }
    let copy = open(link.client, of: number, now: now).number
    links[copy]!.up.received(link.prefix, now: now)
    links[copy]!.up.hasEnded = link.up.hasEnded
    say("duplicated", now) {
      $0.member("connection", copy)
      $0.member("of", number)
    }
  }

  func copies(of number: Int) -> [Int] {
    links.values.filter { $0.original == number }.map(\.number).sorted()
  }

  // MARK: Bytes

  /// Bytes have come from one side.
  package mutating func received(_ number: Int, _ side: Side, _ bytes: [UInt8], now: Int) {
    guard let link = links[number] else { return }
    if side == .server, link.original != nil {
      // Nobody listens to a copy.
      return
    }
    links[number]![side.outgoing].received(bytes, now: now)
    if side == .client {
      let room = Link.longestPrefix + 1 - link.prefix.count
      links[number]!.prefix += bytes.prefix(max(0, room))
      for copy in copies(of: number) {
        links[copy]!.up.received(bytes, now: now)
        pump(copy, now: now)
      }
    }
    pump(number, now: now)
  }

  /// One side has taken what it was sent.
  package mutating func wrote(_ number: Int, _ side: Side, now: Int) {
    guard let link = links[number] else { return }
    links[number]![side.incoming].isWriting = false
    pump(number, now: now)
    if let original = link.original { pump(original, now: now) }
  }

  /// One side sends nothing more.
  package mutating func ended(_ number: Int, _ side: Side, now: Int) {
    guard let link = links[number] else { return }
    if link.original != nil { return finish(number, by: side.rawValue, resets: false, now: now) }
    links[number]![side.outgoing].hasEnded = true
    if link.ending == nil { links[number]!.ending = side.rawValue }
    for copy in side == .client ? copies(of: number) : [] {
      links[copy]!.up.hasEnded = true
      pump(copy, now: now)
    }
    pump(number, now: now)
  }

  /// One side's connection is broken, or could not be opened. It is gone.
  package mutating func failed(_ number: Int, _ side: Side, _ reason: String, now: Int) {
    guard let link = links[number] else { return }
    if side == .client {
      links[number]!.hasClient = false
    } else {
      links[number]!.hasServer = false
    }
    // What goes there goes nowhere.
    links[number]![side.incoming].stop = .swallow
    links[number]![side.incoming].drop()
    // The news goes the way of the bytes.
    let isHidden = link[side.outgoing].stop != nil && link.original == nil
    let isLast = side == .client ? !link.hasServer : !link.hasClient
    if !isHidden || isLast {
      finish(number, by: "\(side.rawValue): \(reason)", resets: true, now: now)
    }
  }

  /// Passes on what is due.
  mutating func pump(_ number: Int, now: Int) {
    guard var link = links[number] else { return }
    for direction in Direction.allCases {
      let side: Side = direction == .up ? .server : .client
      let isThere = side == .server ? link.isConnected && link.hasServer : link.hasClient
      guard isThere else { continue }
      if let bytes = link[direction].next(now: now) {
        link[direction].isWriting = true
        add(.send(number, side, bytes))
      } else if link[direction].mayShutDown {
        link[direction].isShutDown = true
        add(.shutdown(number, side))
      }
    }
    links[number] = link
    balance(link.original ?? number)
    if link.up.isOver, link.down.isOver {
      finish(number, by: link.ending ?? "client", resets: false, now: now)
    }
  }

  /// Reads a side only while what came from it has a place to wait.
  private mutating func balance(_ number: Int) {
    guard var link = links[number] else { return }
    for side in [Side.client, .server] {
      let direction = side.outgoing
      let copies = side == .client ? copies(of: number).map { links[$0]!.up.waiting } : []
      let waiting = max(link[direction].waiting, copies.max() ?? 0)
      let isFull = waiting >= Flow.mostWaiting
      let isLow = waiting < Flow.mostWaiting / 2
      guard link[direction].isPaused ? isLow : isFull else { continue }
      link[direction].isPaused.toggle()
      let isOpen = side == .client ? link.hasClient : link.isConnected && link.hasServer
      if isOpen { add(.read(number, side, !link[direction].isPaused)) }
    }
    links[number] = link
  }

  /// Ends a connection and its copies.
  mutating func finish(_ number: Int, by ending: String, resets: Bool, now: Int) {
    guard let link = links.removeValue(forKey: number) else { return }
    for (isThere, side) in [(link.hasClient, Side.client), (link.hasServer, .server)] where isThere
    {
      add(resets ? .reset(number, side) : .close(number, side))
    }
    say("closed", now) {
      $0.member("connection", number)
      $0.member("by", ending)
      $0.member("up", link.up.total)
      $0.member("down", link.down.total)
    }
    for copy in copies(of: number) { finish(copy, by: ending, resets: resets, now: now) }
    if let original = link.original { balance(original) }
  }

  /// Has the time passed that something waits for?
  package mutating func tick(now: Int) {
    for number in links.keys.sorted() {
      guard let link = links[number] else { continue }
      if let cut = link.plan.cut, link.openedAt + cut <= now {
        self.cut(number, now: now)
        continue
      }
      if let oneWay = link.plan.oneWay, link.openedAt + oneWay.at <= now {
        links[number]!.plan.oneWay = nil
        links[number]!.oneWayEnds = now + oneWay.duration
        stop(number, oneWay.directions, oneWay.stop, now: now)
      }
      if let end = link.oneWayEnds, end <= now {
        links[number]!.oneWayEnds = nil
        release(number, now: now)
      }
      pump(number, now: now)
    }
  }

  /// Says a line about what has happened.
  mutating func say(_ event: String, _ now: Int, _ body: (inout JSONWriter) -> Void) {
    var writer = JSONWriter()
    writer.object {
      $0.member("event", event)
      $0.member("at", now)
      body(&$0)
    }
    add(.say(writer.bytes))
  }
}

extension LinkPlan {
  /// As a member of an event, where anything is planned.
  func write(_ writer: inout JSONWriter) {
    guard self != LinkPlan() else { return }
    writer.object("plan") { writer in
      if let cut { writer.member("cut", cut) }
      if let oneWay {
        writer.object("oneWay") {
          $0.member("at", oneWay.at)
          $0.array("directions", oneWay.directions) { $0.string($1.rawValue) }
          $0.member("how", oneWay.stop.rawValue)
          $0.member("duration", oneWay.duration)
        }
      }
      if isDuplicated { writer.member("duplicate", 1) }
    }
  }
}
