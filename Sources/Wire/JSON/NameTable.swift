/// Finds which of a list of names some bytes are, with one multiplication and one comparison.
///
/// A perfect hash over the name's first and last eight bytes and its length. The multiplier is
/// found when the table is built, so that a new name needs no change here. A table never changes
/// and is never freed: plain pointers keep reference counts out of the hot path.
struct NameTable: @unchecked Sendable {
  static let keys = NameTable(Key.allCases.map(\.rawValue))
  /// Of the names that fit.
  static let requests = NameTable(Request.allCases.map(\.rawValue))
  static let longestName = 32

  private static let slotBits: UInt64 = 10
  private static let none: UInt8 = 0xFF

  private let multiplier: UInt64
  private let slots: UnsafePointer<UInt8>
  private let entries: UnsafePointer<Name>

  /// A name of at most 32 bytes as words; those of a longer name than eight bytes overlap.
  struct Name: Equatable {
    var length = 0
    var first: UInt64 = 0
    var second: UInt64 = 0
    var third: UInt64 = 0
    var last: UInt64 = 0

    /// - Parameter limit: no byte at or after it may be read.
    @inline(always)
    init(_ bytes: UnsafePointer<UInt8>, from: Int, to: Int, limit: Int) {
      length = to &- from
      if length > 8 {
        first = word(bytes, at: from)
        last = word(bytes, at: to &- 8)
        if length > 16 {
          second = word(bytes, at: from &+ 8)
          third = word(bytes, at: min(from &+ 16, to &- 8))
        }
      } else if from &+ 8 <= limit {
        first = word(bytes, at: from) & (UInt64.max >> UInt64(64 &- 8 &* length))
      } else {
        var at = to
        while at > from {
          at &-= 1
          first = first << 8 | UInt64(bytes[at])
        }
      }
    }

    @inline(always)
    func slot(_ multiplier: UInt64) -> Int {
      let mixed = (first ^ (last << 7 | last >> 57) &+ UInt64(truncatingIfNeeded: length))
      return Int(truncatingIfNeeded: (mixed &* multiplier) >> (64 - NameTable.slotBits))
    }
  }

  /// - Parameter texts: at most 255; those longer than `longestName` are not found.
  private init(_ texts: [String]) {
    precondition(texts.count <= Int(Self.none))
    var names: [Name] = []
    for text in texts {
      let utf8 = Array(text.utf8.prefix(Self.longestName + 1))
      utf8.withUnsafeBufferPointer {
        names.append(Name($0.baseAddress!, from: 0, to: utf8.count, limit: utf8.count))
      }
    }
    var candidate: UInt64 = 0x9E37_79B9_7F4A_7C15
    search: while true {
      var table = [UInt8](repeating: Self.none, count: 1 << Int(Self.slotBits))
      for (index, name) in names.enumerated() {
        let slot = name.slot(candidate)
        guard table[slot] == Self.none else {
          // Any odd number will do; this walks through them in a scattered order.
          candidate = candidate &* 6_364_136_223_846_793_005 | 1
          candidate = (candidate << 17 | candidate >> 47) | 1
          continue search
        }
        table[slot] = UInt8(index)
      }
      multiplier = candidate
      slots = Self.immortal(table)
      entries = Self.immortal(names)
      return
    }
  }

  private static func immortal<Element>(_ elements: [Element]) -> UnsafePointer<Element> {
    let memory = UnsafeMutableBufferPointer<Element>.allocate(capacity: elements.count)
    _ = memory.initialize(from: elements)
    return UnsafePointer(memory.baseAddress!)
  }

  /// Position in the list of the name at `from..<to`, or nil.
  @inline(always)
  func find(_ bytes: UnsafePointer<UInt8>, from: Int, to: Int, limit: Int) -> UInt8? {
    guard to > from, to &- from <= Self.longestName else { return nil }
    let name = Name(bytes, from: from, to: to, limit: limit)
    let index = slots[name.slot(multiplier)]
    guard index != Self.none, entries[Int(index)] == name else { return nil }
    return index
  }
}
