internal import Wire

/// A run as `--json` has written it, for a picture: one that was saved is drawn as one that has just ended.
struct DrawnRun {
  /// One second of it.
  struct Second {
    let messagesPerSecond: Double?
    let p50: Double?
    let p99: Double?
    /// Of one processor.
    let serverCPUPercent: Double?
    let serverMebibytes: Double?
  }

  let name: String
  let run: Members
  let seconds: [Second]
  /// The latencies, in milliseconds: the upper end of each bucket with something in it, and how many.
  let latencies: [(end: Double, count: Int)]

  init(_ name: String, _ run: Members) {
    self.name = name
    self.run = run
    seconds = (run.objects("samples") ?? []).map { sample in
      let cpu = sample.double("serverCPUSeconds")
      return Second(
        messagesPerSecond: sample.double("messagesPerSecond"),
        p50: sample.double("p50Milliseconds"), p99: sample.double("p99Milliseconds"),
        serverCPUPercent: cpu.flatMap { cpu in sample.double("seconds").map { cpu / $0 * 100 } },
        serverMebibytes: sample.double("serverResidentBytes").map { $0 / 1_048_576 })
    }
    let pairs = String(decoding: run.raw("latencyHistogram") ?? [], as: UTF8.self)
      .split { "[],".contains($0) }
    latencies = stride(from: 0, to: pairs.count - 1, by: 2).compactMap { index in
      guard let end = Double(pairs[index]), let count = Int(pairs[index + 1]) else { return nil }
      return (end, count)
    }
  }

  /// - Parameter share: above 0, at most 1.
  /// - Returns: milliseconds; nil where there are no latencies.
  func latency(_ share: Double) -> Double? {
    let count = latencies.reduce(0) { $0 + $1.count }
    let rank = max(1, Int((Double(count) * share).rounded(.up)))
    var seen = 0
    let bucket = latencies.first { bucket in
      seen += bucket.count
      return seen >= rank
    }
    let longest = run.object("latencyMilliseconds")?.double("max")
    return bucket.map { min($0.end, longest ?? $0.end) }
  }
}

extension Members {
  /// A number; nil where there is none.
  func double(_ name: String) -> Double? {
    raw(name).flatMap { Double(String(decoding: $0, as: UTF8.self)) }
  }
}
