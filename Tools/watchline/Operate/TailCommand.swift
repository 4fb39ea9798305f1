internal import EventLoop
internal import Glibc
internal import Relay
internal import Usage
internal import Wire

/// `watchline tail`: the lines of pairs as they pass.
enum TailCommand: Subcommand {
  static let syntax = Syntax(
    name: "tail",
    summary: "Print the lines of pairs as they pass, without payloads.",
    operands: OperatorOptions.operands, maximumOperands: 1,
    options: [
      Option("pair", value: "NAME", "pairs of this name alone; * stands for anything (*)"),
      Option("app", value: "NAME", "of this app alone, likewise (*)"),
      Option("payloads", "print payloads and texts as well; a token is never printed"),
      Option("count", value: "N", "end after so many lines"),
      Option("json", "print what the server tells as it comes, a JSON object a line"),
    ] + OperatorOptions.options,
    notes: """
      \(OperatorOptions.notes)

      An arrow to the right is what a device sends, one to the left what the server sends to it:

        08:40:36.123  demo  phone  → {"type":"transferUserInfo","id":2,"payload":"<13 bytes>"}

      Where this program reads too slowly, the server goes on, and it is told how many lines it has missed.

      Exit status: 0 after --count lines, 1 the server closes or refuses, 2 bad usage. Ctrl-C leaves.
      """)

  static func run(_ arguments: Arguments) throws(UsageError) -> Int32 {
    let options = try OperatorOptions(arguments)
    let tls = try options.tls?.context()
    var left = try arguments.integer("count", in: 1...1_000_000_000)
    let isJSON = arguments.has("json")
    var request: [UInt8] = []
    request.append("{\"type\":\"tail\",\"pair\":", quoted: arguments.string("pair") ?? "*")
    request.append(",\"app\":", quoted: arguments.string("app") ?? "*")
    request.append(",\"payloads\":")
    request.append(bool: arguments.has("payloads"))
    request.append("}" as StaticString)
    return onLoop { loop throws(UVError) in
      let link = OperatorLink(options, tls, loop: loop)
      link.news = { [unowned link] event in
        guard left ?? 1 > 0 else { return }
        print(isJSON ? String(decoding: event.bytes, as: UTF8.self) : text(event))
        fflush(nil)
        guard let count = left else { return }
        left = count - 1
        if count == 1 { link.finish(Ending(0)) }
      }
      return try link.run { link.ask(String(decoding: request, as: UTF8.self)) { _ in } }
    }
  }

  /// The time in UTC, the pair, its app where that has another name than most, the device, and the line.
  static func text(_ event: Members) -> String {
    let app = event.string("app") ?? ""
    let pair = (event.string("pair") ?? "") + (app == "default" ? "" : "/\(app)")
    let arrow = event.string("by") == "device" ? "→" : "←"
    let size = event.integer("size") ?? 0
    let line = event.raw("line").map { String(decoding: $0, as: UTF8.self) }
    let missed = event.integer("missed").map { "(\($0) lines were missed)\n" } ?? ""
    let who = "\(pair)  \(event.string("device") ?? "")"
    return "\(missed)\(time(event))  \(who)  \(arrow) \(line ?? "(\(size) bytes that are no line)")"
  }

  /// `HH:MM:SS.mmm`.
  private static func time(_ event: Members) -> String {
    let ms = event.milliseconds("now") ?? 0
    let fraction = String(1000 + ms.quotientAndRemainder(dividingBy: 1000).remainder).dropFirst()
    return CivilTime(ms: ms).description.dropLast().suffix(8) + ".\(fraction)"
  }
}
