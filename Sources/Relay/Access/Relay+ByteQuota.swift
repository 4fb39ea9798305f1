package import Wire

/// What pairs hold, for the limit `pairBytes`, and those that were made with a token together, for its quota `bytes`.
///
/// A pair is counted when something is to be added to it, and when it leaves the memory; its row has the count. What was
/// let go meanwhile is found when there seems to be no more room.
extension Relay {
  /// - Parameter bytes: that are to be added to a pair; they count from now on.
  /// - Throws: 4008 where the limit or its token's quota does not allow that.
  @inline(__always)
  package func checkQuota(ofBytes bytes: Int, _ pair: Pair) throws(WireError) {
    if isCounted(pair) { try checkQuotaClosely(bytes, pair) }
  }

  /// Whether there may be a bound to what a pair holds.
  @inline(__always)
  private func isCounted(_ pair: Pair) -> Bool { pair.maker != nil || limits.pairBytes > 0 }

  @inline(never)
  private func checkQuotaClosely(_ bytes: Int, _ pair: Pair) throws(WireError) {
    let quota = pair.maker.flatMap { options.access?.quota(of: $0)?.bytes }
    guard limits.pairBytes > 0 || quota != nil else { return }
    count(pair)
    guard limits.pairBytes == 0 || pair.held.all + bytes <= limits.pairBytes else {
      throw WireError(
        limit: "pairBytes",
        "this pair holds \(pair.held.all) bytes, and may hold \(limits.pairBytes)",
        "nothing was changed, acknowledge or cancel what waits")
    }
    if let maker = pair.maker, let quota { try checkQuota(quota, of: maker, bytes) }
    makerBytes.add(pair.maker, bytes)
    pair.held.all += bytes
  }

  private func checkQuota(_ most: Int, of maker: String, _ bytes: Int) throws(WireError) {
    if makerBytes[maker] + bytes > most, countedBatch != open.number {
      // Once a batch: what lets go of something is committed first.
      countedBatch = open.number
      for other in pairs.values where other.maker == maker { count(other) }
    }
    guard makerBytes[maker] + bytes <= most else {
      throw WireError(
        limit: "quota.bytes",
        "the pairs that were made with token \(maker) hold \(makerBytes[maker]) bytes, and its quota allows \(most)",
        "nothing was changed, acknowledge or cancel what waits, or erase a pair")
    }
  }

  /// Counts what a pair holds.
  func count(_ pair: Pair) {
    guard isCounted(pair) else { return }
    let before = pair.held.all
    if let bytes = pair.records.bytes { pair.held.records = bytes }
    pair.held.all = pair.held.records + pair.waitingBytes
    makerBytes.add(pair.maker, pair.held.all - before)
  }

  /// Where what is counted for a token is less than what its pairs in memory were counted at: for tests.
  package var heldFault: String? {
    var held: [String: Int] = [:]
    for pair in pairs.values {
      if let maker = pair.maker { held[maker, default: 0] += pair.held.all }
    }
    for (maker, bytes) in held where makerBytes[maker] < bytes {
      return "\(makerBytes[maker]) bytes are counted for token \(maker), whose pairs hold \(bytes)"
    }
    return numbers.isEmpty && !makerBytes.isEmpty
      ? "bytes are counted for pairs that are gone" : nil
  }

  /// A pair is about to leave the memory: its row is to say what it holds.
  func saveCount(_ pair: Pair) {
    count(pair)
    if pair.held != pair.heldInRow { changed(pair) }
  }
}

/// Bytes that a pair holds.
struct Held: Equatable {
  /// What waits, files on their way, contexts and merged records.
  var all = 0
  /// Rows of merged records.
  var records = 0
}

extension Pair {
  /// Bytes of what waits, of files on their way, and of contexts.
  fileprivate var waitingBytes: Int {
    devices.reduce(0) { sum, device in
      device.lanes.reduce(sum + device.fileBytes) { $0 + $1.bytes }
        + device.contexts.values.reduce(0) { $0 + $1.current.count }
    }
  }
}
