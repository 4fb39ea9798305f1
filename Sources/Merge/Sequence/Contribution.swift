/// What one replica inserted into a sequence, numbered 0, 1, 2 … in the order of its positions.
///
/// The numbers, ordinals, have no gaps, whatever the positions are: one after the other for a
/// paste, 2²⁰ apart for typing, further apart where the replica did something else in between. So
/// a run needs no stride, its text is a slice, and the run of an element is found by a table.
struct Contribution {
  /// Positions with even distances.
  ///
  /// The last stretch ends with `count`, every other one where the next starts.
  struct Stretch {
    var position: UInt64
    var ordinal: Int32
    var step: ElementRange.Step
  }

  /// One entry of the tables for so many elements.
  static let block: Int32 = 32

  let replica: UInt32
  private(set) var count: Int32 = 0
  private(set) var stretches = ContiguousArray<Stretch>()
  /// The run of every 32nd element; the runs between are linked by `nextByOrdinal`.
  var runs = ContiguousArray<Handle>()
  /// UTF-8, in the order of the ordinals; empty for slots.
  private var text = ContiguousArray<UInt8>()
  /// Where every 32nd scalar starts in the text; empty as long as all are ASCII.
  private var offsets = ContiguousArray<Int32>()

  init(replica: UInt32) {
    self.replica = replica
  }

  /// Bytes allocated.
  var byteCount: Int {
    stretches.capacity * MemoryLayout<Stretch>.stride + runs.capacity * 4 + text.capacity
      + offsets.capacity * 4
  }

  var hasText: Bool { !text.isEmpty }

  // MARK: Positions

  /// The position of the last element.
  var last: UInt64? { count == 0 ? nil : position(of: count - 1) }

  func element(_ ordinal: Int32) -> Element {
    Element(replica: replica, position: position(of: ordinal))
  }

  func position(of ordinal: Int32) -> UInt64 {
    let stretch = stretches[stretch { $0.ordinal <= ordinal }]
    return stretch.position + UInt64(ordinal - stretch.ordinal) * stretch.step.distance
  }

  func ordinal(of position: UInt64) -> Int32? {
    let at = stretch { $0.position <= position }
    guard at >= 0 else { return nil }
    let distance = stretches[at].step.distance
    let (steps, rest) = (position - stretches[at].position).quotientAndRemainder(
      dividingBy: distance)
    guard rest == 0, steps < UInt64(end(ofStretch: at) - stretches[at].ordinal) else { return nil }
    return stretches[at].ordinal + Int32(steps)
  }

  /// How many elements have no higher position.
  func ordinals(through position: UInt64) -> Int32 {
    let at = stretch { $0.position <= position }
    guard at >= 0 else { return 0 }
    let stretch = stretches[at]
    let steps = (position - stretch.position) / stretch.step.distance + 1
    let length = end(ofStretch: at) - stretch.ordinal
    return stretch.ordinal + Int32(min(steps, UInt64(length)))
  }

  /// The ordinals of those elements of a range that are here, in pieces, rising.
  ///
  /// - Complexity: O(log n + k) in the stretches, and in the range's count where its step is `seq`.
  func ordinals(of range: ElementRange) -> [Range<Int32>] {
    var found: [Range<Int32>] = []
    func add(_ part: Range<Int32>) {
      if let last = found.last, last.upperBound == part.lowerBound {
        found[found.count - 1] = last.lowerBound..<part.upperBound
      } else {
        found.append(part)
      }
    }
    guard range.step == .index else {
      for offset in 0..<range.count {
        if let ordinal = ordinal(of: range[offset].position) { add(ordinal..<ordinal + 1) }
      }
      return found
    }
    let first = range.first.position
    let last = first + UInt64(range.count) - 1
    var at = max(0, stretch { $0.position <= first })
    while at < stretches.count, stretches[at].position <= last {
      let stretch = stretches[at]
      let length = UInt64(end(ofStretch: at) - stretch.ordinal)
      let distance = stretch.step.distance
      let before =
        first > stretch.position ? (first - stretch.position + distance - 1) / distance : 0
      let through = min((last - stretch.position) / distance + 1, length)
      if before < through {
        add(stretch.ordinal + Int32(before)..<stretch.ordinal + Int32(through))
      }
      at += 1
    }
    return found
  }

  /// The elements with ordinals of a range, in pieces of even distances.
  func forEachRange(in ordinals: Range<Int32>, _ body: (ElementRange) -> Void) {
    guard !ordinals.isEmpty else { return }
    var at = stretch { $0.ordinal <= ordinals.lowerBound }
    var start = ordinals.lowerBound
    while start < ordinals.upperBound {
      let end = min(end(ofStretch: at), ordinals.upperBound)
      let position =
        stretches[at].position
        + UInt64(start - stretches[at].ordinal) * stretches[at].step.distance
      let count = Int(end - start)
      body(
        ElementRange(
          Element(replica: replica, position: position), count: count,
          step: count == 1 ? .index : stretches[at].step))
      start = end
      at += 1
    }
  }

  private func end(ofStretch at: Int) -> Int32 {
    at + 1 < stretches.count ? stretches[at + 1].ordinal : count
  }

  /// The last stretch that satisfies a condition which holds up to it and not after; else −1.
  @inline(__always)
  private func stretch(_ isBefore: (Stretch) -> Bool) -> Int {
    if let last = stretches.last, isBefore(last) { return stretches.count - 1 }
    var low = 0
    var high = stretches.count
    while low < high {
      let middle = (low + high) / 2
      if isBefore(stretches[middle]) { low = middle + 1 } else { high = middle }
    }
    return low - 1
  }

  // MARK: Growth

  /// Adds elements after all others; the caller calls `setRun` for all of them, in order.
  /// - Precondition: the position is above `last`.
  mutating func append(_ range: ElementRange, text added: String?) {
    let start = count
    extendStretches(by: range)
    count += Int32(range.count)
    if var added {
      added.withUTF8 { append($0, from: start) }
    }
  }

  private mutating func extendStretches(by range: ElementRange) {
    let position = range.first.position
    if let stretch = stretches.last {
      let length = count - stretch.ordinal
      let last = stretch.position + UInt64(length - 1) * stretch.step.distance
      if range.first.index > 0, position == last &+ 1, length == 1 || stretch.step == .index,
        range.count == 1 || range.step == .index
      {
        stretches[stretches.count - 1].step = .index
        return
      }
      if position == last &+ Element.indexLimit, length == 1 || stretch.step == .seq,
        range.count == 1 || range.step == .seq
      {
        stretches[stretches.count - 1].step = .seq
        return
      }
    }
    stretches.append(Stretch(position: position, ordinal: count, step: range.step))
  }

  private mutating func append(_ utf8: UnsafeBufferPointer<UInt8>, from start: Int32) {
    if offsets.isEmpty && utf8.count == Int(count - start) {
      text.append(contentsOf: utf8)
      return
    }
    if offsets.isEmpty {
      offsets.append(contentsOf: stride(from: 0, to: start, by: Int(Self.block)))
    }
    var ordinal = start
    for byte in utf8 {
      if byte & 0xC0 != 0x80 {
        if ordinal % Self.block == 0 { offsets.append(Int32(text.count)) }
        ordinal += 1
      }
      text.append(byte)
    }
  }

  // MARK: Runs

  /// Notes a run for those elements of a range that have an entry in the table.
  mutating func setRun(_ run: Handle, of ordinals: Range<Int32>) {
    var at = Int((ordinals.lowerBound + Self.block - 1) / Self.block)
    let end = Int((ordinals.upperBound + Self.block - 1) / Self.block)
    while at < end {
      if at < runs.count { runs[at] = run } else { runs.append(run) }
      at += 1
    }
  }

  // MARK: Text

  /// The UTF-8 of a range of elements.
  func withText<Result>(
    of ordinals: Range<Int32>, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    text.withUnsafeBufferPointer { text in
      guard !text.isEmpty else { return body(UnsafeBufferPointer(rebasing: text[0..<0])) }
      let start = offset(of: ordinals.lowerBound, in: text)
      let end = offset(of: ordinals.upperBound, in: text)
      return body(UnsafeBufferPointer(rebasing: text[start..<end]))
    }
  }

  private func offset(of ordinal: Int32, in text: UnsafeBufferPointer<UInt8>) -> Int {
    guard ordinal < count else { return text.count }
    guard !offsets.isEmpty else { return Int(ordinal) }
    var offset = Int(offsets[Int(ordinal / Self.block)])
    for _ in 0..<ordinal % Self.block {
      offset += 1
      while text[offset] & 0xC0 == 0x80 { offset += 1 }
    }
    return offset
  }
}
