/// What is on a device's screen, as text in a frame.
///
/// ```
/// ┌─────────────────────────────────────┐
/// │ ☰            My Timers            + │
/// ├─────────────────────────────────────┤
/// │ No Timers Yet                       │
/// └─────────────────────────────────────┘
/// ```
package struct Screen: Hashable, Sendable {
  package var title: String
  /// What stands left and right of the title.
  package var leading: String
  package var trailing: String
  /// An error above everything else.
  package var banner: String?
  /// A question or a notice in front of the rows.
  package var alert: Alert?
  package var rows: [Row]

  package enum Row: Hashable, Sendable {
    case blank
    /// A line across.
    case rule
    /// Wrapped where it is too long, with so many columns before it.
    case text(String, indent: Int = 0)
    case centred(String)
    /// Something left and something right; what is too long on the left is cut with an ellipsis.
    case split(String, String)
    /// What is filled of a bar, from 0 to 1.
    case progress(Double)
    /// Rows in a frame of their own.
    indirect case card([Row])
    /// `[ START ]  [ RESET ]`; those that are off in round brackets.
    case buttons([Button])
    /// A text field with what is in it.
    case field(String, placeholder: String = "")
    /// Rows beside rows, with a line between them; the left ones are `width` columns wide.
    case columns(left: [Row], width: Int, right: [Row])
    /// A row in a look of its own: so many columns of its first line, counted from what is not
    /// blank, and all of its other lines; of a split row what is left.
    indirect case styled(Row, Style, columns: Range<Int> = 0..<Int.max)
    /// A row that VoiceOver reads out in other words than it shows, or not at all.
    indirect case labelled(Row, [String])
    /// A row that can be tapped: that types a line.
    indirect case tappable(Row, String)
  }

  package struct Button: Hashable, Sendable {
    package var title: String
    package var isEnabled: Bool

    package init(_ title: String, isEnabled: Bool = true) {
      self.title = title
      self.isEnabled = isEnabled
    }
  }

  package struct Alert: Hashable, Sendable {
    package var title: String
    package var message: String
    package var buttons: [String]
    /// The last button destroys something.
    package var isDestructive: Bool

    package init(
      _ title: String, _ message: String, buttons: [String], isDestructive: Bool = false
    ) {
      self.title = title
      self.message = message
      self.buttons = buttons
      self.isDestructive = isDestructive
    }
  }

  package init(
    _ title: String, leading: String = "", trailing: String = "", banner: String? = nil,
    alert: Alert? = nil, rows: [Row] = []
  ) {
    self.title = title
    self.leading = leading
    self.trailing = trailing
    self.banner = banner
    self.alert = alert
    self.rows = rows
  }

  // MARK: Text

  /// The screen as lines of equal width.
  ///
  /// - Parameter columns: within the frame, at least 16.
  package func lines(columns: Int) -> [String] { styledLines(columns: columns).map(\.text) }

  /// The same lines, with how they look where a terminal has colours.
  package func styledLines(columns: Int) -> [StyledLine] {
    let inner = columns - 2
    let across = String(repeating: "─", count: columns)
    var lines = [StyledLine("┌\(across)┐")]
    func add(_ line: StyledLine) { lines.append(line.padded(to: inner).after("│ ").before(" │")) }
    func addRule() { lines.append(StyledLine("├\(across)┤")) }
    for line in bar(inner) { add(StyledLine(line)) }
    addRule()
    if let banner {
      for line in "⚠ \(banner)".wrapped(to: inner) { add(StyledLine(line)) }
      addRule()
    }
    if let alert {
      for line in alert.lines(inner) { add(line) }
    }
    for row in rows {
      if row == .rule {
        addRule()
      } else {
        for line in row.lines(inner) { add(line) }
      }
    }
    lines.append(StyledLine("└\(across)┘"))
    return lines
  }

  /// The title between what stands beside it, on a line of its own where there is no room.
  private func bar(_ columns: Int) -> [String] {
    let title = title.oneLine
    let (left, right) = (leading.columns, trailing.columns)
    let room = columns - left - right - 2
    guard title.columns <= room else {
      let sides = left + right > 0 ? [leading.padded(to: columns - right) + trailing] : []
      return sides + title.wrapped(to: columns).map { $0.centred(in: columns) }
    }
    // In the middle of the screen where the sides leave it free.
    let middle = max(
      left + 1, min((columns - title.columns) / 2, columns - right - 1 - title.columns))
    return [
      (leading.padded(to: middle) + title).padded(to: columns - right) + trailing
    ]
  }
}

extension Screen.Row {
  fileprivate func lines(_ columns: Int) -> [StyledLine] {
    switch self {
    case .card(let rows): rows.lines(columns - 4).framed(columns - 4)
    case .columns(let left, let width, let right):
      Self.beside(left.lines(width), width, right.lines(columns - width - 3))
    case .styled(let row, let style, let range):
      row.lines(columns).enumerated().map { index, line in
        let blanks = line.text.prefix { $0 == " " }.count
        let all = blanks..<min(line.columns, row.stylable(columns))
        let part = range.clamped(to: 0..<columns)
        return line.styled(
          style,
          index > 0
            ? all : (blanks + part.lowerBound..<blanks + part.upperBound).clamped(to: all))
      }
    case .labelled(let row, _), .tappable(let row, _): row.lines(columns)
    default: texts(columns).map { StyledLine($0) }
    }
  }

  /// Of what has a look only where it is in a row with one.
  private func texts(_ columns: Int) -> [String] {
    switch self {
    case .blank, .card, .columns, .styled, .labelled, .tappable: [""]
    case .rule: [String(repeating: "─", count: columns)]
    case .text(let text, let indent):
      text.wrapped(to: columns - indent).map { String(repeating: " ", count: indent) + $0 }
    case .centred(let text): text.wrapped(to: columns).map { $0.centred(in: columns) }
    case .split(let left, let right): [Self.split(left.oneLine, right.oneLine, columns)]
    case .progress(let fraction): [Self.bar(fraction, columns - 4).centred(in: columns)]
    case .buttons(let buttons):
      buttons.map { $0.isEnabled ? "[ \($0.title) ]" : "( \($0.title) )" }
        .flowing(in: columns).map { $0.centred(in: columns) }
    case .field(let text, let placeholder):
      (text.isEmpty ? placeholder : text).wrapped(to: columns - 4).enumerated().map {
        ($0.offset == 0 ? "▏ " : "  ") + $0.element
      }
    }
  }

  /// Up to which column a style goes.
  private func stylable(_ columns: Int) -> Int {
    switch self {
    case .styled(let row, _, _), .labelled(let row, _), .tappable(let row, _):
      row.stylable(columns)
    case .split(let left, let right):
      left.oneLine.cut(to: columns - right.oneLine.cut(to: columns - 3).columns - 1).columns
    default: columns
    }
  }

  /// What is too long is cut, on the right only where it would leave nothing of the left.
  private static func split(_ left: String, _ right: String, _ columns: Int) -> String {
    let right = right.cut(to: columns - 3)
    return left.cut(to: columns - right.columns - 1).padded(to: columns - right.columns) + right
  }

  private static func beside(
    _ left: [StyledLine], _ width: Int, _ right: [StyledLine]
  ) -> [StyledLine] {
    (0..<max(left.count, right.count)).map { index in
      let one = index < left.count ? left[index] : StyledLine("")
      let other = index < right.count ? right[index] : StyledLine("")
      return other.after(one.padded(to: width).before(" │ "))
    }
  }

  private static func bar(_ fraction: Double, _ columns: Int) -> String {
    let filled = Int((max(0, min(1, fraction)) * Double(columns)).rounded())
    return String(repeating: "█", count: filled) + String(repeating: "░", count: columns - filled)
  }
}

extension [Screen.Row] {
  /// As a part of a screen, where a line across ends at the part's edges.
  fileprivate func lines(_ columns: Int) -> [StyledLine] { flatMap { $0.lines(columns) } }
}

extension Screen.Alert {
  fileprivate func lines(_ columns: Int) -> [StyledLine] {
    let inner = columns - 4
    let text =
      title.wrapped(to: inner).map { $0.centred(in: inner) } + [""] + message.wrapped(to: inner)
      + [""]
    var lines = buttons.map { "[\($0)]" }.flowing(in: inner)
      .map { StyledLine($0.centred(in: inner)) }
    if isDestructive, let line = lines.last, let button = buttons.last {
      let start = max(0, line.columns - button.columns - 2)
      lines[lines.count - 1] = line.styled(.text(Style.destructive), start..<line.columns)
    }
    return (text.map { StyledLine($0) } + lines).framed(inner)
  }
}

extension Notification {
  /// As it stands on a lock screen.
  ///
  /// - Parameter columns: within the frame, at least 16.
  package func lines(columns: Int) -> [String] {
    let inner = columns - 2
    let buttons = actions.map { "[\($0.title)]" }.flowing(in: inner)
    let text = title.wrapped(to: inner) + body.wrapped(to: inner)
    return (text + (buttons.isEmpty ? [] : [""]) + buttons).map { StyledLine($0) }.framed(inner)
      .map(\.text)
  }
}

extension [String] {
  /// As many beside one another as there is room for, in lines.
  fileprivate func flowing(in columns: Int) -> [String] {
    var lines: [String] = []
    for item in self {
      if let line = lines.last, line.columns + 2 + item.columns <= columns {
        lines[lines.count - 1] = "\(line)  \(item)"
      } else {
        lines += item.wrapped(to: columns)
      }
    }
    return lines
  }
}

extension [StyledLine] {
  /// In a frame, of so many columns within it.
  fileprivate func framed(_ columns: Int) -> [StyledLine] {
    let edge = String(repeating: "─", count: columns + 2)
    return [StyledLine("┌\(edge)┐")]
      + map { $0.padded(to: columns).after("│ ").before(" │") } + [StyledLine("└\(edge)┘")]
  }
}
