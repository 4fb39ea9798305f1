internal import Merge

// What the oracle needs to know of operations, written a second time as well: a fault in the merge's
// own helpers must not be shared by its judge.

extension Stamp {
  /// By milliseconds, rank, counter, device, incarnation.
  func isBelow(_ other: Stamp) -> Bool {
    if ms != other.ms { return ms < other.ms }
    if rank != other.rank { return rank < other.rank }
    if counter != other.counter { return counter < other.counter }
    let (one, two) = (replica, other.replica)
    if one.device.high != two.device.high { return one.device.high < two.device.high }
    if one.device.low != two.device.low { return one.device.low < two.device.low }
    return one.incarnation < two.incarnation
  }
}

extension Operation {
  /// Whether its writer had been shown another one.
  func hasSeen(_ other: Dot) -> Bool {
    if other.replica == dot.replica { return other.seq <= context.own }
    return context.others.entries.contains {
      $0.replica == other.replica && other.seq <= $0.seq
    }
  }
}

extension Action {
  /// Whether it keeps its record: creates, restores and what is content do; places, deletes and what
  /// is not known do not.
  package var isTouch: Bool {
    switch body {
    case .create, .restore: return true
    case .delete, .move, .unknown: return false
    case .write, .insert, .erase: return revives
    }
  }

  /// How many elements it puts into a sequence.
  var insertedElements: Int {
    switch body {
    case .move: return 1
    case .insert(_, _, let text): return text.text.unicodeScalars.count
    case .create, .restore, .delete, .write, .erase, .unknown: return 0
    }
  }
}
