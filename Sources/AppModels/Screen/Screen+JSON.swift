package import Wire

// A screen as a page draws it: the same description as for a terminal, with what a tap types.
extension Screen {
  /// An object: `title`, `leading` and `trailing` (`{text, command}`), `banner`, `alert`, `rows`.
  ///
  /// - Parameter commands: what can be typed on this screen.
  package func write(_ json: inout JSONWriter, _ commands: [Command]) {
    let words = Set(commands.map(\.word))
    json.object { json in
      json.member("title", title)
      Self.write("leading", leading, words, &json)
      Self.write("trailing", trailing, words, &json)
      json.member("banner", banner)
      if let alert {
        json.object("alert") { json in
          json.member("title", alert.title)
          json.member("message", alert.message)
          json.raw("isDestructive", alert.isDestructive ? "true" : "false")
          json.array("buttons", alert.buttons) { json, button in
            json.object { json in
              json.member("text", button)
              json.member("command", Self.command(for: button, words))
            }
          }
        }
      }
      json.array("rows", rows) { json, row in json.object { row.write(&$0, words) } }
    }
  }

  private static func write(
    _ name: String, _ text: String, _ words: Set<String>, _ json: inout JSONWriter
  ) {
    json.object(name) { json in
      json.member("text", text)
      json.member("command", command(for: text, words))
    }
  }

  /// What is typed where a button is tapped; nil where it is off, or stands for nothing.
  fileprivate static func command(for title: String, _ words: Set<String>) -> String? {
    guard !title.hasPrefix("(") else { return nil }
    let letters = title.lowercased().filter(\.isLetter)
    let candidates: [String] =
      switch title.first {
      case "<", "‹": ["back", "cancel"]
      case "+": ["new", "add"]
      case "☰": ["settings", "menu"]
      case "≡": ["menu", "history"]
      case "⚙": ["settings"]
      case "✕": ["cancel", "back"]
      case "✓": ["save", "done"]
      default:
        [letters] + (letters == "done" ? ["save"] : letters == "ok" ? ["dismiss"] : [])
          + [String(title.lowercased().prefix { $0 != " " })]
      }
    return candidates.first(where: words.contains)
  }
}

extension Screen.Row {
  fileprivate func write(_ json: inout JSONWriter, _ words: Set<String>) {
    switch self {
    case .blank: json.member("is", "blank")
    case .rule: json.member("is", "rule")
    // A line of a terminal's.
    case .text(let text, _) where !text.isEmpty && text.allSatisfy({ $0 == "─" }):
      json.member("is", "rule")
    case .text(let text, let indent):
      json.member("is", "text")
      json.member("text", text)
      json.member("indent", indent)
    // So is a frame.
    case .centred(let text) where text.first == "┌" || text.first == "└": json.member("is", "none")
    case .centred(let text):
      json.member("is", text.first == "│" ? "large" : "centred")
      json.member("text", text.filter { $0 != "│" })
    case .split(let left, let right):
      json.member("is", "split")
      json.member("left", left)
      json.member("right", right)
    case .progress(let fraction):
      json.member("is", "progress")
      json.member("percent", Int((max(0, min(1, fraction)) * 100).rounded()))
    case .card(let rows):
      json.member("is", "card")
      json.array("rows", rows) { json, row in json.object { row.write(&$0, words) } }
    case .buttons(let buttons):
      json.member("is", "buttons")
      json.array("buttons", buttons) { json, button in
        json.object { json in
          json.member("text", button.title)
          json.member(
            "command", button.isEnabled ? Screen.command(for: button.title, words) : nil)
        }
      }
    case .field(let text, let placeholder):
      json.member("is", "field")
      json.member("text", text)
      json.member("placeholder", placeholder)
    case .columns(let left, _, let right):
      json.member("is", "columns")
      json.array("left", left) { json, row in json.object { row.write(&$0, words) } }
      json.array("right", right) { json, row in json.object { row.write(&$0, words) } }
    case .styled(let row, let style, _):
      json.member("is", "styled")
      json.array("colors", style.colors) { $0.string($1.spelled) }
      json.raw("isStruck", style.isStruck ? "true" : "false")
      json.object("row") { row.write(&$0, words) }
    case .labelled(let row, let texts):
      json.member("is", "labelled")
      json.array("spoken", texts) { $0.string($1) }
      json.object("row") { row.write(&$0, words) }
    case .tappable(let row, let line):
      json.member("is", "tappable")
      // Behind an alert nothing can be tapped.
      json.member("command", words.contains(CommandLine(line).word) ? line : nil)
      json.object("row") { row.write(&$0, words) }
    }
  }
}

extension RGB {
  /// `#FF3B30`.
  fileprivate var spelled: String {
    "#" + [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
