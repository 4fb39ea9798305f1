internal import Glibc

/// Connections, then activations, then silence: what an idle connection costs.
final class ConnectRun: LoadRun {
  private var figures = ConnectFigures()
  private var count: Int { options.pairs * 2 }

  override func perform() throws(LoadFailure) {
    let before = server?.residentBytes
    try connectAll()
    figures.connectedBytesPerConnection = cost(since: before)
    try activateAll()
    let (began, cpu) = (Clock.now, server?.cpuSeconds)
    try run(until: began + Int64(options.seconds * 1e9))
    figures.idleSeconds = Double(Clock.now - began) / 1e9
    figures.activatedBytesPerConnection = cost(since: before)
    figures.idleServerCPUSeconds = server?.cpuSeconds.flatMap { end in cpu.map { end - $0 } }
  }

  private func cost(since before: Int?) -> Double? {
    guard let before, let now = server?.residentBytes else { return nil }
    return Double(now - before) / Double(count)
  }

  private var window: Int {
    if case .window(let window) = options.pace { return window }
    return 1
  }

  private func connectAll() throws(LoadFailure) {
    let began = Clock.now
    var next = 0
    try run(
      progress: { greetedCount }, waiting: "hello", or: { greetedCount == count },
      feeding: { () throws(LoadFailure) in
        while next < count, next - greetedCount < window {
          _ = try loop.connect(pair: next / 2, role: next % 2 == 0 ? .watch : .phone)
          next += 1
        }
      })
    figures.connectionsPerSecond = Double(count) * 1e9 / Double(Clock.now - began)
  }

  private func activateAll() throws(LoadFailure) {
    meter.begin(Clock.now)
    var next = 0
    try run(
      progress: { activeCount }, waiting: "activationDidComplete", or: { activeCount == count },
      feeding: { () throws(LoadFailure) in
        while next < count, next - activeCount < window {
          let link = loop.links[next]
          link.since = Clock.now
          try sendActivate(link)
          next += 1
        }
      })
    meter.end(Clock.now)
  }

  override func greeted(_ link: Link) throws(LoadFailure) {}

  override func activated(_ link: Link) throws(LoadFailure) {
    meter.finished(Int((Clock.now - link.since) / 1_000))
  }

  override func complete(_ result: inout LoadResult) {
    super.complete(&result)
    figures.connections = greetedCount
    figures.activations = activeCount
    result.connect = figures
  }
}

/// File descriptors of this program.
package enum Descriptors {
  /// Beside connections: the standard streams, the loop's, those of /proc that are read.
  private static let others = 64

  /// Lets it have as many connections.
  ///
  /// - Throws: where this user may not.
  package static func allow(connections: Int) throws(LoadFailure) {
    let needed = rlim_t(connections + others)
    var limit = rlimit()
    let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard getrlimit(kind, &limit) == 0, limit.rlim_cur < needed else { return }
    guard limit.rlim_max >= needed else {
      throw LoadFailure(
        "\(connections) connections need \(needed) file descriptors, and this user may have "
          + "\(limit.rlim_max); see ulimit -Hn")
    }
    limit.rlim_cur = limit.rlim_max
    guard setrlimit(kind, &limit) == 0 else {
      throw LoadFailure("setrlimit: \(String(cString: strerror(errno)))")
    }
  }
}
