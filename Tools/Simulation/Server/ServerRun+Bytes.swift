/// What moves between the devices and the server.
extension ServerRun {
  func up(_ node: ServerNode, _ count: Int?, isZombie: Bool) -> Bool {
    guard let link = isZombie ? node.zombies.first : node.link, !link.up.isEmpty,
      !link.wire.isClosed
    else { return false }
    let size = min(count ?? link.up.count, link.up.count)
    let bytes = link.up.prefix(size)
    recorder.carry(now - start, node.name, "server", Array(bytes))
    if isZombie { coverage.note("zombie") }
    if bytes.last != 0x0A { coverage.note("slice") }
    link.up.removeFirst(size)
    link.wire.send(Array(bytes))
    return true
  }

  func down(_ node: ServerNode, _ count: Int?) -> Bool {
    guard let link = node.link, link.wire.hasInput else { return false }
    for line in link.wire.read(count) where node.link === link {
      recorder.carry(now - start, "server", node.name, line + [0x0A])
      node.received(line, clock: clock(node), latestTime: latestTime)
      // The next line may let go of what this one brought.
      if let device = node.sync { sync.gather(device) }
      checkVector(node)
    }
    return true
  }

  /// Everything goes up, is committed and comes down, until nothing moves.
  @discardableResult
  func flow(_ node: ServerNode) -> Bool {
    var hasMoved = false
    guard !isBusy else { return false }
    for _ in 0..<Self.mostRounds {
      var isMoving = up(node, nil, isZombie: false)
      if commit(100) { isMoving = true }
      site.waitForAnswers(on: node.link.map { [$0.wire] } ?? [])
      if down(node, nil) { isMoving = true }
      site.settle()
      node.noticeClosing()
      guard isMoving, site.fault == nil else { return hasMoved }
      hasMoved = true
    }
    isBusy = true
    report(
      "I42", "busy-loop", "The server and a device never stop talking.",
      "After \(Self.mostRounds) rounds the \(node.name) and the server still had something to say.")
    return hasMoved
  }

  /// The same at each device; at a real server at all of them at once.
  func flowEverywhere() {
    guard site.isReal else {
      for node in nodes { flow(node) }
      return
    }
    for _ in 0..<Self.mostRounds {
      var isMoving = false
      for node in nodes where up(node, nil, isZombie: false) { isMoving = true }
      site.waitForAnswers(on: nodes.compactMap { $0.link?.wire })
      for node in nodes where down(node, nil) { isMoving = true }
      for node in nodes { node.noticeClosing() }
      guard isMoving, site.fault == nil else { return }
    }
  }
}
