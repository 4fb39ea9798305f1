/// What a sequence showed at an older version: what an edit refers to whose author saw that.
///
/// It holds no part of the sequence, so the sequence may be edited meanwhile.
package struct OldView: Sendable {
  /// The visible elements in order.
  package internal(set) var elements: [ElementRange] = []
  /// How many elements come before each of `elements`.
  private var offsets: [Int] = []
  package private(set) var count = 0
  /// The visible characters as UTF-8.
  package internal(set) var utf8: [UInt8] = []
  let version: Version

  /// The visible characters.
  package var text: String { String(decoding: utf8, as: UTF8.self) }

  init(version: Version) {
    self.version = version
  }

  mutating func append(_ range: ElementRange) {
    let known = elements.count
    elements.append(joining: range)
    if elements.count > known { offsets.append(count) }
    count += range.count
  }

  /// The visible element at an offset.
  /// - Precondition: 0 ..< `count`.
  package subscript(offset: Int) -> Element {
    precondition(offset >= 0 && offset < count)
    let at = index(of: offset)
    return elements[at][offset - offsets[at]]
  }

  /// The elements at visible offsets, in order: what a delete action names.
  /// - Precondition: within 0 ..< `count`.
  package func elements(in range: Range<Int>) -> [ElementRange] {
    guard !range.isEmpty else { return [] }
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    var ranges: [ElementRange] = []
    var at = index(of: range.lowerBound)
    var start = range.lowerBound
    while start < range.upperBound {
      var part = elements[at]
      let inner = start - offsets[at]
      part.first = part[inner]
      part.count = min(part.count - inner, range.upperBound - start)
      if part.count == 1 { part.step = .index }
      ranges.append(part)
      start += part.count
      at += 1
    }
    return ranges
  }

  private func index(of offset: Int) -> Int {
    var low = 0
    var high = offsets.count
    while low < high {
      let middle = (low + high) / 2
      if offsets[middle] <= offset { low = middle + 1 } else { high = middle }
    }
    return low - 1
  }
}

/// A version vector, reduced to the replicas that matter to a sequence.
struct Version: Sendable {
  /// By ascending replica, with the last position that is within.
  private var lasts: [(replica: UInt32, position: UInt64)] = []

  /// - Parameter known: the last sequence number of a replica within the version.
  init(of fugue: Fugue, known: (UInt32) -> UInt64) {
    for index in fugue.directory {
      let replica = fugue.contributions[Int(index)].replica
      let seq = min(known(replica), Element.seqLimit - 1)
      lasts.append((replica, seq << 20 | (Element.indexLimit - 1)))
    }
  }

  /// The last position of a replica that is within.
  func last(of replica: UInt32) -> UInt64? {
    var low = 0
    var high = lasts.count
    while low < high {
      let middle = (low + high) / 2
      if lasts[middle].replica < replica { low = middle + 1 } else { high = middle }
    }
    return low < lasts.count && lasts[low].replica == replica ? lasts[low].position : nil
  }

  func contains(_ element: Element) -> Bool {
    last(of: element.replica).map { element.position <= $0 } ?? false
  }
}
