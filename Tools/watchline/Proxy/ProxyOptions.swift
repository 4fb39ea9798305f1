package import Proxy
package import Usage

/// What `watchline proxy` was asked for.
package struct ProxyOptions: Equatable {
  package var listen: Endpoint
  package var to: Endpoints
  package var tls: TLSOptions?
  package var seed: UInt64
  package var faults: ProxyFaults
  package var endsWithInput: Bool

  package static let syntax = Syntax(
    name: "proxy",
    summary: "Stand between devices and a server, and inject faults into their connections.",
    options: [
      Option("listen", value: "HOST:PORT", "where devices connect to; port 0 picks a free one"),
      Option(
        "to", value: "HOST:PORT,…",
        "the server, or several of which one serves; \(Endpoint.standard) where left out"),
      Option("seed", value: "N", "draw which faults there are, and when, from this number"),
      Option("delay", value: "A..B", "each read waits A to B milliseconds; order is kept"),
      Option("slice", value: "N", "pass bytes on in pieces of 1 to N"),
      Option(
        "cut", value: "A..B", "reset every second connection A to B milliseconds after opening"),
      Option("one-way", value: "A..B", "stop a direction, or both, of every second one likewise"),
      Option("duplicate", value: "P", "open P of 100 connections twice, with the same bytes"),
      Option("end-with-input", "leave at the end of the standard input"),
    ] + TLSOptions.options,
    notes: """
      With --tls or --tls-ca the way to the server is TLS, and devices connect without it: for
      programs that do not speak it, and for nc. Who can reach --listen reaches the server.

      Without --seed and faults, bytes pass as they are until a command says otherwise. With --seed
      alone the faults are drawn, and the standard error tells them as options. With --seed and
      faults, those hold, and the seed decides about each connection. The same seed and faults have
      the same in store for the n-th connection.

      Commands are read from the standard input, a JSON object a line, and answered by a line; what
      happens is told on the standard output, a JSON object a line. Where "connection" is left out,
      all are meant, and for delay, slice and heal those to come as well.

        {"do":"list"}
        {"do":"cut","connection":2}
        {"do":"delay","milliseconds":200}        0: none
        {"do":"slice","bytes":7}                 0: off
        {"do":"oneWay","direction":"up","how":"stall"}
                                                 up (from the device), down or both;
                                                 stall holds back, swallow loses
        {"do":"duplicate","connection":2}        opens it a second time, with the same bytes
        {"do":"heal"}                            no faults; what has lost bytes is cut
        {"do":"quit"}

      Exit status: 0 after quit, SIGTERM or Ctrl-C, and at the end of the input where asked for; 1
      when the port cannot be had or the output cannot be written; 2 for bad usage.
      """)

  package init(_ arguments: Arguments) throws(UsageError) {
    guard let address = arguments.string("listen") else {
      throw UsageError("--listen is missing, such as --listen 127.0.0.1:9300")
    }
    listen = try Endpoint(address, lowestPort: 0)
    to =
      try arguments.string("to").map { text throws(UsageError) in try Endpoints(text) } ?? .standard
    tls = try TLSOptions(arguments)
    let seed = try arguments.integer("seed", in: 0...Int.max)
    self.seed = UInt64(seed ?? 0)
    faults = ProxyFaults(
      delay: try arguments.range("delay"),
      slice: try arguments.integer("slice", in: 1...ProxyFaults.largestSlice),
      cut: try arguments.range("cut"), oneWay: try arguments.range("one-way"),
      duplicate: try arguments.integer("duplicate", in: 0...100))
    if seed != nil, faults == ProxyFaults() { faults = .drawn(seed: self.seed) }
    endsWithInput = arguments.has("end-with-input")
  }

  /// The seed and the faults, ready to be pasted; empty where there are none.
  package var line: String { faults.options.isEmpty ? "" : "--seed \(seed) \(faults.options)" }
}

extension Arguments {
  /// Milliseconds, as `A..B` or a number alone.
  fileprivate func range(_ name: String) throws(UsageError) -> ClosedRange<Int>? {
    guard let text = string(name) else { return nil }
    let ends = text.split(separator: "..", omittingEmptySubsequences: false).map { Int($0) }
    guard 1...2 ~= ends.count, let first = ends[0], let last = ends[ends.count - 1],
      0 <= first, first <= last, last <= ProxyFaults.longest
    else {
      throw UsageError(
        "--\(name) is two numbers of milliseconds, the lower one first, such as 20..200, "
          + "up to \(ProxyFaults.longest), not \(text.isEmpty ? "nothing" : text)")
    }
    return first...last
  }
}
