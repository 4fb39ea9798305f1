/// A whole number from 0 on, of any size.
struct Natural: Hashable, Sendable {
  /// In the base 10⁹, the lowest first; the last is not 0.
  private var limbs: [UInt32] = []

  private static let base: UInt64 = 1_000_000_000

  init() {}

  /// - Parameter digits: from 0 to 9, the highest first.
  init(digits: some BidirectionalCollection<UInt8>) {
    var (limb, scale): (UInt32, UInt32) = (0, 1)
    for digit in digits.reversed() {
      limb += UInt32(digit) * scale
      scale *= 10
      if UInt64(scale) == Self.base {
        limbs.append(limb)
        (limb, scale) = (0, 1)
      }
    }
    limbs.append(limb)
    trim()
  }

  var isZero: Bool { limbs.isEmpty }

  private mutating func trim() {
    while limbs.last == 0 { limbs.removeLast() }
  }

  static func + (left: Natural, right: Natural) -> Natural {
    var sum = Natural()
    var carry: UInt64 = 0
    for index in 0..<max(left.limbs.count, right.limbs.count) {
      for limbs in [left.limbs, right.limbs] where index < limbs.count {
        carry += UInt64(limbs[index])
      }
      sum.limbs.append(UInt32(carry % base))
      carry /= base
    }
    if carry > 0 { sum.limbs.append(UInt32(carry)) }
    return sum
  }

  static func * (left: Natural, right: UInt32) -> Natural {
    var product = Natural()
    var carry: UInt64 = 0
    for limb in left.limbs {
      carry += UInt64(limb) * UInt64(right)
      product.limbs.append(UInt32(carry % base))
      carry /= base
    }
    while carry > 0 {
      product.limbs.append(UInt32(carry % base))
      carry /= base
    }
    product.trim()
    return product
  }

  /// The quotient, and what is left.
  ///
  /// - Precondition: the divisor is above 0.
  func divided(by divisor: UInt32) -> (quotient: Natural, remainder: UInt32) {
    var quotient = self
    var rest: UInt64 = 0
    for index in limbs.indices.reversed() {
      rest = rest * Self.base + UInt64(limbs[index])
      quotient.limbs[index] = UInt32(rest / UInt64(divisor))
      rest %= UInt64(divisor)
    }
    quotient.trim()
    return (quotient, UInt32(rest))
  }

  /// In decimal digits.
  var text: String {
    guard let last = limbs.last else { return "0" }
    return limbs.dropLast().reversed().reduce(String(last)) { text, limb in
      let digits = String(limb)
      return text + String(repeating: "0", count: 9 - digits.count) + digits
    }
  }
}

extension Natural: Comparable {
  static func < (left: Natural, right: Natural) -> Bool {
    left.limbs.count != right.limbs.count
      ? left.limbs.count < right.limbs.count
      : left.limbs.reversed().lexicographicallyPrecedes(right.limbs.reversed())
  }
}
