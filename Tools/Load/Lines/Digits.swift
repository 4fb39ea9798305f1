/// Numbers of 16 decimal digits, at known places in lines.
enum Digits {
  static let count = 16

  /// Writes a number from 0 to 10¹⁶ − 1 with leading zeros.
  @inline(__always)
  static func write(_ number: Int, at place: UnsafeMutableRawPointer) {
    var rest = UInt(bitPattern: number)
    var index = count - 1
    while rest > 0 {
      let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
      place.storeBytes(
        of: 0x30 &+ UInt8(truncatingIfNeeded: digit), toByteOffset: index, as: UInt8.self)
      rest = quotient
      index &-= 1
    }
    while index >= 0 {
      place.storeBytes(of: 0x30, toByteOffset: index, as: UInt8.self)
      index &-= 1
    }
  }

  /// Reads such a number; -1 where a byte is no digit.
  @inline(__always)
  static func read(_ place: UnsafeRawPointer) -> Int {
    let high = eight(place.loadUnaligned(as: UInt64.self))
    let low = eight(place.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    return high < 0 || low < 0 ? -1 : high &* 100_000_000 &+ low
  }

  /// Reads decimal digits up to another byte.
  ///
  /// - Parameter at: moves behind them.
  /// - Returns: -1 where there are none, or more than 18.
  @inline(__always)
  static func read(_ bytes: UnsafeRawBufferPointer, _ at: inout Int) -> Int {
    var number = 0
    let start = at
    while at < bytes.count, bytes[at] &- 0x30 < 10 {
      number = number &* 10 &+ Int(bytes[at] &- 0x30)
      at &+= 1
    }
    return at == start || at - start > 18 ? -1 : number
  }

  /// Eight digits at once: neighbours are joined to pairs, pairs to fours, fours to the number.
  @inline(__always)
  private static func eight(_ text: UInt64) -> Int {
    let digits = UInt64(littleEndian: text) ^ 0x3030_3030_3030_3030
    // A byte above 9 has a bit in its upper half, or gets one when 6 is added.
    let carried = digits &+ 0x0606_0606_0606_0606
    guard (digits | carried) & 0xF0F0_F0F0_F0F0_F0F0 == 0 else { return -1 }
    let pairs = (digits &* 10 &+ digits >> 8) & 0x00FF_00FF_00FF_00FF
    let fours = (pairs &* 100 &+ pairs >> 16) & 0x0000_FFFF_0000_FFFF
    return Int(truncatingIfNeeded: (fours &* 10_000 &+ fours >> 32) & 0xFFFF_FFFF)
  }
}
