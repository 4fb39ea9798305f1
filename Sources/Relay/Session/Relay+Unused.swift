import Wire

/// Pairs that nobody uses any more, and that are erased in the end, where that is asked for.
///
/// What counts is the time in which the store was served: while no server runs nobody can use a pair, and the machine's
/// date may jump. When a pair was used stands in its row, where it may be behind: while a pair is used its row is written
/// once an hour.
extension Relay {
  /// How long servers have served this store, in minutes.
  var servedMinutes: Int64 { service.before + (now - service.since) / Self.minute }

  private static let minute: Int64 = 60_000_000
  /// Minutes that a pair's row may be behind before it is written.
  private static let slack: Int64 = 60
  /// The same when it is read: looking at all pairs that are in use takes as long.
  private static let slackOfRow = 2 * slack
  /// Pairs that are read back at once to be erased.
  private static let erasedAtOnce = 256

  /// The service begins. The pairs that are not in memory go by what their rows say.
  func beginService(_ evicted: [KnownPair]) {
    let wasKnownSince = service.knownSince
    service.before = service.saved
    service.since = now
    service.knownSince = options.forgetAfter == nil ? nil : wasKnownSince ?? service.before
    if service.knownSince != wasKnownSince { isStoreRowDirty = true }
    guard let knownSince = service.knownSince else { return }
    let pairs = evicted.map {
      (number: $0.number, since: max($0.used + Self.slackOfRow, knownSince))
    }
    for pair in pairs.sorted(by: { ($0.since, $0.number) < ($1.since, $1.number) }) {
      unusedPairs.add(pair.number, pair.since)
    }
    awaitLook()
  }

  /// Minutes between two looks: ten, and fewer where pairs are forgotten within hours.
  private var lookDelay: Int64 {
    min(10, max(1, (options.forgetAfter ?? 0) / Self.minute / 64))
  }

  /// A manual clock that goes far is looked at where it comes to: there are many minutes in a year.
  private func awaitLook() {
    deadlines.add(.pairsUnused, at: max(now + lookDelay * Self.minute, service.target))
  }

  /// Has the time written down, should another minute have passed.
  func saveService() {
    if service.knownSince != nil, servedMinutes > service.saved { isStoreRowDirty = true }
  }

  /// The last session of a pair has ended, or may have lasted until the server was killed.
  func noteLastUse(_ pair: Pair) {
    pair.used = servedMinutes
    pair.isUseExact = true
  }

  /// Has it written down when a pair was used, where its row is far behind.
  func saveUse(_ pair: Pair) {
    guard service.knownSince != nil, pair.used >= pair.usedInRow + Self.slack else { return }
    changed(pair)
  }

  /// A pair has left the memory.
  func awaitExpiry(_ pair: Pair) {
    guard service.knownSince != nil else { return }
    unusedPairs.add(pair.number, pair.used + (pair.isUseExact ? 0 : Self.slackOfRow))
  }

  /// Has it written down of some of the pairs that they are used: of each within an hour.
  private func saveUses() {
    let some = UInt64(nextPair) * UInt64(lookDelay) / UInt64(Self.slack) + 1
    let end = min(UInt64(nextPair), service.nextLooked + some)
    for number in service.nextLooked..<end {
      guard let pair = pairs[UInt32(number)], pair.isConnected else { continue }
      pair.used = servedMinutes
      saveUse(pair)
    }
    service.nextLooked = end < UInt64(nextPair) ? end : 0
  }

  /// It is time to look which pairs are used, and which are not.
  func lookForUnused() {
    saveService()
    saveUses()
    forgetUnused()
    awaitLook()
  }

  /// Has pairs read back that nobody has used for long enough: some, and others when those are there.
  private func forgetUnused() {
    guard let period = options.forgetAfter, !isStopping else { return }
    // Both ends are rounded down: one minute more, so that none goes too early.
    let latest = servedMinutes - (period + Self.minute - 1) / Self.minute - 1
    while storeFailure == nil, expired.count < Self.erasedAtOnce,
      let (number, _) = unusedPairs.takeOldest(where: { $0 <= latest })
    {
      expired.insert(number)
      load(number)
    }
  }

  /// A pair that was to be erased has been read back, or could not be.
  func finishExpired() { if expired.isEmpty { forgetUnused() } }

  /// A pair has been read back that nobody has used for long enough.
  func eraseUnused(_ pair: Pair) {
    let lanes = pair.devices.flatMap(\.lanes)
    log(
      "event=pairUnused app=\(pair.app.quoted) pair=\(pair.name.quoted) "
        + "waiting=\(lanes.reduce(0) { $0 + $1.count })")
    erase(pair)
  }
}

/// The time for which servers have served a store, in minutes.
struct Service {
  /// As of the last row of the store.
  var saved: Int64 = 0
  /// Up to this run.
  var before: Int64 = 0
  /// When this run began: `Relay.now`, in microseconds.
  var since: Int64 = 0
  /// From when on the rows of pairs say when they were used; nil: they do not.
  var knownSince: Int64?
  /// Where a manual clock goes, or went last.
  var target: Int64 = 0
  /// The number of the next pair to be looked at whether it is in use.
  var nextLooked: UInt64 = 0
}
