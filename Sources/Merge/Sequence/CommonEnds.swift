/// What two texts have in common at both ends: the longest prefix, and then the longest suffix, of
/// whole grapheme clusters, in bytes.
///
/// The bytes are compared first. Where they stop to be equal may be the middle of a cluster, so each
/// text is read on from a place before it where a cluster starts for certain, and the two meet at
/// the nearest place where a cluster starts in both.
///
/// - Complexity: O(n), whatever the texts are. A test of one place by `String` walks back through
///   its cluster, and a cluster may be the whole text.
struct CommonEnds {
  private(set) var prefix = 0
  private(set) var suffix = 0
  /// Bytes compared and scalars looked at: what the tests hold to the texts' length.
  private(set) var work = 0

  init(_ old: String, _ new: String) {
    var (old, new) = (old, new)
    old.withUTF8 { old in new.withUTF8 { new in find(old, new) } }
  }

  private mutating func find(
    _ old: UnsafeBufferPointer<UInt8>, _ new: UnsafeBufferPointer<UInt8>
  ) {
    let shorter = min(old.count, new.count)
    var same = 0
    while same < shorter, old[same] == new[same] { same += 1 }
    work += same
    var first = ClusterStarts(old)
    var second = ClusterStarts(new)
    var start = same
    repeat {
      first.goBack(from: start, to: 0)
      second.goBack(from: first.place, to: 0)
      start = second.place
    } while first.place != start
    prefix = start
    while first.place < same || second.place < same {
      if first.place <= second.place { first.goOn() } else { second.goOn() }
      if first.place == second.place, first.place <= same { prefix = first.place }
    }

    let most = shorter - prefix
    same = 0
    while same < most, old[old.count - 1 - same] == new[new.count - 1 - same] { same += 1 }
    work += same
    first.goBack(from: old.count - same, to: prefix)
    second.goBack(from: new.count - same, to: prefix)
    while first.rest != second.rest || first.rest > same {
      if first.rest >= second.rest { first.goOn() } else { second.goOn() }
    }
    suffix = first.rest
    work += first.work + second.work
  }
}

/// The places of a text where grapheme clusters start, one after the other, and its end.
private struct ClusterStarts {
  private let utf8: UnsafeBufferPointer<UInt8>
  private var recognizer = Unicode._CharacterRecognizer()
  /// Where a cluster starts, or the end.
  private(set) var place = 0
  /// Scalars looked at.
  private(set) var work = 0

  init(_ utf8: UnsafeBufferPointer<UInt8>) { self.utf8 = utf8 }

  /// Bytes from the place to the end.
  var rest: Int { utf8.count - place }

  /// Goes to a place at or before one that may be in the middle of a scalar: as near as can be told
  /// by two scalars.
  ///
  /// - Parameter first: a place where a cluster starts; it goes no further.
  mutating func goBack(from start: Int, to first: Int) {
    place = start
    while place > first, place < utf8.count, isInside(place) { place -= 1 }
    while place > first, !isCertain(place) { place = previous(place) }
    recognizer = Unicode._CharacterRecognizer()
    if place < utf8.count { _ = recognizer.hasBreak(before: scalar(place).scalar) }
  }

  /// Goes on to the next one, which is the end at last.
  mutating func goOn() {
    guard place < utf8.count else { return }
    repeat {
      place += scalar(place).length
      work += 1
    } while place < utf8.count && !recognizer.hasBreak(before: scalar(place).scalar)
  }

  /// Whether a cluster starts at a place whatever comes before the scalar before it.
  ///
  /// What comes further before matters (Unicode Standard Annex 29, GB9c to GB13) only where that
  /// scalar is a part of what it follows, or where both are regional indicators, which do not break
  /// on their own.
  private mutating func isCertain(_ place: Int) -> Bool {
    work += 1
    guard place < utf8.count else { return true }
    var recognizer = Unicode._CharacterRecognizer()
    _ = recognizer.hasBreak(before: "x")
    return recognizer.hasBreak(before: scalar(previous(place)).scalar)
      && recognizer.hasBreak(before: scalar(place).scalar)
  }

  private func isInside(_ place: Int) -> Bool { utf8[place] & 0xC0 == 0x80 }

  private func previous(_ place: Int) -> Int {
    var place = place - 1
    while place > 0, isInside(place) { place -= 1 }
    return place
  }

  /// The scalar at a place; the bytes are those of a `String`, and therefore right.
  private func scalar(_ place: Int) -> (scalar: Unicode.Scalar, length: Int) {
    let first = UInt32(utf8[place])
    if first < 0x80 { return (Unicode.Scalar(UInt8(first)), 1) }
    let length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    var value = first & (0x7F >> UInt32(length))
    for offset in 1..<length { value = value << 6 | UInt32(utf8[place + offset] & 0x3F) }
    return (Unicode.Scalar(value)!, length)
  }
}
