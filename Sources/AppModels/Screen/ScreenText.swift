/// Text as a terminal shows it: in columns, of which a wide character takes two.
extension String {
  package var columns: Int { reduce(0) { $0 + $1.columns } }

  /// With blanks up to a width.
  func padded(to columns: Int) -> String {
    self + String(repeating: " ", count: max(0, columns - self.columns))
  }

  func centred(in columns: Int) -> String {
    String(repeating: " ", count: max(0, (columns - self.columns) / 2)) + self
  }

  /// With an ellipsis where it is wider.
  func cut(to columns: Int) -> String {
    guard self.columns > columns else { return self }
    var text = ""
    var width = 0
    for character in self {
      guard width + character.columns < columns else { break }
      text.append(character)
      width += character.columns
    }
    return text + "…"
  }

  /// On one line, with blanks for the ends of lines. What would take effect on a terminal is shown
  /// as a replacement character.
  var oneLine: String { String(map { $0.isNewline ? " " : $0.printable }) }

  /// As lines of at most so many columns, broken at blanks where there are some. What would take
  /// effect on a terminal is shown as a replacement character.
  func wrapped(to columns: Int) -> [String] {
    split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).flatMap {
      String($0).oneLine.wrappedLine(to: columns)
    }
  }

  private func wrappedLine(to columns: Int) -> [String] {
    var lines: [String] = []
    var line: String?
    for word in split(separator: " ", omittingEmptySubsequences: false).map(String.init) {
      let joined = line.map { "\($0) \(word)" } ?? word
      if joined.columns <= columns {
        line = joined
        continue
      }
      if let line, !line.isEmpty { lines.append(line) }
      var rest = ""
      for character in word {
        if rest.columns + character.columns > columns {
          lines.append(rest)
          rest = ""
        }
        rest.append(character)
      }
      line = rest
    }
    lines.append(line ?? "")
    return lines
  }
}

extension Character {
  /// As terminals have it, scalar by scalar.
  package var columns: Int { unicodeScalars.reduce(0) { $0 + $1.columns } }

  fileprivate var printable: Character {
    let scalars = unicodeScalars
    guard scalars.contains(where: { Self.takesEffect($0) }) else { return self }
    return scalars.first == "\t" ? " " : "\u{FFFD}"
  }

  /// Control characters, and those that turn the direction of the text after them.
  private static func takesEffect(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x61C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: return true
    default: break
    }
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: return true
    default: return false
    }
  }
}

extension Unicode.Scalar {
  /// As the C library's `wcwidth` has it: 0 for what has no width of its own, 2 for wide ones, else 1. A
  /// variation selector makes nothing wider, for terminals that go by `wcwidth` do not draw it so.
  fileprivate var columns: Int {
    switch value {
    case 0..<0x20, 0x7F..<0xA0: return 0
    // Among formats, the signs that stand before numbers are shown.
    case 0x20..<0x7F, 0xAD, 0x600...0x605, 0x6DD, 0x70F, 0x890...0x891, 0x8E2: return 1
    case 0x1160...0x11FF, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0x302A...0x302D,
      0x3099...0x309A, 0xD7B0...0xD7FB, 0xFEFF:
      return 0
    // East Asian Width W and F (Unicode 15.1, EastAsianWidth.txt), in blocks.
    case 0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x9FFF,
      0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19,
      0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18D08, 0x1AFF0...0x1B2FB,
      0x1F3FB...0x1F3FF, 0x20000...0x3FFFD:
      return 2
    default: break
    }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    // Two of them are a flag of two columns.
    if (0x1F1E6...0x1F1FF).contains(value) { return 1 }
    return properties.isEmojiPresentation ? 2 : 1
  }
}
