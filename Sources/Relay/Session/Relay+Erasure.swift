import Journal
import Wire

/// Erasing a pair: what the store has of it goes, and its name is as if nobody had ever used it.
///
/// ```
/// in memory ──erase──► leaving: without a name, its rows go with the open batch
///                         │ what its items hold of the segments is let go, a piece a turn
///                         ▼ all of that done, and the batch committed
///                        gone
/// ```
/// A server that is killed in between finds no such pair, and lets all of its items go.
extension Relay {
  /// What devices are told of the store that a pair is in. A pair that is made after one was erased has
  /// another: its numbers begin anew, and it may be the same devices that come.
  package func storeName(of pair: Pair?) -> String {
    let generation = pair?.generation ?? erasures
    return generation == 0 ? identity : "\(identity)~\(generation)"
  }

  /// Erases a pair in the open batch. Nobody has a session in it.
  func erase(_ pair: Pair) {
    precondition(!pair.isConnected, "pair \(pair.name) is erased while somebody is connected")
    numbers[PairName(app: pair.app, name: pair.name)] = nil
    pairs[pair.number] = nil
    makers.remove(pair.maker)
    makerBytes.remove(pair.maker, pair.held.all)
    uploadDeadlines[pair.number] = nil
    countWaiting(of: pair, isComing: false)
    if pair.devices.contains(where: \.isFetching) {
      fetches = fetches.filter { $0.value.device.pair !== pair }
    }
    pair.isErased = true
    open.drop(pair)
    hubs?.erase(pair)
    open.removedPairs.append(pair.number)
    erasures += 1
    isStoreRowDirty = true
    leaving.append(Leaving(pair: pair, batch: open.number))
  }

  /// Lets go what erased pairs hold, as far as a turn allows.
  func letGo() {
    var left = Work.pieceOfItems
    for index in leaving.indices where left > 0 { left -= letGo(leaving[index].pair, atMost: left) }
    leaving.removeAll {
      let isGone = $0.batch <= committed && !$0.hasItems
      if isGone { $0.pair.dissolve() }
      return isGone
    }
  }

  /// - Returns: how many items and pieces of files that was.
  private func letGo(_ pair: Pair, atMost most: Int) -> Int {
    var count = 0
    for device in pair.devices {
      for name in LaneName.allCases where name != .context {
        while count < most, let item = device[name].items.popFirst() {
          if !item.flags.contains(.removed) { release(item) }
          count += 1
        }
      }
    }
    for file in pair.files.values {
      while count < most, let chunk = file.chunks.popLast() {
        release(chunk.reference)
        count += 1
      }
    }
    return count
  }
}

/// A pair that was erased.
struct Leaving {
  let pair: Pair
  /// The batch that removes its rows. Until that is committed, others may still refer to its devices.
  let batch: UInt64

  /// Whether it holds something of a segment.
  var hasItems: Bool {
    pair.devices.contains { device in
      LaneName.allCases.contains { $0 != .context && device[$0].items.count > 0 }
    } || pair.files.values.contains { !$0.chunks.isEmpty }
  }
}

extension OpenBatch {
  /// Nothing of a pair is to be written.
  mutating func drop(_ pair: Pair) {
    devices.removeAll { $0.pair === pair }
    incarnations.removeAll { $0.device.pair === pair }
    pairs.removeAll { $0 === pair }
    contexts.removeAll { $0.receiver.pair === pair }
    files.removeAll { $0.pair === pair }
    removedRows.removeAll { $0.pair == pair.number }
    outdated.removeAll { $0 === pair }
    after.evicted.removeAll { $0 === pair }
  }
}
