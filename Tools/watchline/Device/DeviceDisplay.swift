internal import AppModels
internal import Device
internal import Merge
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
  private let takesEveryColor: Bool
  private var recent: [Console.Piece] = []
  /// The screen that was shown last.
  private var shown: [StyledLine] = []
  /// The records that were printed last.
  private var told: Datum?

  init(_ console: Console, isJSON: Bool, takesEveryColor: Bool) {
    self.console = console
    self.isJSON = isJSON
    self.takesEveryColor = takesEveryColor
  }

  /// Shows what has happened, and the screen; as JSON the records too, where they have changed.
  ///
  /// - Parameter isTime: whether only time has passed; what is printed stays as it is then.
  func show(
    _ screen: [StyledLine], _ notices: [HeadlessDevice.Notice],
    _ records: @autoclosure () -> Datum, isTime: Bool = false
  ) {
    for notice in notices { add(notice) }
    if isJSON, !isTime {
      let records = records()
      if records != told {
        told = records
        printJSON([Datum.Member("records", records)])
      }
    }
    if console.style == .edited {
      guard screen != shown || !notices.isEmpty else { return }
      console.page(screen.map(look) + recent.map { [$0] })
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
      console.page([[("> \(line)", .dim)]])
    }
  }

  /// Shows the screen once more.
  func repeatScreen() { shown = [] }

  private func add(_ notice: HeadlessDevice.Notice) {
    let lines: [Console.Piece] =
      switch notice {
      case .info(let text): [("* \(text)", .dim)]
      case .event(_, let text): [("~ \(text)", .plain)]
      case .error(let text): [("! \(text)", .red)]
      case .page(let lines): lines.map { ($0, .plain) }
      }
    guard console.style == .edited else {
      if isJSON { return printJSON(notice) }
      return console.page(lines.map { [$0] })
    }
    recent += lines
    let room = if case .page = notice { max(lines.count, Self.mostRecent) } else { Self.mostRecent }
    if recent.count > room { recent.removeFirst(recent.count - room) }
  }

  private func printScreen(_ screen: [StyledLine]) {
    guard isJSON else { return console.page(screen.map(look)) }
    printJSON("screen", screen.map(\.text))
  }

  private func look(_ line: StyledLine) -> [Console.Piece] {
    line.pieces.map { ($0.text, Console.Look($0, isExact: takesEveryColor)) }
  }

  private func printJSON(_ notice: HeadlessDevice.Notice) {
    switch notice {
    case .info(let text): printJSON("info", [text])
    case .event(let event, let text): printJSON("event", [text], event.members)
    case .error(let text): printJSON("error", [text])
    case .page(let lines): printJSON("page", lines)
    }
  }

  private func printJSON(_ members: [Datum.Member]) {
    let line = Datum.sorted(members).canonical
    console.page([[(String(decoding: line, as: UTF8.self), .plain)]])
  }

  /// `{"screen":["…","…"]}`
  ///
  /// - Parameter members: of the object, behind the lines.
  private func printJSON(_ name: String, _ lines: [String], _ members: [Datum.Member] = []) {
    var line: [UInt8] = []
    line.append("{", quoted: name)
    line.append(":[" as StaticString)
    for (index, text) in lines.enumerated() {
      line.append(index > 0 ? "," : "", quoted: text)
    }
    line.append("]" as StaticString)
    for member in members {
      line.append(",", quoted: member.name.text)
      line.append(0x3A)
      line += member.value.canonical
    }
    line.append("}" as StaticString)
    console.page([[(String(decoding: line, as: UTF8.self), .plain)]])
  }
}

extension AppEvent {
  /// As members of an object. Numbers are strings of digits, as in operations.
  fileprivate var members: [Datum.Member] {
    switch self {
    case .haptic(let kind): [Datum.Member("haptic", .string(Name(kind)))]
    case .sound(let name): [Datum.Member("sound", .string(Name(name)))]
    case .premiumRequired(let trigger):
      [Datum.Member("premiumRequired", .string(Name(trigger)))]
    case .notified(let notification): [Datum.Member("notified", notification.datum(due: nil))]
    case .scheduled(let notification, let due):
      [Datum.Member("scheduled", notification.datum(due: due))]
    case .cancelled(let id): [Datum.Member("cancelled", .string(Name(id)))]
    case .message, .syncRequested: []
    }
  }
}

extension AppModels.Notification {
  /// - Parameter due: when it will be shown, in milliseconds since 1970.
  fileprivate func datum(due: Int64?) -> Datum {
    func text(_ text: String) -> Datum { .string(Name(text)) }
    var members = [
      Datum.Member("id", text(id)), Datum.Member("category", text(category)),
      Datum.Member("title", text(title)), Datum.Member("body", text(body)),
      Datum.Member("badge", .int(badge)), Datum.Member("sound", .bool(hasSound)),
      Datum.Member(
        "userInfo", .sorted(userInfo.map { Datum.Member(Name($0.key), text($0.value)) })),
      Datum.Member("actions", .array(actions.map { text($0.id) })),
    ]
    if let due { members.append(Datum.Member("due", .int(Int(due)))) }
    return .sorted(members)
  }
}
