import Glibc
import Server
import Usage

/// Exit 0 after a clean stop, 1 for a failure, 2 for bad usage; one line on stderr says why.
func fail(_ message: String, _ code: Int32) -> Never {
  // SQLite has findings of several lines.
  let line = message.split(whereSeparator: \.isNewline).joined(separator: " ")
  write(line + "\n", prefix: "watchline-server: ", to: 2)
  exit(code)
}

/// Writes at once: whoever waits for the ready line may read through a pipe.
func write(_ text: String, prefix: String = "", to descriptor: Int32) {
  let bytes = Array((prefix + text).utf8)
  // Nobody may be reading what goes to stderr.
  var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
  guard descriptor != 2 || poll(&entry, 1, 1_000) > 0 else { return }
  _ = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
}

/// Nothing that is opened later may take the place of a standard stream that is closed: what is written
/// to stderr would go there.
func fillStandardStreams() {
  while true {
    let descriptor = open("/dev/null", O_RDWR)
    guard descriptor > 2 else {
      if descriptor < 0 { return }
      continue
    }
    close(descriptor)
    return
  }
}

fillStandardStreams()
do {
  let arguments = try Arguments(
    Array(CommandLine.arguments.dropFirst()), syntax: Options.program.syntax)
  if let answer = Options.program.answer(arguments) {
    write(answer + "\n", to: 1)
    exit(0)
  }
  let server = try Server(Options(arguments))
  let secure = server.secureAddress.map { ", with TLS on \($0)" } ?? ""
  write("watchline-server listening on \(server.address)\(secure)\n", to: 1)
  guard server.run() else {
    fail(server.incompleteness, 1)
  }
  exit(0)
} catch let error as UsageError {
  fail(error.message, 2)
} catch let error as StartError {
  fail(error.message, 1)
}
