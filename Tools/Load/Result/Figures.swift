/// What was measured in a phase.
package struct Figures: Equatable, Sendable {
  /// How many were finished, in how many seconds.
  package var messages = 0
  package var seconds = 0.0
  package var latency = Histogram()
  /// To the delivery, where `latency` is to something after it; else empty.
  package var delivery = Histogram()
  /// User and system, of all threads; nil where the server's process is not known.
  package var serverCPUSeconds: Double?
  /// At the end of the phase.
  package var serverResidentBytes: Int?
  /// Of the connections' bytes, both ways, without what the kernel puts around them.
  package var wireBytes = 0
  /// Written by the server for the disk; nil where its process is not known or may not be looked at.
  package var diskBytes: Int?
  package var clientCPUPercent = 0.0
  package var samples: [Sample] = []

  package init() {}

  package var messagesPerSecond: Double { seconds > 0 ? Double(messages) / seconds : 0 }

  package var serverCPUSecondsPerMillion: Double? {
    guard let cpu = serverCPUSeconds, messages > 0 else { return nil }
    return cpu / Double(messages) * 1e6
  }

  package var wireBytesPerMessage: Double? {
    messages > 0 ? Double(wireBytes) / Double(messages) : nil
  }

  package var diskBytesPerMessage: Double? {
    guard let diskBytes, messages > 0 else { return nil }
    return Double(diskBytes) / Double(messages)
  }

  /// Two phases that each message passes through, as one: times and processor time a message add up.
  package static func both(_ first: Figures, _ second: Figures) -> Figures {
    var whole = second
    whole.samples = first.samples + second.samples
    whole.clientCPUPercent = max(first.clientCPUPercent, second.clientCPUPercent)
    guard first.messages > 0 else { return whole }
    // What the first phase would have taken for the messages of the second.
    let scale = Double(second.messages) / Double(first.messages)
    whole.seconds += first.seconds * scale
    whole.wireBytes += Int(Double(first.wireBytes) * scale)
    whole.diskBytes = first.diskBytes.flatMap { bytes in
      second.diskBytes.map { $0 + Int(Double(bytes) * scale) }
    }
    whole.serverCPUSeconds = first.serverCPUSeconds.flatMap { cpu in
      second.serverCPUSeconds.map { $0 + cpu * scale }
    }
    return whole
  }
}

/// What one second of a run was like.
package struct Sample: Equatable, Sendable {
  /// `fill` or `drain` of a backlog.
  package var phase: String?
  /// How long it really was.
  package var seconds: Double
  package var messages: Int
  /// Latencies in microseconds; nil where nothing was finished.
  package var p50: Int?
  package var p99: Int?
  package var serverCPUSeconds: Double?
  package var serverResidentBytes: Int?
  package var clientCPUPercent: Double

  package init(
    phase: String? = nil, seconds: Double, messages: Int, p50: Int?, p99: Int?,
    serverCPUSeconds: Double?, serverResidentBytes: Int?, clientCPUPercent: Double
  ) {
    self.phase = phase
    self.seconds = seconds
    self.messages = messages
    self.p50 = p50
    self.p99 = p99
    self.serverCPUSeconds = serverCPUSeconds
    self.serverResidentBytes = serverResidentBytes
    self.clientCPUPercent = clientCPUPercent
  }

  package var messagesPerSecond: Double { Double(messages) / seconds }
}

/// What `connect` measures beside activations.
package struct ConnectFigures: Equatable, Sendable {
  /// How many are connected, and how many of them activated.
  package var connections = 0
  package var activations = 0
  package var connectionsPerSecond = 0.0
  /// Server memory beyond that before the first connection, a connection: when all are connected,
  /// and when all are activated and idle.
  package var connectedBytesPerConnection: Double?
  package var activatedBytesPerConnection: Double?
  /// How long all were idle, and what the server used meanwhile.
  package var idleSeconds = 0.0
  package var idleServerCPUSeconds: Double?

  package init() {}
}

/// Everything that a run tells.
package struct LoadResult: Equatable, Sendable {
  package enum Ending: Equatable, Sendable {
    case complete
    case interrupted
    /// In one sentence.
    case failed(String)
  }

  package var options: LoadOptions
  package var version: String
  /// As the server's `hello` has it.
  package var serverVersion: String?
  package var machine: Machine
  package var ending = Ending.complete
  package var figures = Figures()
  /// A backlog's phases.
  package var fill: Figures?
  package var drain: Figures?
  package var connect: ConnectFigures?
  package var faults = Faults()
  /// Of sync: whether both devices of each pair and the hub ended with the same heads; nil where the
  /// run ended before that could be asked.
  package var headsAgree: Bool?

  package init(options: LoadOptions, version: String, machine: Machine) {
    self.options = options
    self.version = version
    self.machine = machine
  }

  /// From here on the client's one thread may be what was measured.
  package static let boundPercent = 90.0

  package var isClientBound: Bool { figures.clientCPUPercent >= Self.boundPercent }
}
