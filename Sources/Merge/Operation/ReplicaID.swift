import Wire

/// A universally unique identifier, as its 128 bits.
package struct Identifier: Hashable, Comparable, Sendable {
  package var high: UInt64
  package var low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  package static func < (left: Identifier, right: Identifier) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}

/// Who writes operations: a device's installation, or one of the hub's own stand-ins.
///
/// `incarnation` is drawn anew at install, restore and reset, so that a device that was set back
/// never gives a second operation the dot of a first.
package struct ReplicaID: Hashable, Comparable, Sendable {
  package var device: Identifier
  package var incarnation: UInt64

  package init(device: Identifier, incarnation: UInt64) {
    self.device = device
    self.incarnation = incarnation
  }

  package static func < (left: ReplicaID, right: ReplicaID) -> Bool {
    left.device != right.device
      ? left.device < right.device : left.incarnation < right.incarnation
  }
}

/// The name of an operation: the `seq`-th of its replica, from 1 without gaps.
package struct Dot: Hashable, Sendable {
  package var replica: ReplicaID
  package var seq: UInt64

  package init(_ replica: ReplicaID, _ seq: UInt64) {
    self.replica = replica
    self.seq = seq
  }

  /// One more than the largest `seq`.
  package static let seqLimit: UInt64 = 1 << 44
}

/// The name of one element of a sequence, a character or a slot: the `index`-th, from 0, that
/// the operation inserts, counted over all of its actions.
package struct ElementID: Hashable, Sendable {
  package var dot: Dot
  package var index: UInt32

  package init(_ dot: Dot, _ index: UInt32) {
    self.dot = dot
    self.index = index
  }

  /// One more than the largest index.
  package static let indexLimit: UInt32 = 1 << 20
}

// MARK: Spelling

extension [UInt8] {
  /// As its description.
  mutating func append(spelled identifier: Identifier) {
    for index in 0..<32 {
      if index == 8 || index == 12 || index == 16 || index == 20 { append(0x2D) }
      let word = index < 16 ? identifier.high : identifier.low
      let digit = UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * (index & 15)) & 15)
      append(digit < 10 ? 0x30 + digit : 0x37 + digit)
    }
  }

  /// As its description.
  mutating func append(spelled replica: ReplicaID) {
    append(spelled: replica.device)
    append(0x2E)
    append(decimal: replica.incarnation)
  }

  /// As its description.
  mutating func append(spelled element: ElementID) {
    append(spelled: element.dot.replica)
    append(0x2F)
    append(decimal: element.dot.seq)
    append(0x2F)
    append(decimal: element.index)
  }
}

extension String {
  /// What is appended to an empty array.
  ///
  /// - Parameter capacity: about how many bytes that is.
  init(utf8 capacity: Int, _ append: (inout [UInt8]) -> Void) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(capacity)
    append(&bytes)
    self.init(decoding: bytes, as: UTF8.self)
  }
}

extension Identifier: CustomStringConvertible {
  /// Upper case, 8-4-4-4-12 (RFC 9562 section 4).
  package var description: String { String(utf8: 36) { $0.append(spelled: self) } }

  /// nil where the text is not 8-4-4-4-12 hexadecimal digits; lower case is accepted.
  package init?(_ text: some Sequence<UInt8>) {
    var bytes = text.makeIterator()
    // So many digits more, and what follows them.
    func digits(_ count: Int, _ number: inout UInt64, then dash: UInt8?) -> Bool {
      for _ in 0..<count {
        guard let byte = bytes.next() else { return false }
        let (digit, letter) = (byte &- 0x30, (byte | 0x20) &- 0x61)
        guard digit < 10 || letter < 6 else { return false }
        number = number << 4 | UInt64(digit < 10 ? digit : letter + 10)
      }
      return bytes.next() == dash
    }
    var (high, low): (UInt64, UInt64) = (0, 0)
    guard digits(8, &high, then: 0x2D), digits(4, &high, then: 0x2D), digits(4, &high, then: 0x2D),
      digits(4, &low, then: 0x2D), digits(12, &low, then: nil)
    else { return nil }
    self.init(high: high, low: low)
  }
}

extension ReplicaID: CustomStringConvertible {
  /// `<device>.<incarnation in decimal>`.
  package var description: String { String(utf8: 57) { $0.append(spelled: self) } }

  package init?(_ text: some Collection<UInt8>) {
    guard let point = text.firstIndex(of: 0x2E), let device = Identifier(text[..<point]),
      let incarnation = UInt64(decimal: text[text.index(after: point)...])
    else { return nil }
    self.init(device: device, incarnation: incarnation)
  }
}

extension Dot: CustomStringConvertible {
  /// `<replica>/<seq>`.
  package var description: String { "\(replica)/\(seq)" }
}

extension ElementID: CustomStringConvertible {
  /// `<replica>/<seq>/<index>`.
  package var description: String { String(utf8: 84) { $0.append(spelled: self) } }

  package init?(_ text: some BidirectionalCollection<UInt8>) {
    guard let first = text.firstIndex(of: 0x2F), let last = text.lastIndex(of: 0x2F), first < last,
      let replica = ReplicaID(text[..<first]),
      let seq = UInt64(decimal: text[text.index(after: first)..<last]), seq > 0,
      seq < Dot.seqLimit, let index = UInt64(decimal: text[text.index(after: last)...]),
      index < Self.indexLimit
    else { return nil }
    self.init(Dot(replica, seq), UInt32(index))
  }
}

extension UInt64 {
  /// The number that plain decimal digits spell, without sign or leading zeros; else nil.
  package init?(decimal text: some Collection<UInt8>) {
    guard let first = text.first, text.count == 1 || first != 0x30 else { return nil }
    var value: UInt64 = 0
    for byte in text {
      guard case 0x30...0x39 = byte else { return nil }
      let (tens, high) = value.multipliedReportingOverflow(by: 10)
      let (sum, low) = tens.addingReportingOverflow(UInt64(byte - 0x30))
      if high || low { return nil }
      value = sum
    }
    self = value
  }
}

extension Int64 {
  /// The number that decimal digits spell, with a sign or without; else nil.
  init?(spelled text: UnsafeRawBufferPointer) {
    // As it is mostly written.
    if let plain = UInt64(decimal: text), let number = Int64(exactly: plain) {
      self = number
    } else {
      self.init(String(decoding: text, as: UTF8.self))
    }
  }
}
