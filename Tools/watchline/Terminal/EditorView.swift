/// The edited line on a terminal's screen: it can be drawn, taken away without a trace, and drawn
/// again further down, so that other lines appear above it.
///
/// The line is cut into rows here and not by the terminal, so that it is known which of them the
/// cursor is in. Of a line taller than the screen only the rows around the cursor are shown.
///
///     > transferUserInfo payload={"steps":4   ◀ row 0
///     12} id=1█                               ◀ row 1, with the cursor
package struct EditorView {
  package struct Size: Equatable {
    package var columns: Int
    package var rows: Int

    package init(columns: Int, rows: Int) {
      // Smaller ones have no room for the prompt and a wide character.
      self.columns = max(8, columns)
      self.rows = max(2, rows)
    }
  }

  package var size: Size
  private let prompt: String
  /// How wide the drawn rows down to the cursor's are; empty when nothing is drawn. The last is
  /// the cursor's column.
  private var drawn: [Int] = []

  package init(prompt: String = "> ", size: Size) {
    self.prompt = prompt
    self.size = size
  }

  /// Appends what takes the drawn line away; the cursor is then where the line began.
  ///
  /// A terminal that has become narrower has wrapped the rows anew, each by itself.
  package mutating func clear(into output: inout [UInt8]) {
    var up = 0
    for (index, width) in drawn.enumerated() {
      up += index == drawn.count - 1 ? width / size.columns : max(0, width - 1) / size.columns + 1
    }
    if up > 0 { output += Array("\u{1B}[\(up)A".utf8) }
    output += Array("\r\u{1B}[J".utf8)
    drawn = []
  }

  /// Appends what draws the line from where the cursor is, which must be the start of a row.
  package mutating func draw(_ line: EditedLine, into output: inout [UInt8]) {
    let layout = Layout(line, indent: prompt.count, columns: size.columns)
    // One row is left to what is above, so that a tall line does not hide everything.
    let height = min(layout.rows.count, size.rows - 1)
    let first = max(0, min(layout.cursorRow - height / 2, layout.rows.count - height))
    let last = first + height - 1
    for row in first...last {
      if row > first { output += Array("\r\n".utf8) }
      if row == 0 { output += Array(prompt.utf8) }
      for cell in line.cells[layout.rows[row].cells] {
        output += cell.shown
      }
    }
    if layout.cursorRow < last { output += Array("\u{1B}[\(last - layout.cursorRow)A".utf8) }
    output.append(0x0D)
    if layout.cursorColumn > 0 { output += Array("\u{1B}[\(layout.cursorColumn)C".utf8) }
    drawn = layout.rows[first..<layout.cursorRow].map(\.width) + [layout.cursorColumn]
  }

  /// Where the characters of a line are when it is cut into rows.
  private struct Layout {
    struct Row {
      var cells: Range<Int>
      var width: Int
    }

    var rows: [Row] = []
    var cursorRow = 0
    var cursorColumn = 0

    init(_ line: EditedLine, indent: Int, columns: Int) {
      var start = 0
      var column = indent
      for (index, cell) in line.cells.enumerated() {
        let width = Int(cell.width)
        if column + width > columns {
          rows.append(Row(cells: start..<index, width: column))
          start = index
          column = 0
        }
        if index == line.cursor { (cursorRow, cursorColumn) = (rows.count, column) }
        column += width
      }
      rows.append(Row(cells: start..<line.cells.count, width: column))
      guard line.cursor == line.cells.count else { return }
      if column == columns {
        rows.append(Row(cells: line.cells.count..<line.cells.count, width: 0))
        column = 0
      }
      (cursorRow, cursorColumn) = (rows.count - 1, column)
    }
  }
}
