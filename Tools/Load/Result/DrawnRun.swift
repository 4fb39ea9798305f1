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
  let latencies: Histogram

  init(_ name: String, _ run: Members) {
    self.name = name
    self.run = run
    seconds = (run.objects("samples") ?? []).map { sample in
      let seconds = sample.double("seconds").flatMap { $0 > 0 ? $0 : nil }
      return Second(
        messagesPerSecond: sample.double("messagesPerSecond"),
        p50: sample.double("p50Milliseconds"), p99: sample.double("p99Milliseconds"),
        serverCPUPercent: sample.double("serverCPUSeconds").flatMap { cpu in
          seconds.map { cpu / $0 * 100 }
        },
        serverMebibytes: sample.double("serverResidentBytes").map { $0 / 1_048_576 })
    }
    let pairs = String(decoding: run.raw("latencyHistogram") ?? [], as: UTF8.self)
      .split { "[],".contains($0) }.map { measured($0) ?? 0 }
    latencies = Histogram(
      stride(from: 0, to: pairs.count - 1, by: 2).map {
        (end: Int((pairs[$0] * 1000).rounded()), count: Int(pairs[$0 + 1]))
      },
      max: Int(((run.object("latencyMilliseconds")?.double("max") ?? 0) * 1000).rounded()))
  }
}

extension Members {
  /// A number that was measured; nil where there is none, and for what no run can have measured.
  func double(_ name: String) -> Double? {
    raw(name).flatMap { measured(String(decoding: $0, as: UTF8.self)) }
  }
}

/// A number from a file: from 0 to 10¹², a bound within which sums and conversions are safe.
private func measured(_ text: some StringProtocol) -> Double? {
  Double(text).flatMap { 0...1e12 ~= $0 ? $0 : nil }
}
