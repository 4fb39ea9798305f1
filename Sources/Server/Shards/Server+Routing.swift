import EventLoop
import Relay
import Wire

/// The ways of connections from the lobby to their shards, and back.
extension Server {
  /// For how long a shard without an owner is waited for, in microseconds: an election of the nodes of NATS, and
  /// a take-over.
  private static let patience: Int64 = 10_000_000
  /// Microseconds between two looks for a way, and between two tries at the same owner.
  private static let interval: Int64 = 50_000
  private static let retry: Int64 = 500_000

  /// A connection is to go to a shard, and nothing is owed on it where it is.
  func route(_ link: Link, to shard: Int) {
    if let edge = link.edge { return edge.leave() }
    if link.visited != nil { return goHome(link) }
    let began = link.wantsSince ?? now
    link.wantsSince = began
    guard now - began < Self.patience else {
      link.wantsSince = nil
      return home.relay.turnAway(
        link.connection,
        "no server has shard \(shard) at present; nothing was changed, try again later", now: now)
    }
    guard !find(link, shard), !link.isWanting else { return }
    link.isWanting = true
    wanting.append(link)
    if !routeTimer.isRunning { routeTimer.start(after: Self.interval) }
  }

  /// - Returns: whether it is on its way.
  private func find(_ link: Link, _ shard: Int) -> Bool {
    let part = parts[shard]
    if let site = part.site {
      guard !site.isLeaving else { return false }
      link.wantsSince = nil
      let visit = home.relay.depart(link.connection, now: now)
      let guest = site.relay.arrive(visit, now: now)
      guest.tag = link.connection.tag
      link.visit(site, guest)
      return true
    }
    guard let holder = part.holder else { return false }
    if let tried = link.tried, tried.owner == holder.owner, now - tried.at < Self.retry {
      return false
    }
    link.tried = (holder.owner, now)
    let visit = home.relay.depart(link.connection, now: now)
    do throws(UVError) {
      let splice = try Splice(self, link, visit, holder.owner, holder.contact)
      splices[ObjectIdentifier(splice)] = splice
      link.splice = splice
      link.read(false)
      return true
    } catch {
      log.write(
        .debug, "event=peerLinkFailed shard=\(shard) error=\("\(error)".quoted)")
      home.relay.comeBack(link.connection, visit, now: now)
      return false
    }
  }

  /// A guest of a site of this server's asks for another shard.
  private func goHome(_ link: Link) {
    let (site, guest) = (link.site, link.connection)
    let visit = site.relay.depart(guest, now: now)
    link.goHome()
    site.relay.closed(guest, now: now)
    home.relay.comeBack(link.connection, visit, now: now)
  }

  /// Looks again for ways that were not found.
  func routeAgain() {
    let links = wanting
    wanting = []
    for link in links {
      link.isWanting = false
      if link.socket.isOpen, !link.isLingering, link.splice == nil { serve(link) }
    }
  }

  // MARK: Splices

  /// The owner has handed a connection back, or has not taken it.
  func spliceHasReturned(_ splice: Splice, _ visit: Visit) {
    let link = splice.link
    guard link.splice === splice else { return }
    link.splice = nil
    home.relay.comeBack(link.connection, visit, now: now)
    if !link.isLingering { serve(link) }
  }

  /// A peer link is closed.
  func spliceHasEnded(_ splice: Splice) {
    splices[ObjectIdentifier(splice)] = nil
    let link = splice.link
    guard link.splice === splice, link.socket.isOpen else { return }
    if !splice.isWelcome {
      // Nothing has been sent there but the visit.
      spliceHasReturned(splice, splice.visit)
    } else if !splice.hasFinished {
      link.socket.close()
    }
  }

  /// Sets whether the client of a splice is read.
  func readSpliced(_ link: Link) {
    guard let splice = link.splice, !link.isLingering else { return }
    link.read(splice.wantsInput)
  }

  /// Writes to the client of a splice.
  func put(_ bytes: [UInt8], spliced link: Link) {
    guard let secure = link.secure else {
      _ = put(bytes, on: link)
      return
    }
    guard secure.send(bytes) else { return link.socket.close() }
    flush(link, secure)
  }
}
