internal import Device
internal import Wire

/// Shows a device's screen and what happens beside it.
///
/// At a terminal the screen stays in its place, with the last things that happened below it. Else
/// both are printed in order, the screen when it has changed.
final class DeviceDisplay {
  /// How many things that happened stay on a terminal.
  private static let mostRecent = 6

  private let console: Console
  private let isJSON: Bool
  private var recent: [(text: String, look: Console.Look)] = []
  /// The screen that was shown last.
  private var shown: [String] = []

  init(_ console: Console, isJSON: Bool) {
    self.console = console
    self.isJSON = isJSON
  }

  /// Shows what has happened, and the screen.
  ///
  /// - Parameter isTime: whether only time has passed; what is printed stays as it is then.
  func show(_ screen: [String], _ notices: [HeadlessDevice.Notice], isTime: Bool = false) {
    for notice in notices { add(notice) }
    if console.style == .edited {
      guard screen != shown || !notices.isEmpty else { return }
      console.page(screen.map { ($0, .plain) } + recent)
    } else if screen != shown, !isTime || !notices.isEmpty {
      printScreen(screen)
    } else {
      return
    }
    shown = screen
  }

  /// Shows a line that was typed, where the terminal has not.
  func echo(_ line: String) {
    if isJSON {
      printJSON("typed", [line])
    } else if console.style != .edited {
      console.page([("> \(line)", .dim)])
    }
  }

  /// Shows the screen once more.
  func repeatScreen() { shown = [] }

  private func add(_ notice: HeadlessDevice.Notice) {
    let lines: [(String, Console.Look)] =
      switch notice {
      case .info(let text): [("* \(text)", .dim)]
      case .event(let text): [("~ \(text)", .plain)]
      case .error(let text): [("! \(text)", .red)]
      case .page(let lines): lines.map { ($0, .plain) }
      }
    guard console.style == .edited else {
      if isJSON { return printJSON(notice) }
      return console.page(lines)
    }
    recent += lines
    let room = if case .page = notice { max(lines.count, Self.mostRecent) } else { Self.mostRecent }
    if recent.count > room { recent.removeFirst(recent.count - room) }
  }

  private func printScreen(_ screen: [String]) {
    guard isJSON else { return console.page(screen.map { ($0, .plain) }) }
    printJSON("screen", screen)
  }

  private func printJSON(_ notice: HeadlessDevice.Notice) {
    switch notice {
    case .info(let text): printJSON("info", [text])
    case .event(let text): printJSON("event", [text])
    case .error(let text): printJSON("error", [text])
    case .page(let lines): printJSON("page", lines)
    }
  }

  /// `{"screen":["…","…"]}`
  private func printJSON(_ name: String, _ lines: [String]) {
    var line: [UInt8] = []
    line.append("{", quoted: name)
    line.append(":[" as StaticString)
    for (index, text) in lines.enumerated() {
      line.append(index > 0 ? "," : "", quoted: text)
    }
    line.append("]}" as StaticString)
    console.page([(String(decoding: line, as: UTF8.self), .plain)])
  }
}
