/// Decides when the program ends, and with which status.
///
///     waits for lines (--until, --count)   met ▶ 0; an error line that is not waited for, the
///                                          connection's end, time up ▶ 1
///     waits for nothing                    the server closes: after our end of input ▶ 0, else ▶ 1;
///                                          a failure, time up ▶ 1
package struct ExitRule {
  private let until: String?
  private let count: Int?
  private let timeout: Int64?
  private var met = 0
  private var hasEndedInput = false

  package init(until: String?, count: Int?, timeout: Int64?) {
    self.until = until
    self.count = count
    self.timeout = timeout
  }

  /// Whether lines are waited for, so that the end of the input must not end the connection.
  package var waitsForLines: Bool { until != nil || count != nil }

  /// Whether this side has said that it sends nothing more.
  package var inputHasEnded: Bool { hasEndedInput }

  /// This side has ended its input, by a half-close or by `quit`.
  package mutating func inputEnded() {
    hasEndedInput = true
  }

  /// A line has come from the server.
  package mutating func received(_ line: LineSummary) -> Ending? {
    guard waitsForLines else { return nil }
    if line.type == "error", until != "error" {
      return Ending(1, "an error came that was not waited for: \(Self.clause(line.error))\(soFar)")
    }
    if let until, line.type != until { return nil }
    met += 1
    return met >= wanted ? Ending(0, "\(lines(met)) came, as asked for") : nil
  }

  /// The server has closed the connection.
  package func closed() -> Ending {
    if waitsForLines { return Ending(1, "the server closed the connection\(soFar)") }
    return hasEndedInput ? Ending(0) : Ending(1, "the server closed the connection")
  }

  /// The connection is broken.
  package func failed(_ message: String) -> Ending {
    Ending(1, "the connection broke: \(message)\(soFar)")
  }

  /// `--timeout` is over.
  package func timedOut() -> Ending {
    Ending(1, "time is up after \(seconds(timeout ?? 0)) s\(soFar)")
  }

  /// A person has asked to leave.
  package func left() -> Ending {
    waitsForLines ? Ending(1, "left\(soFar)") : Ending(0)
  }

  private var wanted: Int { count ?? 1 }

  private var soFar: String {
    guard waitsForLines else { return "" }
    return met == 0
      ? "; \(lines(wanted)) \(wanted == 1 ? "was" : "were") waited for"
      : "; \(met) of \(lines(wanted)) had come"
  }

  private func lines(_ count: Int) -> String {
    "\(count) line\(count == 1 ? "" : "s")\(until.map { " of type \($0)" } ?? "")"
  }

  /// A sentence as a part of another.
  private static func clause(_ sentence: String?) -> Substring {
    let sentence = sentence ?? "without a code"
    return sentence.hasSuffix(".") ? sentence.dropLast() : sentence[...]
  }

  private func seconds(_ microseconds: Int64) -> String {
    microseconds % 1_000_000 == 0
      ? "\(microseconds / 1_000_000)" : "\(Double(microseconds) / 1_000_000)"
  }
}
