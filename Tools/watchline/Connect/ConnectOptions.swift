package import Usage
internal import Wire

/// What `watchline connect` was asked for.
package struct ConnectOptions: Equatable {
  package var endpoint = Endpoints.standard
  package var tls: TLSOptions?
  /// The line to send first, without LF; nil where none was asked for.
  package var activation: String?
  /// Whether that line has the server acknowledge what it delivers.
  package var acknowledgesAutomatically = false
  package var isRaw = false
  package var until: String?
  /// Only lines of this type are printed.
  package var only: String?
  package var count: Int?
  /// Microseconds.
  package var timeout: Int64?

  package static let syntax = Syntax(
    name: "connect",
    summary: "Talk to a server as a phone or a watch, by hand or from a script.",
    operands: "[HOST:PORT,…]", maximumOperands: 1,
    options: [
      Option("pair", value: "P", "activate in this pair at once, and after each reconnect"),
      Option("role", value: "R", "as its phone or its watch", among: ["phone", "watch"]),
      Option("device", value: "D", "under this name; the role where left out"),
      Option("app", value: "A", "for this app"),
      Option(
        "acknowledge", value: "A", "automatic (where left out) or manual",
        among: ["automatic", "manual"]),
      Option("raw", "print lines as they come, for jq; so it does where output is no terminal"),
      Option("until", value: "TYPE", "end when a line of this type has come"),
      Option("only", value: "TYPE", "print lines of this type and nothing else, as they come"),
      Option("count", value: "N", "end when N lines have come, of TYPE or of any type"),
      Option("timeout", value: "S", "end with status 1 after S seconds"),
    ] + TLSOptions.options,
    notes: """
      HOST:PORT is \(Endpoint.standard) where left out; several with commas between are tried in turn.

      On a terminal, lines are typed and edited: arrow keys, history, Tab for request names and
      members; Ctrl-D ends the input, Ctrl-C leaves. Else the lines of the standard input are sent
      as they are. The end of the input is a half-close: the server answers what it still owes and
      closes. With --until or --count the connection stays open instead, until they are met.
      Where --only is given and --until is not, --count counts lines of that type. A type that the
      server never sends is warned of on the standard error.

      On a terminal, JSON is shown in colours, unless NO_COLOR is set, and over several lines where
      it is long; help is shown as text. send-file PATH, typed there, sends a file with its digest.

      Exit status: 0 when --until or --count is met, or without them when the server closes after
      the end of the input; 1 when it does not come to that, when time is up, when the connection
      fails, and, with --until or --count, when an error line comes that is not what --until asks
      for; 2 for bad usage. A line on the standard error says why.

      With automatic acknowledgement the server counts a delivery as done once it has reached this
      machine; where --until or --count is met before that, this program acknowledges what it has
      printed.
      """)

  package init(_ arguments: Arguments) throws(UsageError) {
    if let server = arguments.operands.first { endpoint = try Endpoints(server) }
    tls = try TLSOptions(arguments)
    activation = try Self.activation(arguments)
    acknowledgesAutomatically =
      activation != nil && arguments.string("acknowledge") != "manual"
    isRaw = arguments.has("raw")
    until = arguments.string("until")
    only = arguments.string("only")
    for (name, type) in [("until", until), ("only", only)] where type == "" {
      throw UsageError("--\(name) needs a type, such as --\(name) accepted")
    }
    count = try arguments.integer("count", in: 1...1_000_000_000)
    // 31,536,000 s are a year.
    timeout = try arguments.seconds("timeout", longest: 31_536_000)
  }

  /// What is to be said of types that no line of the server's has.
  package var warnings: [String] {
    let types = MessageDescription.events.map(\.name)
    return [("until", until), ("only", only)].compactMap { name, type in
      guard let type, !types.contains(type) else { return nil }
      let advice = Nearest.advice(for: type, among: types, else: "help events lists them")
      return "--\(name): the server sends no line of type \(type); \(advice)"
    }
  }

  private static func activation(_ arguments: Arguments) throws(UsageError) -> String? {
    let role = arguments.string("role")
    let acknowledge = arguments.string("acknowledge")
    guard let pair = arguments.string("pair") else {
      for name in ["role", "device", "app", "acknowledge"] where arguments.has(name) {
        throw UsageError("--\(name) goes with --pair P --role R")
      }
      return nil
    }
    guard let role else { throw UsageError("--pair needs a role: --role phone or --role watch") }
    var line: [UInt8] = []
    line.append("{\"type\":\"activate\",\"pair\":", quoted: pair)
    line.append(",\"role\":", quoted: role)
    if let device = arguments.string("device") { line.append(",\"device\":", quoted: device) }
    if let app = arguments.string("app") { line.append(",\"app\":", quoted: app) }
    line.append(",\"acknowledge\":", quoted: acknowledge ?? "automatic")
    line.append("}" as StaticString)
    return String(decoding: line, as: UTF8.self)
  }
}
