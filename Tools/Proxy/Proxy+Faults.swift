internal import Wire

/// Faults, whether drawn or asked for.
extension Proxy {
  /// Both sides of a connection, and its copies, are reset; what waits goes nowhere.
  mutating func cut(_ number: Int, now: Int) {
    finish(number, by: "cut", resets: true, now: now)
  }

  /// A direction, or both, stops.
  mutating func stop(_ number: Int, _ directions: [Direction], _ stop: Stop, now: Int) {
    guard links[number] != nil else { return }
    for direction in directions {
      links[number]![direction].stop = stop
      if stop == .swallow { links[number]![direction].drop() }
    }
    say("oneWay", now) {
      $0.member("connection", number)
      $0.array("directions", directions) { $0.string($1.rawValue) }
      $0.member("how", stop.rawValue)
    }
    pump(number, now: now)
  }

  /// What stopped flows again; a connection of which bytes or a side are gone cannot, and is cut.
  mutating func release(_ number: Int, now: Int) {
    guard let link = links[number] else { return }
    let isBroken = link.hasLost || !link.hasServer || !link.hasClient && link.original == nil
    guard !isBroken else { return cut(number, now: now) }
    for direction in Direction.allCases { links[number]![direction].stop = nil }
    say("released", now) { $0.member("connection", number) }
    pump(number, now: now)
  }

  /// No faults any more.
  mutating func heal(_ number: Int, now: Int) {
    guard let link = links[number] else { return }
    links[number]!.plan = LinkPlan()
    links[number]!.oneWayEnds = nil
    let isStopped = Direction.allCases.contains { link[$0].stop != nil }
    for direction in Direction.allCases where link[direction].stop == nil {
      links[number]![direction].heal(now: now)
    }
    if isStopped { release(number, now: now) }
    for direction in Direction.allCases { links[number]?[direction].heal(now: now) }
    pump(number, now: now)
  }
}
