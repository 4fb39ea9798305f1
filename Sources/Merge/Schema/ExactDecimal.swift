/// The number that a text spells, exactly: ±0.d₁d₂d₃… × 10^point.
struct ExactDecimal: Equatable {
  var isNegative = false
  /// Neither the first nor the last is 0; empty for zero.
  var digits: [UInt8] = []
  var point = 0

  /// Beyond this an exponent's size makes no difference, and sums of it cannot overflow.
  private static let largestExponent = 1 << 40

  /// Reads a number as JSON spells it (RFC 8259 section 6), nil for anything else.
  init?(_ text: some Sequence<UInt8>) {
    var bytes = text.makeIterator()
    var next = bytes.next()
    isNegative = next == 0x2D
    if isNegative { next = bytes.next() }

    guard let first = Self.digit(next) else { return nil }
    next = bytes.next()
    if first == 0 {
      guard Self.digit(next) == nil else { return nil }
    } else {
      digits.append(first)
      while let digit = Self.digit(next) {
        digits.append(digit)
        next = bytes.next()
      }
      point = digits.count
    }
    if next == 0x2E {
      next = bytes.next()
      guard Self.digit(next) != nil else { return nil }
      while let digit = Self.digit(next) {
        if digit != 0 || !digits.isEmpty { digits.append(digit) } else { point -= 1 }
        next = bytes.next()
      }
    }
    if let letter = next, letter | 0x20 == 0x65 {
      next = bytes.next()
      let isSmall = next == 0x2D
      if isSmall || next == 0x2B { next = bytes.next() }
      guard Self.digit(next) != nil else { return nil }
      var exponent = 0
      while let digit = Self.digit(next) {
        exponent = min(exponent * 10 + Int(digit), Self.largestExponent)
        next = bytes.next()
      }
      point += isSmall ? -exponent : exponent
    }
    guard next == nil else { return nil }
    while digits.last == 0 { digits.removeLast() }
    if digits.isEmpty {
      isNegative = false
      point = 0
    }
  }

  private static func digit(_ byte: UInt8?) -> UInt8? {
    guard let byte, case 0x30...0x39 = byte else { return nil }
    return byte - 0x30
  }

  /// The number as an integer of 64 bits, nil where it is none.
  var integer: Int64? {
    guard point >= digits.count, point <= 19 else { return nil }
    var result: Int64 = 0
    for place in 0..<point {
      let digit = Int64(place < digits.count ? digits[place] : 0)
      let (tens, high) = result.multipliedReportingOverflow(by: 10)
      // Built downwards where negative, for the lowest number has no positive counterpart.
      let (sum, low) =
        isNegative
        ? tens.subtractingReportingOverflow(digit) : tens.addingReportingOverflow(digit)
      if high || low { return nil }
      result = sum
    }
    return result
  }

  /// Without exponent and needless zeros; nil where that takes more than `limit` digits. A zero
  /// that stands alone before the point is not counted.
  func plain(limit: Int) -> [UInt8]? {
    if digits.isEmpty { return [0x30] }
    guard point <= limit, digits.count - point <= limit,
      max(point, 0) + max(digits.count - point, 0) <= limit
    else { return nil }
    var text: [UInt8] = isNegative ? [0x2D] : []
    if point <= 0 { text.append(0x30) }
    for place in 0..<max(point, 0) {
      text.append(0x30 + (place < digits.count ? digits[place] : 0))
    }
    guard point < digits.count else { return text }
    text.append(0x2E)
    text += repeatElement(0x30, count: max(-point, 0))
    text += digits[max(point, 0)...].map { 0x30 + $0 }
    return text
  }

  /// As ECMAScript spells the number of these digits (ECMA-262, Number::toString; RFC 8785
  /// section 3.2.2.3).
  var scripted: [UInt8] {
    if digits.isEmpty { return [0x30] }
    if -6 < point, point <= 21, let text = plain(limit: .max) { return text }
    var text: [UInt8] = isNegative ? [0x2D] : []
    text.append(0x30 + digits[0])
    if digits.count > 1 {
      text.append(0x2E)
      text += digits.dropFirst().map { 0x30 + $0 }
    }
    text += "e\(point > 0 ? "+" : "")\(point - 1)".utf8
    return text
  }
}

extension ExactDecimal: Comparable {
  static func < (left: ExactDecimal, right: ExactDecimal) -> Bool {
    if left.isNegative != right.isNegative { return left.isNegative }
    return left.isNegative ? right.isBelow(left) : left.isBelow(right)
  }

  /// Compares without signs.
  private func isBelow(_ other: ExactDecimal) -> Bool {
    if digits.isEmpty || other.digits.isEmpty { return digits.isEmpty && !other.digits.isEmpty }
    return point != other.point
      ? point < other.point : digits.lexicographicallyPrecedes(other.digits)
  }
}
