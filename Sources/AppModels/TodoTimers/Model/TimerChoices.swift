/// What a timer's form offers on a device.
package struct TimerChoices: Sendable {
  /// SF Symbols.
  package let icons: [String]
  package let colors: [String]
  /// nil where the form has no wheel for hours.
  package let hours: ClosedRange<Int>?
  package let minutes = 0...59
  package let seconds = 0...59

  package init(_ idiom: Idiom) {
    switch idiom {
    case .phone, .pad:
      icons = Self.symbols.map(\.name)
      colors = [
        "#FF3B30", "#FF9500", "#FFCC00", "#34C759", "#007AFF", "#5856D6", "#AF52DE", "#8E8E93",
      ]
      hours = 0...23
    case .watch:
      icons = [
        "timer", "figure.run", "book.fill", "cup.and.saucer.fill", "fork.knife", "briefcase.fill",
      ]
      colors = ["#FF3B30", "#34C759", "#007AFF", "#FF9500"]
      hours = nil
    }
  }

  /// What a new timer has before anything is chosen.
  package static let icon = "timer"
  package static let color = "#007AFF"
  /// Seconds.
  package static let duration = 25 * 60

  /// The picture of a symbol on screens made of text; of an unknown one that of a timer.
  package static func picture(_ icon: String) -> String {
    symbols.first { $0.name == icon }?.picture ?? "⏱️"
  }

  /// The coloured disc that is nearest to a colour.
  package static func disc(_ hex: String) -> String {
    let color = RGB(hex: hex)
    return discs.min {
      RGB(hex: $0.hex).distance(to: color) < RGB(hex: $1.hex).distance(to: color)
    }!.disc
  }

  private static let symbols: [(name: String, picture: String)] = [
    ("timer", "⏱️"), ("figure.run", "🏃"), ("book.fill", "📚"), ("cup.and.saucer.fill", "☕"),
    ("fork.knife", "🍳"), ("pencil", "✏️"), ("gamecontroller.fill", "🎮"), ("music.note", "🎵"),
    ("briefcase.fill", "💼"), ("figure.yoga", "🧘"), ("bicycle", "🚴"),
    ("wrench.and.screwdriver.fill", "🛠️"),
  ]

  /// As seed 001 draws them; indigo and purple are a purple and a brown disc there.
  private static let discs: [(hex: String, disc: String)] = [
    ("#FF3B30", "🔴"), ("#FF9500", "🟠"), ("#FFCC00", "🟡"), ("#34C759", "🟢"), ("#007AFF", "🔵"),
    ("#5856D6", "🟣"), ("#AF52DE", "🟤"), ("#8E8E93", "⚫"),
    ("#000000", "⚫"), ("#FFFFFF", "⚪"),
  ]
}
