/// Base64 of RFC 4648 section 4: padded, no line breaks, unused bits zero.
enum Base64 {
  struct Fault: Equatable {
    /// Offset in the base64 text.
    var offset: Int
    var reason: String
  }

  /// Appends the decoded bytes; what was appended before a fault is removed again.
  static func decode(_ text: UnsafeRawBufferPointer, into output: inout [UInt8]) -> Fault? {
    let before = output.count
    output.reserveCapacity(before + text.count / 4 * 3)
    let fault = groups(text) { bits, count in
      output.append(UInt8(truncatingIfNeeded: bits >> 16))
      if count > 1 { output.append(UInt8(truncatingIfNeeded: bits >> 8)) }
      if count > 2 { output.append(UInt8(truncatingIfNeeded: bits)) }
    }
    if fault != nil { output.removeSubrange(before...) }
    return fault
  }

  /// Sets `length` to the number of bytes that the text stands for.
  static func validate(_ text: UnsafeRawBufferPointer, length: inout Int) -> Fault? {
    length = 0
    return groups(text) { _, count in length += count }
  }

  /// Calls `body` with the 24 bits of each group and how many bytes of them count.
  @inline(always)
  private static func groups(
    _ text: UnsafeRawBufferPointer, _ body: (UInt32, Int) -> Void
  ) -> Fault? {
    values.withUnsafeBufferPointer { values in
      var at = 0
      while at + 4 <= text.count {
        let first = values[Int(text[at])]
        let second = values[Int(text[at + 1])]
        let third = values[Int(text[at + 2])]
        let fourth = values[Int(text[at + 3])]
        let bits =
          UInt32(first & 63) << 18 | UInt32(second & 63) << 12 | UInt32(third & 63) << 6
          | UInt32(fourth & 63)
        if first | second | third | fourth < 64 {
          body(bits, 3)
          at += 4
          continue
        }
        guard at + 4 == text.count else { return misplaced(text, at) }
        if first | second | third < 64, text[at + 3] == 0x3D {
          guard third & 3 == 0 else { return Fault(offset: at + 2, reason: unused) }
          body(bits & ~0x3F, 2)
          return nil
        }
        if first | second < 64, text[at + 2] == 0x3D, text[at + 3] == 0x3D {
          guard second & 15 == 0 else { return Fault(offset: at + 1, reason: unused) }
          body(bits & ~0xFFF, 1)
          return nil
        }
        return misplaced(text, at)
      }
      guard at < text.count else { return nil }
      return misplaced(text, at)
    }
  }

  private static let unused = "the last character has bits that stand for nothing"

  /// The first byte that no base64 text could have in its place, from the group at `at` on.
  private static func misplaced(_ text: UnsafeRawBufferPointer, _ at: Int) -> Fault {
    var isPadded = false
    for offset in at..<text.count {
      let place = offset - at
      if text[offset] == 0x3D {
        guard 2...3 ~= place else {
          return Fault(offset: offset, reason: "there is a misplaced '='")
        }
        isPadded = true
      } else if values[Int(text[offset])] > 63 {
        return Fault(
          offset: offset, reason: "there is a byte that is not of the base64 alphabet")
      } else if isPadded {
        return Fault(offset: offset, reason: "there is a character after the padding")
      }
    }
    return Fault(offset: text.count, reason: "the text ends inside a group of four characters")
  }

  private static let alphabet =
    Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// What each byte stands for; 0xFF where it is not of the alphabet.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 0xFF, count: 256)
    for (value, letter) in alphabet.enumerated() { values[Int(letter)] = UInt8(value) }
    return values
  }()

  /// Appends the base64 of `bytes`.
  static func encode(_ bytes: UnsafeRawBufferPointer, into output: inout [UInt8]) {
    output.reserveCapacity(output.count + (bytes.count + 2) / 3 * 4)
    alphabet.withUnsafeBufferPointer { letters in
      var at = 0
      while at < bytes.count {
        let left = bytes.count - at
        let bits =
          UInt32(bytes[at]) << 16 | (left > 1 ? UInt32(bytes[at + 1]) << 8 : 0)
          | (left > 2 ? UInt32(bytes[at + 2]) : 0)
        output.append(letters[Int(bits >> 18)])
        output.append(letters[Int(bits >> 12 & 63)])
        output.append(left > 1 ? letters[Int(bits >> 6 & 63)] : 0x3D)
        output.append(left > 2 ? letters[Int(bits & 63)] : 0x3D)
        at += 3
      }
    }
  }
}
