internal import ChildProcesses
internal import Glibc
internal import Wire

/// A program that answers lines with lines, through pipes.
final class ChildProcess {
  enum Reading {
    case line([UInt8])
    /// Nothing came in time.
    case late([UInt8])
    /// The program has closed its output, or ended.
    case ended([UInt8])
    /// A line has no end within the limit.
    case tooLong
  }

  /// The longest line, in bytes, in either direction.
  static let longestLine = 8 << 20
  /// How many lines of the standard error are kept.
  static let complaintLimit = 20

  private let child: Child
  private var splitter = LineSplitter()
  /// Whole lines that nobody has asked for.
  private var lines: [[UInt8]] = []
  private var complaint = LineSplitter()
  private var hasErrorsEnded = false
  private(set) var complaints: [String] = []

  /// Starts a shell command.
  ///
  /// - Parameter isLeader: it has a process group of its own, so that what the shell starts ends with
  ///   it; without, it ends with the group that this process is of.
  /// - Throws: where no process can be made.
  init(_ command: String, isLeader: Bool = true) throws(FileFailure) {
    do throws(Child.Failure) {
      child = try Child(
        ["/bin/sh", "-c", command], input: .pipe, output: .pipe, errors: .pipe,
        ownsGroup: isLeader)
    } catch {
      errno = error.code
      throw FileFailure(error.function, command)
    }
    for descriptor in [child.input, child.output, child.errors] {
      _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }
  }

  // MARK: Lines

  /// Writes a line and reads one.
  ///
  /// - Parameters:
  ///   - limit: how long it may take, in milliseconds.
  ///   - sooner: asked now and then; a time before which it has to be there after all.
  func ask(
    _ line: [UInt8], within limit: Int64, sooner: (() -> Int64?)? = nil
  ) -> Reading {
    reading(line + [0x0A], within: limit, sooner)
  }

  private func reading(
    _ output: [UInt8], within limit: Int64, _ sooner: (() -> Int64?)? = nil
  ) -> Reading {
    var deadline = monotonicMilliseconds() + limit
    var sent = 0
    while true {
      if let time = sooner?() { deadline = min(deadline, time) }
      if sent < output.count { sent += write(output, from: sent) }
      if let line = nextLine() { return .line(line) }
      if splitter.restCount > Self.longestLine { return .tooLong }
      let left = deadline - monotonicMilliseconds()
      guard left > 0 else { return .late(splitter.takeRest()) }
      let pause = sooner == nil ? left : min(left, 100)
      guard wait(pause, writing: sent < output.count) else { return .ended(splitter.takeRest()) }
    }
  }

  /// Reads a line that comes by itself.
  ///
  /// - Parameter limit: how long it may take, in milliseconds.
  func line(within limit: Int64) -> Reading { reading([], within: limit) }

  /// What was received without having been asked for.
  var hasMore: Bool { !lines.isEmpty || splitter.restCount > 0 }

  private func write(_ bytes: [UInt8], from start: Int) -> Int {
    let count = bytes.withUnsafeBytes {
      Glibc.write(child.input, $0.baseAddress! + start, $0.count - start)
    }
    if count >= 0 { return count }
    // A program that does not read any more has ended, or will be late.
    return errno == EAGAIN || errno == EINTR ? 0 : bytes.count - start
  }

  private func nextLine() -> [UInt8]? {
    guard !lines.isEmpty else { return nil }
    var line = lines.removeFirst()
    if line.last == 0x0D { line.removeLast() }
    return line
  }

  /// Waits until something comes or can be written, and reads it.
  ///
  /// - Returns: false where nothing will come any more.
  private func wait(_ milliseconds: Int64, writing: Bool) -> Bool {
    var descriptors = [
      pollfd(fd: child.output, events: Int16(POLLIN), revents: 0),
      pollfd(fd: hasErrorsEnded ? -1 : child.errors, events: Int16(POLLIN), revents: 0),
      pollfd(fd: writing ? child.input : -1, events: Int16(POLLOUT), revents: 0),
    ]
    poll(&descriptors, 3, Int32(clamping: milliseconds))
    if descriptors[1].revents != 0 { readErrors() }
    guard descriptors[0].revents != 0 else { return true }
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    let count = read(child.output, &buffer, buffer.count)
    if count > 0 { lines += splitter.lines(in: buffer[..<count]) }
    return count > 0 || count < 0 && (errno == EAGAIN || errno == EINTR)
  }

  /// Reads what is there, so that the program is never stopped by a full pipe.
  func drain() {
    readErrors()
    _ = wait(0, writing: false)
    if splitter.restCount > Self.longestLine { _ = splitter.takeRest() }
    // Nobody asks for what comes now.
    lines = lines.suffix(Self.complaintLimit)
  }

  private func readErrors() {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while !hasErrorsEnded {
      let count = read(child.errors, &buffer, buffer.count)
      if count == 0 { hasErrorsEnded = true }
      guard count > 0 else { break }
      complaint.lines(in: buffer[..<count]).forEach(complain)
      if complaint.restCount > 65_536 { complain(complaint.takeRest()) }
    }
  }

  private func complain(_ line: [UInt8]) {
    complaints.append(String(decoding: line.prefix(1000), as: UTF8.self))
    complaints = complaints.suffix(Self.complaintLimit)
  }

  // MARK: The end

  /// Whether it has ended by itself.
  var hasEnded: Bool { child.hasEnded }

  /// Sends it a signal, and nothing that it has started.
  func signal(_ number: Int32) { child.signal(number) }

  /// Ends its input and waits for it to end.
  ///
  /// - Parameter limit: after so many milliseconds it is killed, with all that it has started.
  /// - Returns: its status, as a shell tells it; nil where it had to be killed.
  @discardableResult
  func end(within limit: Int64) -> Int32? {
    child.endInput()
    let deadline = monotonicMilliseconds() + limit
    while !hasEnded {
      readErrors()
      if monotonicMilliseconds() >= deadline {
        child.kill()
        return nil
      }
      usleep(1000)
    }
    readErrors()
    if complaint.restCount > 0 { complain(complaint.takeRest()) }
    child.killGroup()
    let code = child.exitCode ?? 0
    return Int32(code >= 0 ? code : 128 - code)
  }
}
