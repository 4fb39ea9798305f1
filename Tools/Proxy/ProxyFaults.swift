import Seeded

/// The faults that a proxy injects by itself, each off where it is nil.
package struct ProxyFaults: Equatable, Sendable {
  /// Every read waits so many milliseconds, drawn for each, before it is passed on; order is kept.
  package var delay: ClosedRange<Int>?
  /// What is read is passed on in pieces of 1 to so many bytes.
  package var slice: Int?
  /// Every second connection is cut so many milliseconds after it was opened.
  package var cut: ClosedRange<Int>?
  /// In every second connection a direction, or both, stops so many milliseconds after opening.
  package var oneWay: ClosedRange<Int>?
  /// Of 100 connections so many are opened twice, and what the client sends goes to both.
  package var duplicate: Int?

  package init(
    delay: ClosedRange<Int>? = nil, slice: Int? = nil, cut: ClosedRange<Int>? = nil,
    oneWay: ClosedRange<Int>? = nil, duplicate: Int? = nil
  ) {
    self.delay = delay
    self.slice = slice
    self.cut = cut
    self.oneWay = oneWay
    self.duplicate = duplicate
  }

  /// The longest time that a fault may wait for: an hour, in milliseconds.
  package static let longest = 3_600_000
  /// The largest pieces: 64 KiB.
  package static let largestSlice = 65_536

  /// Draws which faults there are, each with an even chance but at least one, and
  /// how strong they are.
  package static func drawn(seed: UInt64) -> ProxyFaults {
    var random = SplitMix64(seed: seed, stream: -1)
    var faults = ProxyFaults()
    func range(_ shortest: ClosedRange<Int>, upTo longest: Int) -> ClosedRange<Int> {
      let start = Int.random(in: shortest, using: &random)
      return start...Int.random(in: start...longest, using: &random)
    }
    // All are drawn, so that one fault's switch does not change another's strength.
    let delay = range(0...20, upTo: 250)
    let slice = [1, 7, 64, 1500].randomElement(using: &random)!
    let cut = range(100...2000, upTo: 8000)
    let oneWay = range(100...2000, upTo: 8000)
    let duplicate = Int.random(in: 5...50, using: &random)
    if Bool.random(using: &random) { faults.delay = delay }
    if Bool.random(using: &random) { faults.slice = slice }
    if Bool.random(using: &random) { faults.cut = cut }
    if Bool.random(using: &random) { faults.oneWay = oneWay }
    if Bool.random(using: &random) { faults.duplicate = duplicate }
    // A seed is asked for to have faults.
    if faults == ProxyFaults() { faults.delay = delay }
    return faults
  }

  /// As options of the command line, ready to be pasted; empty for none.
  package var options: String {
    func text(_ range: ClosedRange<Int>) -> String { "\(range.lowerBound)..\(range.upperBound)" }
    var words: [String] = []
    if let delay { words.append("--delay \(text(delay))") }
    if let slice { words.append("--slice \(slice)") }
    if let cut { words.append("--cut \(text(cut))") }
    if let oneWay { words.append("--one-way \(text(oneWay))") }
    if let duplicate { words.append("--duplicate \(duplicate)") }
    return words.joined(separator: " ")
  }
}
