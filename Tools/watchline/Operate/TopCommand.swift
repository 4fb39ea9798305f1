internal import EventLoop
internal import Glibc
internal import Usage
internal import Wire

/// `watchline top`: a server's numbers and its busiest pairs, every few seconds.
enum TopCommand: Subcommand {
  /// Pairs that are asked for at each moment.
  private static let mostPairs = 10_000

  static let syntax = Syntax(
    name: "top",
    summary: "Show a server's numbers and its busiest pairs, every few seconds.",
    operands: OperatorOptions.operands, maximumOperands: 1,
    options: [
      Option("every", value: "S", "seconds between two looks (2)"),
      Option("count", value: "N", "end after so many looks"),
      Option(
        "sort", value: "BY", "\(orders): what comes first (rate)",
        among: TopTable.Order.allCases.map(\.rawValue)),
      Option("pair", value: "NAME", "pairs of this name alone; * stands for anything (*)"),
      OperatorOptions.shardOption,
    ] + OperatorOptions.options,
    notes: """
      \(OperatorOptions.notes)

      On a terminal each look takes the place of the one before; Ctrl-C leaves. Else each is printed below the
      other. Of pairs those are shown to which somebody is connected, or was within the last 30 seconds. RATE/S
      is of deliveries that were queued.

      Exit status: 0 after --count looks, 1 the server does not answer or refuses, 2 bad usage.
      """)

  private static var orders: String {
    TopTable.Order.allCases.map(\.rawValue).joined(separator: ", ")
  }

  static func run(_ arguments: Arguments) throws(UsageError) -> Int32 {
    let options = try OperatorOptions(arguments)
    let tls = try options.tls?.context()
    let every = try arguments.seconds("every", longest: 86_400) ?? 2_000_000
    guard every >= 100_000 else { throw UsageError("--every is 0.1 or more seconds") }
    let count = try arguments.integer("count", in: 1...1_000_000_000)
    let word = arguments.string("sort")
    let order = word.flatMap(TopTable.Order.init) ?? .rate
    let pattern = arguments.string("pair") ?? "*"
    return onLoop { loop throws(UVError) in
      let link = OperatorLink(options, tls, loop: loop)
      let top = Top(link, order, pattern, options.shard, every: every, count: count)
      defer { top.close() }
      return try link.run { top.look() }
    }
  }

  /// Look after look.
  private final class Top {
    private let link: OperatorLink
    private let order: TopTable.Order
    private let pattern: String
    private let shard: String
    private let every: Int64
    private var left: Int?
    private var timer: Timer!
    private var before: TopTable?
    private var rows: [TopTable.Row] = []
    private let isTerminal = isatty(1) == 1

    init(
      _ link: OperatorLink, _ order: TopTable.Order, _ pattern: String, _ shard: String,
      every: Int64, count: Int?
    ) {
      self.link = link
      self.order = order
      self.pattern = pattern
      self.shard = shard
      self.every = every
      left = count
      timer = Timer(loop: link.loop) { [unowned self] in look() }
    }

    func close() { timer.close() }

    func look() {
      rows = []
      link.ask("{\"type\":\"stats\"\(shard)}") { [unowned self] stats in
        askForPairs(stats, after: 0)
      }
    }

    private func askForPairs(_ stats: Members, after: Int64) {
      var line: [UInt8] = []
      line.append("{\"type\":\"listPairs\",\"limit\":1000,\"after\":")
      line.append(decimal: after)
      line.append(",\"pair\":", quoted: pattern)
      line.append(text: shard)
      line.append("}" as StaticString)
      link.ask(String(decoding: line, as: UTF8.self)) { [unowned self] answer in
        rows += (answer.objects("pairs") ?? []).map(TopTable.Row.init)
        guard let next = answer.integer("next") else { return show(stats, isCut: false) }
        if rows.count >= TopCommand.mostPairs { return show(stats, isCut: true) }
        askForPairs(stats, after: next)
      }
    }

    private func show(_ stats: Members, isCut: Bool) {
      let table = TopTable(stats, rows, isCut: isCut, since: before)
      before = table
      var size = winsize()
      let isSized = isTerminal && ioctl(1, UInt(TIOCGWINSZ), &size) == 0 && size.ws_row > 0
      let lines = table.text(
        order, columns: isSized ? Int(size.ws_col) : 200,
        rows: isSized ? Int(size.ws_row) - 8 : 50)
      let text = lines.joined(separator: "\n")
      print(isTerminal ? "\u{1B}[H\u{1B}[2J\(text)" : text + "\n")
      fflush(nil)
      if let count = left {
        left = count - 1
        if count == 1 { return link.finish(Ending(0)) }
      }
      timer.start(after: every)
    }
  }
}
