/// How something looks where a terminal has colours. It says nothing that the text does not say.
package struct Style: Hashable, Sendable {
  /// Of what it is on, from left to right in equal shares; none for the terminal's own.
  var colors: [RGB] = []
  var isStruck = false

  /// Text in a colour that can be read.
  static func text(_ color: RGB, isStruck: Bool = false) -> Style {
    Style(colors: [color.legible(.text)], isStruck: isStruck)
  }

  /// A bar or a dot in a colour, or in several from left to right.
  static func graphic(_ colors: RGB...) -> Style {
    Style(colors: colors.map { $0.legible(.graphic) })
  }

  /// The system's grey of seed 001, for what is secondary.
  static let secondary = RGB(0x8E8E93)
  /// The system's red, for what destroys.
  static let destructive = RGB(0xFF3B30)
  /// The system's green, for what is done or runs.
  static let positive = RGB(0x34C759)
}

/// A line of a screen: its text, and how parts of it look.
package struct StyledLine: Hashable, Sendable {
  package var text: String
  private var marks: [Mark] = []

  private struct Mark: Hashable {
    var columns: Range<Int>
    var style: Style
  }

  init(_ text: String) { self.text = text }

  var columns: Int { text.columns }

  /// - Parameter columns: of the text, from 0 on; what is beyond it is left out.
  func styled(_ style: Style, _ columns: Range<Int>) -> StyledLine {
    var line = self
    line.marks.append(Mark(columns: columns.clamped(to: 0..<self.columns), style: style))
    return line
  }

  /// Another line before this one.
  func after(_ left: StyledLine) -> StyledLine {
    var line = StyledLine(left.text + text)
    let shift = left.columns
    line.marks =
      left.marks
      + marks.map {
        let columns = $0.columns.lowerBound + shift..<$0.columns.upperBound + shift
        return Mark(columns: columns, style: $0.style)
      }
    return line
  }

  func after(_ left: String) -> StyledLine { after(StyledLine(left)) }

  func before(_ right: String) -> StyledLine { StyledLine(right).after(self) }

  func padded(to columns: Int) -> StyledLine {
    before(String(repeating: " ", count: max(0, columns - self.columns)))
  }

  // MARK: Pieces

  /// A part of a line that looks alike.
  package struct Piece: Hashable, Sendable {
    package var text: String
    /// nil for the terminal's own.
    package var color: RGB?
    package var isStruck: Bool
  }

  /// The text from left to right, cut where its look changes. Of two styles the later holds.
  package var pieces: [Piece] {
    var looks = [(color: RGB?, isStruck: Bool)](repeating: (nil, false), count: columns)
    for mark in marks {
      for column in mark.columns {
        if !mark.style.colors.isEmpty {
          let share = (column - mark.columns.lowerBound) * mark.style.colors.count
          looks[column].color = mark.style.colors[share / mark.columns.count]
        }
        if mark.style.isStruck { looks[column].isStruck = true }
      }
    }
    var pieces: [Piece] = []
    var column = 0
    for character in text {
      let look = column < looks.count ? looks[column] : (nil, false)
      if let last = pieces.indices.last,
        (pieces[last].color, pieces[last].isStruck) == (look.0, look.1)
      {
        pieces[last].text.append(character)
      } else {
        pieces.append(Piece(text: String(character), color: look.0, isStruck: look.1))
      }
      column += character.columns
    }
    return pieces
  }
}
