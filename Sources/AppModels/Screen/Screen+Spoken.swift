// What VoiceOver reads out of a screen that is made of rows.
extension Screen {
  /// Alert or title, then the rows from top to bottom. What stands beside the title is the app's to tell.
  package var spoken: [String] {
    let notice = banner.map { ["Notice, \($0)"] } ?? []
    if let alert { return notice + ["Alert, \(alert.title), \(alert.message)"] + alert.buttons }
    return [title] + notice + rows.flatMap(\.spoken)
  }
}

extension Screen.Row {
  var spoken: [String] {
    switch self {
    case .blank, .rule: return []
    case .text(let text, _), .centred(let text): return text.isEmpty ? [] : [text]
    case .split(let left, let right):
      let parts = [left, right].map { $0.trimmed }.filter { !$0.isEmpty }
      return parts.isEmpty ? [] : [parts.joined(separator: ", ")]
    case .progress(let fraction):
      return ["\(Int((max(0, min(1, fraction)) * 100).rounded())) percent"]
    case .card(let rows): return rows.flatMap(\.spoken)
    case .buttons(let buttons):
      return buttons.map { $0.title.capitalizedFirst + ($0.isEnabled ? "" : ", dimmed") }
    case .field(let text, let placeholder): return [text.isEmpty ? placeholder : text]
    case .columns(let left, _, let right): return (left + right).flatMap(\.spoken)
    case .styled(let row, _, _), .tappable(let row, _): return row.spoken
    case .labelled(_, let texts): return texts
    }
  }

  /// The same row, read out in other words.
  func labelled(_ texts: String...) -> Screen.Row { .labelled(self, texts) }

  /// The same row, only seen.
  var drawnOnly: Screen.Row { .labelled(self, []) }
}

extension String {
  fileprivate var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }

  /// `Cancel` for `CANCEL`: what is all capitals would be spelled out.
  fileprivate var capitalizedFirst: String {
    self == uppercased() ? prefix(1) + dropFirst().lowercased() : self
  }
}
