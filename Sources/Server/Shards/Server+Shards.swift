import EventLoop
import Journal
import Relay
import Storage
import Wire

/// A server that is one of several: it follows each shard's log, and owns some of the shards.
extension Server {
  // MARK: The start

  static func lobby(
    _ options: Relay.Options, shards: Int, now: Int64, _ onNews: @escaping @Sendable () -> Void
  ) throws(StartError) -> Site {
    do {
      return Site(try Relay.lobby(options, shards: shards, now: now), nil, onDone: onNews)
    } catch {
      throw StartError("\(error)")
    }
  }

  /// Where the other servers are to reach this one: where `--peers` says, or at any port of the host of `--listen`.
  func listenToPeers() throws(StartError) -> Contact {
    let (host, port) = options.peers ?? (options.host, 0)
    guard !["0.0.0.0", "::"].contains(host) else {
      throw StartError(
        "the other servers cannot be told to come to \(host): give --peers HOST:PORT with an address of this machine "
          + "that they reach")
    }
    let listener = try listen(host, port)
    peerListener = listener
    // As a number: no server looks a name up while others wait.
    let number = listener.address.prefix { $0 != "]" }.drop { $0 == "[" }
    let bound = listener.address.hasPrefix("[") ? number : number.prefix { $0 != ":" }
    return Contact(host: String(bound), port: listener.port, key: Self.randomName())
  }

  /// Opens each shard's log and the copy of it.
  static func open(
    _ cluster: Options.Cluster, _ options: Options, _ contact: Contact,
    _ maker: (_ shard: Int) -> RelayMaker, _ onNews: @escaping @Sendable () -> Void
  ) throws(StartError) -> [ShardPart] {
    do throws(StoreError) {
      if let monitors = options.nodeMonitors, case .jetStream(let settings) = cluster {
        try NodeMonitor.check(monitors, settings)
      }
      var parts: [ShardPart] = []
      for number in 0..<options.shards {
        let logs = try cluster.open(shard: number, of: options.shards)
        parts.append(
          try ShardPart(
            number, logs, directory: options.directory(of: number), contact: contact.text,
            storeOptions(options), maker(number), onNews: onNews))
      }
      return parts
    } catch {
      throw StartError(error.description)
    }
  }

  /// The port of the peer links is known: from here on shards may become this server's.
  func beginToFollow() {
    for part in parts {
      log.write(
        .info,
        "event=standingBy shard=\(part.number) \(part.description) isSynced=\(!options.allowsUnsynced)"
      )
    }
    if parts.count > 1 { balanceTimer.start(after: Self.balanceInterval) }
    takeShardNews()
  }

  // MARK: What becomes of shards

  /// What the threads that follow shards have to say.
  func takeShardNews() {
    for part in parts {
      guard case .following = part.state else { continue }
      let view = part.thread.view
      switch view.end {
      case .owner(let store, let relay):
        own(part, Site(relay, store, onDone: { [wakeup] in wakeup.wake() }))
      case .failed(let error): fail(part, error)
      case .stopped: part.end()
      case nil: part.tell(view, log)
      }
      cutOff(from: part)
    }
    if !wanting.isEmpty { routeAgain() }
  }

  private func own(_ part: ShardPart, _ site: Site) {
    log.write(.info, "event=shardOwned shard=\(part.number) entry=\(site.store!.sizes.entry)")
    part.own(site)
    sites.append(site)
    if isStopping { site.relay.stop(now: now) }
  }

  /// A shard can be followed no more: the server ends, and says why.
  private func fail(_ part: ShardPart, _ error: StoreError) {
    part.end()
    log.write(.error, "event=shardFailed shard=\(part.number) error=\("\(error)".quoted)")
    partFailure = error
    stop()
  }

  /// Another server owns a site's shard: whatever this one knows of it may be wrong by now, and nothing more of it is
  /// told.
  func lose(_ site: Site, _ error: StoreError) {
    guard let part = parts.first(where: { $0.site === site }) else { return }
    log.write(.error, "event=fenced shard=\(part.number) error=\("\(error)".quoted)")
    for case let link? in links where link.site === site { link.socket.close() }
    leave(site, part)
  }

  /// The shard is followed again, once its store is closed.
  private func leave(_ site: Site, _ part: ShardPart) {
    sites.removeAll { $0 === site }
    gone.figures.addCounts(of: site.relay.figures)
    gone.commits.add(site.commits)
    gone.committedBytes += site.committedBytes
    gone.secondsInTrouble += site.secondsInTrouble
    part.follow(after: site, relayMaker(part.number))
    if isStopping { part.thread.stop() }
  }

  /// Sites that are to be given away go when nobody is served there any more, and all is committed.
  func letSitesGo() {
    for site in sites where site.isLeaving && !isStopping && site.isAllCommitted {
      guard !links.contains(where: { $0?.site === site }),
        let part = parts.first(where: { $0.site === site })
      else { continue }
      log.write(.info, "event=shardGiven shard=\(part.number)")
      leave(site, part)
      part.leaveToOthers(until: now + Self.giftTime)
    }
  }

  /// Connections that a server serves which owns the shard no more.
  private func cutOff(from part: ShardPart) {
    guard let holder = part.thread.view.holder else { return }
    for splice in splices.values where splice.shard == part.number && splice.owner != holder.owner {
      splice.close()
    }
  }

  // MARK: The stop

  func stopFollowing() {
    for part in parts where part.site == nil { part.thread.stop() }
    for splice in splices.values { splice.end() }
  }

  var hasStoppedFollowing: Bool {
    parts.allSatisfy { part in
      if case .following = part.state { false } else { true }
    }
  }

  // MARK: Balance

  private static let balanceInterval: Int64 = 1_000_000
  private static let wishesAtOnce = 8
  /// How long a server leaves a free shard to each one that has fewer, in microseconds.
  private static let reluctance: Int64 = 600_000

  /// How long a server leaves a shard that it has given away to whoever has asked for it.
  private static let giftTime: Int64 = 5_000_000

  /// Who owns many shards is asked for one by who owns two fewer, and a free one goes to who owns few.
  func balance() {
    guard !isStopping else { return }
    balanceTimer.start(after: Self.balanceInterval)
    cutOffWhoStays()
    let own = parts.count { $0.site != nil }
    var others: [String: (contact: Contact, parts: [ShardPart])] = [:]
    for part in parts {
      guard let holder = part.holder else { continue }
      others[holder.contact.text, default: (holder.contact, [])].parts.append(part)
    }
    let fewer = others.values.count { $0.parts.count < own }
    for part in parts where part.site == nil {
      let isGiven = part.givenUntil > now
      part.thread.set(reluctance: isGiven ? Self.giftTime : Int64(fewer) * Self.reluctance)
    }
    let most = others.values.max {
      ($0.parts.count, $0.contact.text) < ($1.parts.count, $1.contact.text)
    }
    guard let most else { return }
    // Each gift counts before the next one.
    let wished = most.parts.filter { $0.thread.view.state == .following }
      .prefix(max(0, min(Self.wishesAtOnce, (most.parts.count - own) / 2)))
    for (count, part) in wished.enumerated() {
      Wish.tell(most.contact, shard: part.number, owned: own + count, loop)
    }
  }

  /// Whoever does not read what it is owed keeps a shard from going no longer than a server from its end.
  private func cutOffWhoStays() {
    for site in sites {
      guard let since = site.leavesSince, now - since >= Self.stopTime else { continue }
      for case let link? in links where link.site === site { link.socket.close() }
    }
  }

  /// Another server that owns so many shards would take one of this server's.
  func hear(wishFor shard: Int, owned: Int) {
    let mine = parts.compactMap(\.site).filter { !$0.isLeaving }
    guard !isStopping, mine.count >= owned + 2, parts.indices.contains(shard),
      let site = parts[shard].site, !site.isLeaving
    else { return }
    log.write(.info, "event=shardLeaves shard=\(shard) owned=\(mine.count)")
    site.leavesSince = now
    site.relay.stop(now: now)
  }
}

extension Options {
  /// Where the copy of a shard is.
  func directory(of shard: Int) -> String { shards == 1 ? data : "\(data)/shard\(shard)" }
}
