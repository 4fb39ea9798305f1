package import Wire

/// What `watchline top` shows of a moment: the server's numbers, and its busiest pairs.
package struct TopTable {
  package enum Order: String, CaseIterable {
    case rate, waiting, bytes, connected, name
  }

  package struct Row: Equatable {
    package var pair: String
    package var app: String
    package var devices: Int64 = 0
    package var connected: Int64 = 0
    package var waiting: Int64 = 0
    package var bytes: Int64 = 0
    package var numbered: Int64 = 0
    /// Deliveries a second since the moment before.
    package var rate = 0.0

    package init(pair: String, app: String) {
      self.pair = pair
      self.app = app
    }

    /// - Parameter members: one of `pairs` in an answer to `listPairs`.
    package init(_ members: Members) {
      self.init(pair: members.string("pair") ?? "", app: members.string("app") ?? "")
      devices = members.integer("devices") ?? 0
      connected = members.integer("connected") ?? 0
      waiting = members.integer("waiting") ?? 0
      bytes = members.integer("bytes") ?? 0
      numbered = members.integer("numbered") ?? 0
    }
  }

  /// What is counted since the server's start.
  struct Totals: Equatable {
    var accepted: Int64 = 0
    var delivered: Int64 = 0
    var messages: Int64 = 0
    var refused: Int64 = 0

    init() {}

    init(_ stats: Members) {
      func sum(_ name: String) -> Int64 {
        guard let counts = stats.object(name) else { return 0 }
        return counts.all.reduce(0) { $0 + (counts.integer($1.name) ?? 0) }
      }
      accepted = sum("accepted")
      delivered = sum("delivered")
      refused = sum("refused")
      messages = stats.integer("messages") ?? 0
    }
  }

  var stats: Members
  package var rows: [Row]
  /// Not all pairs were asked for.
  var isCut: Bool
  /// Seconds on the server's clock.
  private var time: Double { Double(stats.milliseconds("now") ?? 0) / 1000 }
  private var totals: Totals { Totals(stats) }
  private var rates: (accepted: Double, delivered: Double, messages: Double, refused: Double)?

  /// - Parameter before: the moment before, for what happens in a second.
  package init(_ stats: Members, _ rows: [Row], isCut: Bool, since before: TopTable?) {
    self.stats = stats
    self.rows = rows
    self.isCut = isCut
    guard let before, time > before.time else { return }
    let seconds = time - before.time
    func rate(_ path: KeyPath<Totals, Int64>) -> Double {
      Double(max(0, totals[keyPath: path] - before.totals[keyPath: path])) / seconds
    }
    rates = (rate(\.accepted), rate(\.delivered), rate(\.messages), rate(\.refused))
    let known = Dictionary(
      before.rows.map { (Name(pair: $0.pair, app: $0.app), $0.numbered) },
      uniquingKeysWith: { first, _ in first })
    for index in self.rows.indices {
      let row = self.rows[index]
      // A pair that comes back is not busy for what it did long ago.
      let earlier = known[Name(pair: row.pair, app: row.app)] ?? row.numbered
      self.rows[index].rate = Double(max(0, row.numbered - earlier)) / seconds
    }
  }

  private struct Name: Hashable {
    var pair: String
    var app: String
  }

  /// The busiest first, by what the order says; by name where that is the same.
  package func sorted(by order: Order) -> [Row] {
    func isBefore(_ a: Row, _ b: Row) -> Bool {
      let (left, right): (Double, Double) =
        switch order {
        case .rate: (a.rate, b.rate)
        case .waiting: (Double(a.waiting), Double(b.waiting))
        case .bytes: (Double(a.bytes), Double(b.bytes))
        case .connected: (Double(a.connected), Double(b.connected))
        case .name: (0, 0)
        }
      return left == right ? (a.pair, a.app) < (b.pair, b.app) : left > right
    }
    return rows.sorted(by: isBefore)
  }

  // MARK: Text

  /// - Parameters:
  ///   - columns: of the terminal.
  ///   - rows: how many pairs there is room for.
  package func text(_ order: Order, columns: Int, rows most: Int) -> [String] {
    func number(_ name: String) -> Int64 { stats.integer(name) ?? 0 }
    var lines = [
      "connections \(number("connections"))  sessions \(number("sessions"))  "
        + "pairs \(number("pairs")), \(number("pairsInMemory")) in memory"
    ]
    if let rates {
      lines.append(
        "accepted \(Self.short(rates.accepted))/s  delivered \(Self.short(rates.delivered))/s  "
          + "messages \(Self.short(rates.messages))/s  refused \(Self.short(rates.refused))/s")
    } else {
      lines.append(
        "accepted \(totals.accepted)  delivered \(totals.delivered)  messages \(totals.messages)  "
          + "refused \(totals.refused), since the start")
    }
    lines.append(
      "store \(Self.size(number("liveBytes"))) needed of \(Self.size(number("storedBytes")))  "
        + "uncommitted \(Self.size(number("uncommittedBytes")))  "
        + "buffered \(Self.size(number("bufferedBytes")))")
    if let trouble = stats.string("trouble") { lines.append("NOTHING NEW IS TAKEN: \(trouble)") }
    lines.append("")
    let shown = sorted(by: order).prefix(max(0, most))
    let width = max(4, min(32, shown.map { Self.name($0).count }.max() ?? 4))
    lines.append(
      Self.left("PAIR", width)
        + ["DEVICES", "WAITING", "BYTES", "RATE/S"].map { Self.right($0, 10) }.joined())
    for row in shown {
      let cells = [
        "\(row.connected)/\(row.devices)", "\(row.waiting)", Self.size(row.bytes),
        rates == nil ? "-" : Self.short(row.rate),
      ]
      lines.append(Self.left(Self.name(row), width) + cells.map { Self.right($0, 10) }.joined())
    }
    let hidden = rows.count - shown.count
    if hidden > 0 || isCut { lines.append("… and \(isCut ? "more" : "\(hidden) more")") }
    return lines.map { String($0.prefix(max(20, columns))) }
  }

  private static func name(_ row: Row) -> String {
    let text = row.app == "default" ? row.pair : "\(row.pair) (\(row.app))"
    // A name may hold what a terminal obeys.
    return String(text.map { $0.isASCII && $0.asciiValue! < 0x20 || $0 == "\u{7F}" ? "?" : $0 })
  }

  static func short(_ value: Double) -> String {
    switch value {
    case ..<10: "\((value * 10).rounded() / 10)"
    case ..<10_000: "\(Int(value.rounded()))"
    case ..<10_000_000: "\(Int((value / 1_000).rounded()))k"
    default: "\(Int((value / 1_000_000).rounded()))M"
    }
  }

  static func size(_ bytes: Int64) -> String {
    var (value, unit) = (Double(bytes), 0)
    let units = ["B", "KiB", "MiB", "GiB", "TiB"]
    while value >= 1024, unit < units.count - 1 { (value, unit) = (value / 1024, unit + 1) }
    return unit == 0 ? "\(bytes) B" : "\((value * 10).rounded() / 10) \(units[unit])"
  }

  private static func left(_ text: String, _ width: Int) -> String {
    let cut = text.count > width ? String(text.prefix(width - 1)) + "…" : text
    return cut + String(repeating: " ", count: width - cut.count)
  }

  private static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(1, width - text.count)) + text
  }
}
