/// Which operation deleted which elements: what older versions are computed from.
///
/// An element is dead at a version when any of its deletions lies within it. Deletions that follow
/// each other, as the keys Delete and Backspace make them, share an entry.
struct DeletionLog {
  struct Entry {
    enum Kind: UInt8 {
      /// One operation deleted all.
      case whole
      /// Operation `seq + i` deleted ordinal `start + i`.
      case forward
      /// Operation `seq + i` deleted ordinal `start − i`.
      case backward
      /// Dead at every version that can be asked for: it came with a snapshot.
      case always
    }
    var kind: Kind
    /// Who deleted.
    var replica: UInt32
    var seq: UInt64
    /// Whose elements.
    var contributor: Int32
    var start: Int32
    var count: Int32

    /// The ordinals whose deletions lie within a version.
    func ordinals(within known: (UInt32) -> UInt64) -> Range<Int32> {
      if kind == .always { return start..<start + count }
      let last = known(replica)
      guard seq <= last else { return start..<start }
      let within = Int32(min(UInt64(count - 1), last - seq)) + 1
      switch kind {
      case .whole, .always: return start..<start + count
      case .forward: return start..<start + within
      case .backward: return start - within + 1..<start + 1
      }
    }
  }

  private(set) var entries = ContiguousArray<Entry>()

  /// Bytes allocated.
  var byteCount: Int { entries.capacity * MemoryLayout<Entry>.stride }

  mutating func append(_ entry: Entry) {
    if let last = entries.last, let joined = last.joined(with: entry) {
      entries[entries.count - 1] = joined
    } else {
      entries.append(entry)
    }
  }
}

extension DeletionLog {
  /// Appends what of another sequence's entry concerns elements that this sequence has.
  mutating func append(_ entry: Entry, of old: Fugue, in new: Fugue) {
    for offset in 0..<entry.count {
      var part = entry
      part.count = 1
      part.start = entry.kind == .backward ? entry.start - offset : entry.start + offset
      let place = Place(contributor: entry.contributor, ordinal: part.start)
      guard let found = new.place(of: old.element(at: place)) else { continue }
      if entry.kind == .forward || entry.kind == .backward {
        part.seq += UInt64(offset)
        part.kind = .whole
      }
      (part.contributor, part.start) = (found.contributor, found.ordinal)
      append(part)
    }
  }
}

extension DeletionLog.Entry {
  /// One entry that says the same as both.
  fileprivate func joined(with next: Self) -> Self? {
    guard replica == next.replica, contributor == next.contributor else { return nil }
    var joined = self
    joined.count += next.count
    switch (kind, next.kind) {
    case (.always, .always), (.whole, .whole):
      guard seq == next.seq, start + count == next.start else { break }
      return joined
    default: break
    }
    guard next.kind == .whole, next.count == 1, next.seq == seq + UInt64(count) else { return nil }
    switch kind {
    case .whole where count == 1, .forward:
      if next.start == start + count {
        joined.kind = .forward
        return joined
      }
      guard kind == .whole else { return nil }
      fallthrough
    case .backward:
      guard next.start == start - count else { return nil }
      joined.kind = .backward
      return joined
    default: return nil
    }
  }
}
