internal import Glibc
internal import TLS
internal import Wire

/// A run against a server: connects, loads, measures, waits for what is under way, checks.
///
/// Subclasses are the workloads. Everything happens on the calling thread.
package class LoadRun: LinkHandler {
  /// What the caller is asked and told meanwhile.
  package struct Watch {
    /// Whether the run shall end now.
    package var isInterrupted: () -> Bool
    /// A sample was taken.
    package var sampled: (Sample) -> Void

    package init(
      isInterrupted: @escaping () -> Bool = { false },
      sampled: @escaping (Sample) -> Void = { _ in }
    ) {
      self.isInterrupted = isInterrupted
      self.sampled = sampled
    }
  }

  /// How many connections are being opened or activated at once.
  private static let opening = 256
  /// How long what is under way may take to come in after the load has ended, in nanoseconds.
  private static let settling: Int64 = 10_000_000_000

  let options: LoadOptions
  let server: ServerProcess?
  private(set) var loop: LinkLoop!
  var meter: Meter
  private let watch: Watch
  /// As the server's `hello` has it.
  var serverVersion: String?
  /// Names of this run's pairs start with it, so that no other run's are met.
  let mark: String
  /// When it began, on `Clock`; payloads count from here.
  let start = Clock.now
  /// How many devices are active, and how many connections the server has greeted.
  var activeCount = 0
  var greetedCount = 0
  /// What was under way has come in, or will not any more.
  private(set) var isSettled = false

  required init(
    _ options: LoadOptions, at addresses: [Address], server: ServerProcess?, watch: Watch,
    mark: String? = nil
  ) throws(LoadFailure) {
    self.options = options
    self.server = server
    self.watch = watch
    meter = Meter(server: server)
    self.mark = mark ?? "load\(getpid())-\(Clock.wall)"
    var context: TLSContext?
    if let tls = options.tls {
      do throws(TLSError) {
        context = try TLSContext(tls)
      } catch {
        throw LoadFailure("TLS: \(error.message)")
      }
    }
    loop = try LinkLoop(addresses, context, handler: self)
  }

  // MARK: What a workload is

  /// Does everything, from the first connection on.
  func perform() throws(LoadFailure) {}

  /// Uses whole lines of the expected form from the start of `bytes`; the next one is looked at by
  /// `event`.
  ///
  /// - Returns: how many bytes were used.
  func ingest(
    _ link: Link, _ bytes: UnsafeRawBufferPointer, at now: Int64
  ) throws(LoadFailure) -> Int { 0 }

  func fill(_ link: Link) throws(LoadFailure) {}

  /// A line of the server's that is neither about the session nor an error.
  ///
  /// - Returns: whether it was to be expected.
  func event(_ link: Link, _ type: String, _ line: Members) throws(LoadFailure) -> Bool { false }

  /// The session is active.
  func activated(_ link: Link) throws(LoadFailure) {}

  /// Adds what the numbers of deliveries showed.
  func check(_ faults: inout Faults) {}

  /// Puts what only this workload has into the result.
  func complete(_ result: inout LoadResult) { result.figures = meter.result ?? Figures() }

  // MARK: The course of a run

  /// Runs to its end, or until it is interrupted or cannot go on.
  package final func measure(version: String) -> LoadResult {
    var result = LoadResult(options: options, version: version, machine: .current)
    do throws(LoadFailure) {
      try perform()
    } catch {
      result.ending = watch.isInterrupted() ? .interrupted : .failed(error.description)
    }
    meter.end(Clock.now)
    result.serverVersion = serverVersion
    complete(&result)
    check(&result.faults)
    return result
  }

  /// Closes all connections.
  package final func close() {
    for link in loop.links { loop.close(link) }
  }

  /// Lets the loop run until something holds or a moment of `Clock` has come.
  ///
  /// - Throws: when it is interrupted, and when the server fails.
  final func run(
    until deadline: Int64 = .max, or holds: () -> Bool = { false }
  ) throws(LoadFailure) {
    while !holds() {
      let now = Clock.now
      if let sample = meter.tick(now) { watch.sampled(sample) }
      if watch.isInterrupted() { throw LoadFailure("interrupted") }
      guard now < deadline else { return }
      try scheduled(now)
      try loop.turn(Int32(min(50, max(1, (deadline - now) / 1_000_000))))
    }
  }

  /// Called before each turn.
  func scheduled(_ now: Int64) throws(LoadFailure) {}

  /// As `run`, and gives up where `progress` stays the same for the timeout.
  ///
  /// - Parameter waiting: what is awaited, for what is told then.
  final func run(
    until deadline: Int64 = .max, progress: () -> Int, waiting: String, or holds: () -> Bool
  ) throws(LoadFailure) {
    let patience = Int64(options.timeout * 1e9)
    var last = progress()
    var since = Clock.now
    while !holds() {
      let now = Clock.now
      let current = progress()
      if current != last { (last, since) = (current, now) }
      guard now - since < patience else {
        throw LoadFailure(
          "the server has not gone on for \(decimal(options.timeout)) s, waiting for \(waiting)")
      }
      guard now < deadline else { return }
      try run(until: min(deadline, now + 20_000_000), or: holds)
    }
  }

  /// Waits for what is under way, until it has come in or nothing more comes.
  final func settle(progress: () -> Int, _ holds: () -> Bool) throws(LoadFailure) {
    var last = progress()
    var since = Clock.now
    while !holds(), Clock.now - since < min(Self.settling, Int64(options.timeout * 1e9)) {
      try run(until: Clock.now + 10_000_000, or: holds)
      if progress() != last { (last, since) = (progress(), Clock.now) }
    }
    isSettled = true
  }

  // MARK: Opening

  /// Connects one device of each pair and activates it.
  final func activate(_ role: Link.Role) throws(LoadFailure) {
    var next = 0
    let before = activeCount
    try run(
      progress: { activeCount + greetedCount }, waiting: "hello and activationDidComplete",
      or: { activeCount - before == options.pairs },
      feeding: { () throws(LoadFailure) in
        while next < options.pairs, next - (activeCount - before) < Self.opening {
          _ = try loop.connect(pair: next, role: role)
          next += 1
        }
      })
  }

  /// As `run`, with something to do before each turn.
  final func run(
    progress: () -> Int, waiting: String, or holds: () -> Bool,
    feeding: () throws(LoadFailure) -> Void
  ) throws(LoadFailure) {
    while !holds() {
      try feeding()
      let before = progress()
      try run(progress: progress, waiting: waiting, or: { holds() || progress() != before })
    }
  }

  func opened(_ link: Link) throws(LoadFailure) {}

  /// The server has said hello.
  func greeted(_ link: Link) throws(LoadFailure) { try sendActivate(link) }

  final func sendActivate(_ link: Link) throws(LoadFailure) {
    link.state = .activating
    var line: [UInt8] = []
    line.append("{\"type\":\"activate\",\"pair\":", quoted: "\(mark)-\(link.pair)")
    line.append(",\"role\":", quoted: link.role.rawValue)
    if let token = options.token { line.append(",\"token\":", quoted: token) }
    try loop.send(link, String(decoding: line, as: UTF8.self) + "}\n")
  }

  func carried(_ bytes: Int) { meter.carried(bytes) }

  func ended(_ link: Link) throws(LoadFailure) {
    throw LoadFailure("the server has closed the connection of \(link.name)")
  }
}

/// A number without needless digits.
func decimal(_ number: Double) -> String {
  number == number.rounded() && abs(number) < 1e15 ? "\(Int(number))" : "\(number)"
}
