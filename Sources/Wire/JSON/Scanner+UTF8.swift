extension Scanner {
  /// Reads characters beyond ASCII up to the next byte below 0x80.
  ///
  /// An error names the first byte that no valid text could have in its place (the ranges are
  /// those of table 3-7 in the Unicode standard, chapter 3).
  @inline(always)
  mutating func skipUTF8() -> Bool {
    while at < count, bytes[at] >= 0x80 {
      let lead = bytes[at]
      var lowest: UInt8 = 0x80
      var highest: UInt8 = 0xBF
      let following: Int
      switch lead {
      case 0xC2...0xDF: following = 1
      case 0xE0...0xEF:
        following = 2
        if lead == 0xE0 { lowest = 0xA0 }
        if lead == 0xED { highest = 0x9F }
      case 0xF0...0xF4:
        following = 3
        if lead == 0xF0 { lowest = 0x90 }
        if lead == 0xF4 { highest = 0x8F }
      default: return fail(.notUTF8)
      }
      at &+= 1
      for _ in 0..<following {
        guard at < count, lowest <= bytes[at], bytes[at] <= highest else {
          return fail(.notUTF8)
        }
        at &+= 1
        lowest = 0x80
        highest = 0xBF
      }
    }
    return true
  }

  /// Skips whole blocks of valid text, 16 bytes a step, and stops at a character's start.
  ///
  /// It never decides that text is wrong: it stops before a block with an error, a quote, a
  /// backslash or a control character, and leaves that to the exact path.
  ///
  /// A byte must continue a character exactly where one of the three bytes before it asks for it;
  /// those come from loads one, two and three bytes lower, which is what lets plain comparisons
  /// do the work of the table lookups in Keiser and Lemire, "Validating UTF-8 In Less Than One
  /// Instruction Per Byte" (2020).
  @inline(always)
  mutating func skipValidBlocks() {
    typealias Block = SIMD16<UInt8>
    guard at >= 3, at &+ 32 <= count else { return }
    let start = at
    var end = at
    let memory = UnsafeRawPointer(bytes)
    while end &+ 16 <= count {
      let block = memory.loadUnaligned(fromByteOffset: end, as: Block.self)
      let before = memory.loadUnaligned(fromByteOffset: end &- 1, as: Block.self)
      let second = memory.loadUnaligned(fromByteOffset: end &- 2, as: Block.self)
      let third = memory.loadUnaligned(fromByteOffset: end &- 3, as: Block.self)
      // `repeating` because the operators that take a lane's type run lane by lane.
      var stop =
        (block .== Block(repeating: 0x22)) .| (block .== Block(repeating: 0x5C))
        .| (block .< Block(repeating: 0x20))
      let continues = (block & Block(repeating: 0xC0)) .== Block(repeating: 0x80)
      let mustContinue =
        (before .>= Block(repeating: 0xC0)) .| (second .>= Block(repeating: 0xE0))
        .| (third .>= Block(repeating: 0xF0))
      stop = stop .| (continues .^ mustContinue)
      stop = stop .| (block .>= Block(repeating: 0xF5))
        .| ((block & Block(repeating: 0xFE)) .== Block(repeating: 0xC0))
      stop = stop .| ((before .== Block(repeating: 0xE0)) .& (block .< Block(repeating: 0xA0)))
      stop = stop .| ((before .== Block(repeating: 0xED)) .& (block .>= Block(repeating: 0xA0)))
      stop = stop .| ((before .== Block(repeating: 0xF0)) .& (block .< Block(repeating: 0x90)))
      stop = stop .| ((before .== Block(repeating: 0xF4)) .& (block .>= Block(repeating: 0x90)))
      let halves = unsafeBitCast(stop, to: SIMD2<UInt64>.self)
      if halves[0] | halves[1] != 0 { break }
      end &+= 16
    }
    guard end > start else { return }
    // A character that the last block left unfinished is read again from its first byte.
    if bytes[end &- 1] >= 0xC0 {
      end &-= 1
    } else if bytes[end &- 2] >= 0xE0 {
      end &-= 2
    } else if bytes[end &- 3] >= 0xF0 {
      end &-= 3
    }
    at = end
  }
}
