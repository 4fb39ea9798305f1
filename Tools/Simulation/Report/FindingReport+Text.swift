extension FindingReport {
  /// What a terminal shows, with a line end. Lines are at most 80 columns wide, except those that
  /// are to be copied.
  ///
  /// - Parameter isTerminal: somebody looks at it now and has the files: what a log is told besides is left
  ///   out unless it fits into a line.
  package func text(isColoured: Bool, isTerminal: Bool = false) -> String {
    let ink = Ink(isColoured: isColoured)
    var lines = [ink.loss("VIOLATION") + "  " + Visible.text(finding.headline)]
    for line in finding.story { lines += TextLayout.wrapped(Visible.text(line), indentation: 2) }
    lines.append("")
    let timeline = Timeline(self, ink).lines
    if !timeline.isEmpty { lines += timeline + [""] }
    if let difference { lines += Self.told(difference) + [""] }
    if let field = finding.field { lines += FieldTable(field, recording, ink).lines + [""] }
    lines += links(isTerminal)
    return lines.map { $0 + "\n" }.joined()
  }

  private static func told(_ difference: Difference) -> [String] {
    [
      "  line \(difference.line) of what was done differs",
      "  first run    " + (difference.first.map(Visible.text) ?? "had ended"),
      "  second run   " + (difference.second.map(Visible.text) ?? "had ended"),
    ]
  }

  private func links(_ isTerminal: Bool) -> [String] {
    // Only files that there are.
    let isWritten = played == nil
    var links = isWritten ? [("look", path("report.html"))] : []
    if played != "-" { links.append(("again", command)) }
    if let commandFromLog, !(played?.hasPrefix(TraceWord.prefix) ?? false),
      !isTerminal || commandFromLog.utf8.count <= TextLayout.width
    {
      links.append(("from log", commandFromLog))
    }
    if isWritten { links.append(("test", path("Reproduce.swift"))) }
    if isWritten { links.append(("studio", studioCommand)) }
    if isWritten, !errors.isEmpty { links.append(("stderr", path("stderr.txt"))) }
    return links.map { "  " + TextLayout.padded($0.0, to: 11) + Visible.text($0.1) }
  }
}

/// Colours of a terminal (ECMA-48 section 8.3.117), or none.
struct Ink {
  let isColoured: Bool

  func loss(_ text: String) -> String { styled(text, "1;31") }
  func quiet(_ text: String) -> String { styled(text, "2") }

  private func styled(_ text: String, _ code: String) -> String {
    isColoured && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}

/// Text in columns; a character counts as one.
enum TextLayout {
  static let width = 80

  static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  /// Text in lines of at most `width`, broken at blanks where there are some.
  static func wrapped(
    _ text: String, indentation: Int, first: Int? = nil, width: Int = width
  ) -> [String] {
    var lines: [String] = []
    var line = String(repeating: " ", count: first ?? indentation)
    var isEmpty = true
    for var word in text.split(separator: " ", omittingEmptySubsequences: false) {
      if !isEmpty {
        if line.count + 1 + word.count <= width {
          line += " \(word)"
          continue
        }
        lines.append(line)
        line = String(repeating: " ", count: indentation)
      }
      // A word that is longer than a line.
      while line.count + word.count > width, width > line.count {
        let room = width - line.count
        lines.append(line + word.prefix(room))
        word = word.dropFirst(room)
        line = String(repeating: " ", count: indentation)
      }
      line += word
      isEmpty = false
    }
    return lines + [line]
  }
}
