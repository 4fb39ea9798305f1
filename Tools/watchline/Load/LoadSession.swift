internal import Glibc
internal import Load

/// Runs what was asked for, one run after the other, and shows how it goes.
struct LoadSession {
  let options: LoadCommandOptions

  init(_ options: LoadCommandOptions) { self.options = options }

  /// One run against a server that is there, or several that share pairs.
  func run(_ endpoints: Endpoints) throws(LoadFailure) -> LoadResult {
    let process = findProcess(endpoints)
    if let cpu = options.load.serverCPU {
      guard let process else {
        throw LoadFailure("--server-cpu: the server's process is not known; see --server-pid")
      }
      try process.pin(to: cpu)
    }
    if options.serverID != nil, process?.cpuSeconds == nil {
      throw LoadFailure("there is no process \(options.serverID!), which --server-pid names")
    }
    return try measure(endpoints.all, process, forgets: complain)
  }

  private func findProcess(_ endpoints: Endpoints) -> ServerProcess? {
    if let id = options.serverID { return ServerProcess(id: id) }
    var found: [ServerProcess] = []
    for endpoint in endpoints.all {
      guard Load.isLocal(host: endpoint.host, port: endpoint.port),
        let process = ServerProcess.listening(on: endpoint.port)
      else { return nil }
      found.append(process)
    }
    return ServerProcess(found)
  }

  /// One run against a server program, which is started for it and stopped after it.
  func run(spawning path: String) throws(LoadFailure) -> LoadResult {
    try Load.allowConnections(options.load)
    ServerProcess.unpinSelf()
    let server = try SpawnedServer(path, parent: options.folder) { Interrupt.signal != nil }
    defer { server.stop() }
    let process = ServerProcess(id: Int(server.id))
    if let cpu = options.load.serverCPU { try process.pin(to: cpu) }
    var result = try measure([Endpoint(host: "127.0.0.1", port: server.port)], process)
    if case .failed(let reason) = result.ending {
      // The kernel tells of the connections before it tells of the process.
      usleep(50_000)
      if let ending = server.ending { result.ending = .failed("\(reason); \(ending)") }
    }
    return result
  }

  private func measure(
    _ endpoints: [Endpoint], _ process: ServerProcess?, forgets: ((String) -> Void)? = nil
  ) throws(LoadFailure) -> LoadResult {
    if let cpu = options.load.clientCPU { try ServerProcess.pinSelf(to: cpu) }
    let progress = LoadProgress(options.load)
    defer { progress.clear() }
    return try Load.measure(
      options.load, at: endpoints.map { ($0.host, $0.port) }, server: process,
      version: Watchline.version,
      watch: LoadRun.Watch(
        isInterrupted: { Interrupt.signal != nil }, sampled: { progress.show($0) }),
      forgets: forgets)
  }
}

/// Tells how it goes.
final class LoadProgress {
  private let text: String
  private var seconds = 0.0
  /// Of the last seconds, the oldest first.
  private var throughput: [Double] = []
  private static let mostBars = 20

  init(_ options: LoadOptions) { text = options.workload.rawValue }

  func show(_ sample: Sample) {
    seconds += sample.seconds
    throughput = throughput.suffix(Self.mostBars - 1) + [sample.messagesPerSecond]
    var parts = [
      "\(text) \(sample.phase.map { "\($0) " } ?? "")\(fixed(seconds, 0)) s",
      sparkline(throughput),
      "\(grouped(Int(sample.messagesPerSecond)))/s",
    ]
    if let p99 = sample.p99 { parts.append("p99 \(fixed(Double(p99) / 1000, 2)) ms") }
    if let cpu = sample.serverCPUSeconds {
      parts.append("server \(fixed(cpu / sample.seconds * 100, 0)) % CPU")
    }
    if let memory = sample.serverResidentBytes {
      parts.append("\(fixed(Double(memory) / 1_048_576, 0)) MiB")
    }
    parts.append("client \(fixed(sample.clientCPUPercent, 0)) % CPU")
    showStatus(parts.joined(separator: " · "))
  }

  func clear() { showStatus("") }
}
