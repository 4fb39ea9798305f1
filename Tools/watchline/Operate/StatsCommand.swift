internal import EventLoop
internal import Usage
internal import Wire

/// `watchline stats`: what a server holds, and has done since it started.
enum StatsCommand: Subcommand {
  static let syntax = Syntax(
    name: "stats",
    summary: "Print what a server holds, and what it has done since it started.",
    operands: OperatorOptions.operands, maximumOperands: 1,
    options: [
      Option("json", "print the server's answer as it comes, one JSON object"),
      OperatorOptions.shardOption,
    ] + OperatorOptions.options,
    notes: """
      \(OperatorOptions.notes)

      What is counted is explained by: watchline connect, and there: help stats.

      Exit status: 0 it is printed, 1 the server does not answer or refuses, 2 bad usage.
      """)

  static func run(_ arguments: Arguments) throws(UsageError) -> Int32 {
    let options = try OperatorOptions(arguments)
    let tls = try options.tls?.context()
    let isJSON = arguments.has("json")
    return onLoop { loop throws(UVError) in
      let link = OperatorLink(options, tls, loop: loop)
      return try link.run {
        link.ask("{\"type\":\"stats\"\(options.shard)}") { answer in
          print(isJSON ? String(decoding: answer.bytes, as: UTF8.self) : text(answer))
          link.finish(Ending(0))
        }
      }
    }
  }

  /// A number a line; those by lane and by error with theirs behind, where they are not 0.
  static func text(_ answer: Members) -> String {
    var rows: [(name: String, value: String)] = []
    for (name, _) in answer.all where !["type", "of", "now"].contains(name) {
      if let count = answer.integer(name) {
        rows.append((name, "\(count)"))
      } else if let counts = answer.object(name) {
        for (part, _) in counts.all {
          guard let count = counts.integer(part), count > 0 else { continue }
          rows.append(("\(name).\(part)", "\(count)"))
        }
      } else if let text = answer.string(name) {
        rows.append((name, text))
      }
    }
    let width = rows.map(\.name.count).max() ?? 0
    return rows.map { name, value in
      name + String(repeating: " ", count: width - name.count + 2) + value
    }.joined(separator: "\n")
  }
}
