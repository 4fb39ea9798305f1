internal import Glibc
internal import Simulation
internal import Wire

/// A worker process, as the campaign sees it.
struct Worker {
  enum Answer {
    case answer(Members)
    /// It has ended, or says nothing any more; with the last lines of its standard error.
    case gone([String])
  }

  /// How long it may take to tell what it has, once the campaign is interrupted, in milliseconds.
  private static let patience: Int64 = 10_000

  private let child: ChildProcess?
  private let failure: String

  init(_ options: FuzzOptions) {
    var words = CommandLine.arguments.dropFirst().map { ShellWord.quoted($0) }
    if words.first != "fuzz" { words = ["fuzz"] + options.words.map { ShellWord.quoted($0) } }
    do throws(FileFailure) {
      child = try ChildProcess(
        "exec \(ShellWord.quoted(ownPath())) \(words.joined(separator: " ")) --worker")
      failure = ""
    } catch {
      child = nil
      failure = error.message
    }
  }

  /// - Parameter limit: how long it may take, in milliseconds.
  func ask(_ request: String, limit: Int64 = 600_000) -> Answer {
    guard let child else { return .gone([failure]) }
    var end: Int64?
    let reading = child.ask(Array(request.utf8), within: limit) {
      guard end == nil, Interrupt.signal != nil else { return end }
      // It tells what it has.
      child.signal(SIGTERM)
      end = monotonicMilliseconds() + Self.patience
      return end
    }
    if case .line(let line) = reading, let answer = try? Members(line) {
      return .answer(answer)
    }
    let status = child.end(within: 100)
    var lines = child.complaints
    lines.append(
      status.map { "ended with status \($0)" } ?? "it said nothing any more and was ended")
    return .gone(lines)
  }

  func end() { child?.end(within: 2_000) }
}
