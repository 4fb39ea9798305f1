/// A colour of 8 bits a component.
package struct RGB: Hashable, Sendable {
  package var red: UInt8
  package var green: UInt8
  package var blue: UInt8

  /// - Parameter bits: `0xRRGGBB`.
  package init(_ bits: UInt32) {
    red = UInt8(truncatingIfNeeded: bits >> 16)
    green = UInt8(truncatingIfNeeded: bits >> 8)
    blue = UInt8(truncatingIfNeeded: bits)
  }

  /// Reads `#FF3B30` the way that seed 000 does: what is neither letter nor digit is dropped at
  /// both ends, hexadecimal digits are read as far as there are some, and the lowest 24 bits count.
  /// So `F00` is (0, 15, 0), and what is no colour is black.
  package init(hex: String) {
    var scalars = hex.unicodeScalars[...]
    while let first = scalars.first, !Self.isAlphanumeric(first) { scalars.removeFirst() }
    while let last = scalars.last, !Self.isAlphanumeric(last) { scalars.removeLast() }
    if scalars.starts(with: "0x".unicodeScalars) || scalars.starts(with: "0X".unicodeScalars) {
      scalars = scalars.dropFirst(2)
    }
    var bits: UInt64 = 0
    for scalar in scalars {
      guard scalar.isASCII, let digit = Character(scalar).hexDigitValue else { break }
      guard bits >> 60 == 0 else {
        // A scanner that runs over stops at the largest number.
        bits = .max
        break
      }
      bits = bits << 4 | UInt64(digit)
    }
    self.init(UInt32(truncatingIfNeeded: bits))
  }

  private static func isAlphanumeric(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber:
      true
    default: false
    }
  }

  /// `#RRGGBB`.
  package var hex: String {
    func two(_ component: UInt8) -> String {
      let digits = String(component, radix: 16, uppercase: true)
      return digits.count < 2 ? "0" + digits : digits
    }
    return "#" + two(red) + two(green) + two(blue)
  }

  /// The square of the distance, for what is nearest.
  package func distance(to other: RGB) -> Int {
    func square(_ one: UInt8, _ other: UInt8) -> Int {
      let difference = Int(one) - Int(other)
      return difference * difference
    }
    return square(red, other.red) + square(green, other.green) + square(blue, other.blue)
  }

  /// A colour on the way to another, component by component, rounded to the nearest.
  ///
  /// - Parameter fraction: 0 for this one, 1 for the other; what is beyond counts as these.
  package func mixed(with other: RGB, _ fraction: Double) -> RGB {
    let fraction = fraction.isNaN ? 0 : min(max(fraction, 0), 1)
    func mix(_ from: UInt8, _ to: UInt8) -> UInt8 {
      UInt8((Double(from) + (Double(to) - Double(from)) * fraction).rounded())
    }
    var mixed = self
    mixed.red = mix(red, other.red)
    mixed.green = mix(green, other.green)
    mixed.blue = mix(blue, other.blue)
    return mixed
  }
}
