internal import Glibc
internal import Simulation
internal import Wire

/// A server that is a process of its own: one that is there, or one that is started, killed and
/// started again by its command.
final class RunningServer: ServerTarget {
  /// How long it may take to end when it is told to, in milliseconds.
  static let stopLimit: Int64 = 20_000
  /// How long it may take until it listens, in milliseconds.
  private static let startLimit: Int64 = 30_000
  /// How long its first line, and an answer to a ping, may take, in milliseconds.
  private static let helloLimit: Int64 = 10_000

  private let options: RunningServerOptions
  private(set) var endpoint: Endpoint
  private var child: ChildProcess?
  private var hasStarted = false
  private var earlier: [String] = []
  private var runs = 0
  /// It is gone, and that has been told; nothing can be tried any more.
  private var isLost = false
  /// Which no other campaign has, so that pairs are new at a server that has seen others.
  private let name: String

  /// - Parameter purpose: what its pairs' names begin with.
  init(_ options: RunningServerOptions, _ purpose: String = "fuzz") {
    self.options = options
    endpoint = options.endpoint
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    let moment = UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000
    name = purpose + "-" + String(moment, radix: 36) + "-" + String(getpid(), radix: 36)
  }

  deinit { _ = stop() }

  var faults: Set<Fault> { options.faults }

  var impossible: Set<TraceEvent.Verb> { options.impossible }
  var complaints: [String] { earlier + (child?.complaints ?? []) }

  // MARK: A run

  func site(_ trace: Trace) throws(HarnessFailure) -> any ServerSite {
    earlier = []
    if options.command != nil, child?.hasEnded ?? true { try start() }
    var time: Int64 = 0
    var death: String?
    do throws(HarnessFailure) {
      time = try greet()
    } catch {
      // One that was there and is not any more is a finding, once.
      guard runs > 0, !isLost else { throw error }
      death = absence() ?? error.description
    }
    runs += 1
    return SocketSite(
      self, pair: "\(name)-\(runs)", offset: time, seed: trace.seed, death: death)
  }

  /// It has ended without having been told to.
  func death(_ reason: String) -> Finding {
    isLost = options.command == nil
    return Finding(
      invariant: "I42", slug: "server-died",
      headline: "The server ended, and nobody had told it to.",
      story: [reason] + complaints.suffix(4).map { "It had said: \($0.prefix(200))" })
  }

  /// Asks the server for its time.
  ///
  /// - Returns: what its clock is ahead of ours, in milliseconds; 0 where that is little.
  private func greet() throws(HarnessFailure) -> Int64 {
    let socket: Socket
    do throws(FileFailure) {
      socket = try Socket(endpoint)
    } catch {
      throw HarnessFailure("no server at \(endpoint): \(error.reason)")
    }
    defer { socket.close(resets: false) }
    guard let hello = line(socket), hello.string("type") == "hello" else {
      throw HarnessFailure(
        "what listens at \(endpoint) is not a watchline-server: it says no hello")
    }
    socket.write(Array("{\"type\":\"ping\",\"id\":1}\n".utf8))
    guard let raw = line(socket)?.raw("now"), let now = Double(String(decoding: raw, as: UTF8.self))
    else { throw HarnessFailure("the server at \(endpoint) does not answer a ping") }
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    let ahead = now - (Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
    return abs(ahead) < 2 ? 0 : Int64(ahead * 1000)
  }

  /// The next line of a connection on which one line at a time comes.
  private func line(_ socket: Socket) -> Members? {
    var bytes: [UInt8] = []
    let deadline = monotonicMilliseconds() + Self.helloLimit
    while true {
      let left = deadline - monotonicMilliseconds()
      guard left > 0, bytes.count < ChildProcess.longestLine else { return nil }
      var awaited = socket.awaited
      poll(&awaited, 1, Int32(clamping: left))
      switch socket.read() {
      case .bytes(let more): bytes += more
      case .nothing: break
      case .ended, .failed: return nil
      }
      if let end = bytes.firstIndex(of: 0x0A) { return try? Members(bytes[..<end]) }
    }
  }

  /// Reads what it writes, so that it never waits for a reader.
  func drain() { child?.drain() }

  /// Why it is no longer there; nil where it is.
  func absence() -> String? {
    do throws(FileFailure) {
      try Socket(endpoint).close(resets: false)
      return nil
    } catch {
      guard let child else { return "Nothing listens at \(endpoint) any more: \(error.reason)." }
      let status = child.end(within: 1000)
      return switch status {
      case nil: "It does not listen any more and did not end either."
      case let status? where status > 128: "Signal \(status - 128), which was not ours, ended it."
      case let status?: "It ended by itself, with status \(status)."
      }
    }
  }

  // MARK: The process

  /// Starts it and waits until it listens.
  func start() throws(HarnessFailure) {
    guard let command = options.command else { return }
    earlier = complaints.suffix(ChildProcess.complaintLimit)
    if !hasStarted, options.endpoint.port != 0, (try? Socket(options.endpoint)) != nil {
      throw HarnessFailure(
        "something listens at \(options.endpoint) already; --server starts a server of its own")
    }
    let child: ChildProcess
    do throws(FileFailure) {
      child = try ChildProcess("exec \(command)", isLeader: false)
    } catch {
      throw HarnessFailure("\(command) cannot be started: \(error.message)")
    }
    self.child = child
    let deadline = monotonicMilliseconds() + Self.startLimit
    while monotonicMilliseconds() < deadline {
      switch child.line(within: 100) {
      case .line(let line):
        guard let address = Self.address(line) else { continue }
        endpoint = address
        hasStarted = true
        return
      case .late:
        guard options.endpoint.port != 0, (try? Socket(options.endpoint)) != nil else { continue }
        hasStarted = true
        return
      case .ended, .tooLong:
        let status = child.end(within: 2000)
        let last = child.complaints.last.map { ": \($0)" } ?? ""
        throw HarnessFailure(
          "\(command) ended with status \(status ?? 137) before it listened\(last)")
      }
    }
    child.end(within: 0)
    throw HarnessFailure("\(command) did not listen within \(Self.startLimit / 1000) s")
  }

  /// The address in the line that says that it is ready.
  private static func address(_ line: [UInt8]) -> Endpoint? {
    let text = String(decoding: line, as: UTF8.self)
    guard let range = text.firstRange(of: " listening on ") else { return nil }
    return try? Endpoint(String(text[range.upperBound...]))
  }

  /// SIGKILL, to the process that was started and to no other.
  func kill() {
    child?.signal(SIGKILL)
    child?.end(within: Self.stopLimit)
  }

  /// SIGTERM.
  ///
  /// - Returns: its status; nil where it had to be killed.
  func stop() -> Int32? {
    guard let child else { return 0 }
    child.signal(SIGTERM)
    return child.end(within: Self.stopLimit)
  }
}
