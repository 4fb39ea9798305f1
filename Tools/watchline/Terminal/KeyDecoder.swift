/// Turns a terminal's bytes into keys.
///
/// Sources: ECMA-48 section 5.4 for control sequences; XTerm Control Sequences for the keys' and
/// bracketed paste. A sequence may be torn at any byte. The escape key alone does nothing, so that
/// no clock is needed to tell it from the start of a sequence.
///
///     ground ──ESC──▶ escape ──[──▶ control sequence ──0x40…0x7E──▶ ground
///        │               └──O──▶ one more byte ──▶ ground
///        └──ESC[200~──▶ pasting ──ESC[201~──▶ ground
package struct KeyDecoder {
  private enum State {
    case ground, escape, application
    case sequence([UInt8])
  }

  /// No key has a longer sequence; what is longer is not one.
  private static let longestSequence = 32

  private var state = State.ground
  private var isPasting = false
  private var text: [UInt8] = []
  /// The last byte was a CR, within pasted text.
  private var hasReturned = false

  package init() {}

  /// Appends the keys that `bytes` complete.
  package mutating func decode(_ bytes: UnsafeRawBufferPointer, into keys: inout [EditorKey]) {
    for byte in bytes {
      switch state {
      case .ground: ground(byte, &keys)
      case .escape: escape(byte, &keys)
      case .application:
        state = .ground
        if let key = Self.letters[byte] { keys.append(key) }
      case .sequence(var parameters):
        // Emptied first, so that the append below is in place.
        state = .ground
        if 0x40...0x7E ~= byte {
          finish(parameters, byte, &keys)
        } else if parameters.count < Self.longestSequence {
          parameters.append(byte)
          state = .sequence(parameters)
        }
      }
    }
    flush(complete: false, &keys)
  }

  private mutating func ground(_ byte: UInt8, _ keys: inout [EditorKey]) {
    if byte >= 0x20, byte != 0x7F {
      hasReturned = false
      text.append(byte)
      return
    }
    flush(complete: true, &keys)
    defer { hasReturned = byte == 0x0D }
    if byte == 0x1B {
      state = .escape
    } else if isPasting {
      if byte == 0x09 { text.append(byte) }
      if byte == 0x0D || byte == 0x0A && !hasReturned { keys.append(.pastedNewline) }
    } else if let key = Self.controls[byte] {
      keys.append(key)
    }
  }

  private mutating func escape(_ byte: UInt8, _ keys: inout [EditorKey]) {
    switch byte {
    case 0x1B: break
    case 0x5B: state = .sequence([])
    case 0x4F: state = .application
    default:
      state = .ground
      if let key = Self.meta[byte], !isPasting { keys.append(key) }
    }
  }

  private mutating func finish(
    _ parameters: [UInt8], _ last: UInt8, _ keys: inout [EditorKey]
  ) {
    let numbers = parameters.split(separator: 0x3B, omittingEmptySubsequences: false)
      .map { Int(String(decoding: $0, as: UTF8.self)) ?? 0 }
    if last == 0x7E {
      switch numbers[0] {
      case 200: isPasting = true
      case 201:
        flush(complete: true, &keys)
        isPasting = false
      case 1, 7: keys.append(.home)
      case 3: keys.append(.delete)
      case 4, 8: keys.append(.end)
      default: break
      }
      return
    }
    guard let key = Self.letters[last] else { return }
    // The second parameter is 1 plus shift 1, alt 2, control 4.
    let isWord = numbers.count == 2 && numbers[1] > 1 && (numbers[1] - 1) & 6 != 0
    switch key {
    case .left where isWord: keys.append(.wordLeft)
    case .right where isWord: keys.append(.wordRight)
    default: keys.append(key)
    }
  }

  /// Makes a key of the text so far, without a character of which bytes are missing unless no more
  /// can come.
  private mutating func flush(complete: Bool, _ keys: inout [EditorKey]) {
    guard !text.isEmpty else { return }
    let rest = complete ? 0 : Self.tornBytes(text)
    guard text.count > rest else { return }
    keys.append(.text(String(decoding: text.dropLast(rest), as: UTF8.self)))
    text = Array(text.suffix(rest))
  }

  /// How many bytes at the end begin a character that is longer.
  private static func tornBytes(_ text: [UInt8]) -> Int {
    for (distance, byte) in text.reversed().prefix(3).enumerated() where byte & 0xC0 != 0x80 {
      let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
      return length > distance + 1 ? distance + 1 : 0
    }
    return 0
  }

  private static let controls: [UInt8: EditorKey] = [
    0x01: .home, 0x02: .left, 0x03: .interrupt, 0x04: .endOfInput, 0x05: .end, 0x06: .right,
    0x08: .backspace, 0x09: .tab, 0x0A: .enter, 0x0B: .killToEnd, 0x0C: .clearScreen,
    0x0D: .enter, 0x0E: .down, 0x10: .up, 0x15: .killToStart, 0x17: .killWordBefore,
    0x19: .yank, 0x1A: .suspend, 0x7F: .backspace,
  ]

  /// After ESC: what the alt key makes.
  private static let meta: [UInt8: EditorKey] = [
    0x62: .wordLeft, 0x66: .wordRight, 0x64: .killWordAfter, 0x7F: .killWordBefore,
    0x08: .killWordBefore,
  ]

  /// The last byte of a sequence.
  private static let letters: [UInt8: EditorKey] = [
    0x41: .up, 0x42: .down, 0x43: .right, 0x44: .left, 0x46: .end, 0x48: .home,
  ]
}
