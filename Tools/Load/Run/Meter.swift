/// What a phase of a run amounts to: counts, durations, processor time, a sample a second.
final class Meter {
  private let server: ServerProcess?
  private let phase: String?
  /// Bytes that this program's connections have carried so far, both ways.
  private var carriedBytes = 0
  private(set) var isRunning = false
  private(set) var count = 0
  private var began = Moment()
  private var sampled = Moment()
  /// The last one at which the server was there.
  private var known = Moment()
  private var figures = Figures()
  /// Since the last sample.
  private var latency = Histogram()
  private var delivery = Histogram()

  /// Where counts stood at a time.
  private struct Moment {
    var time: Int64 = 0
    var count = 0
    var own: Int64 = 0
    var server: Double?
    var carried = 0
    var stored: Int?
  }

  /// - Parameter phase: what samples call it; nil where the run has one phase only.
  init(server: ServerProcess?, phase: String? = nil) {
    self.server = server
    self.phase = phase
  }

  private func moment(_ now: Int64) -> Moment {
    Moment(
      time: now, count: count, own: Clock.ownCPU, server: server?.cpuSeconds,
      carried: carriedBytes, stored: server?.writtenBytes)
  }

  func begin(_ now: Int64) {
    began = moment(now)
    sampled = began
    known = began
    isRunning = true
  }

  /// Counts something that took so many microseconds.
  @inline(__always)
  func finished(_ microseconds: Int) {
    guard isRunning else { return }
    count &+= 1
    latency.record(microseconds)
  }

  @inline(__always)
  func carried(_ bytes: Int) { carriedBytes &+= bytes }

  /// A transfer has reached its receiver; it is counted when it finishes.
  @inline(__always)
  func delivered(_ microseconds: Int) {
    if isRunning { delivery.record(microseconds) }
  }

  /// Takes a sample where a second has passed.
  ///
  /// - Returns: the sample taken.
  @inline(__always)
  func tick(_ now: Int64) -> Sample? {
    isRunning && now &- sampled.time >= 1_000_000_000 ? sample(now) : nil
  }

  private func sample(_ now: Int64) -> Sample {
    let next = moment(now)
    let seconds = Double(next.time - sampled.time) / 1e9
    let messages = next.count - sampled.count
    let cpu = Self.difference(next.server, sampled.server)
    let sample = Sample(
      phase: phase, seconds: seconds, messages: messages,
      p50: latency.percentile(0.5), p99: latency.percentile(0.99), serverCPUSeconds: cpu,
      serverResidentBytes: server?.residentBytes,
      clientCPUPercent: Double(next.own - sampled.own) / 1e7 / seconds)
    figures.samples.append(sample)
    figures.latency.add(latency)
    figures.delivery.add(delivery)
    latency.removeAll()
    delivery.removeAll()
    sampled = next
    if next.server != nil { known = next }
    return sample
  }

  private static func difference<Number: Numeric>(
    _ later: Number?, _ earlier: Number?
  ) -> Number? {
    guard let later, let earlier else { return nil }
    return later - earlier
  }

  /// Ends it; again has no effect.
  func end(_ now: Int64) {
    guard isRunning else { return }
    // What is left of a second is a sample where it is most of one, or the only one.
    if now - sampled.time >= 500_000_000 || figures.samples.isEmpty { _ = sample(now) }
    isRunning = false
    let end = moment(now)
    figures.latency.add(latency)
    figures.delivery.add(delivery)
    figures.messages = end.count - began.count
    figures.seconds = max(1e-9, Double(end.time - began.time) / 1e9)
    figures.serverCPUSeconds = Self.difference(end.server, began.server) ?? cpuWhileKnown(end)
    figures.serverResidentBytes =
      server?.residentBytes
      ?? figures.samples.last { $0.serverResidentBytes != nil }?
      .serverResidentBytes
    figures.wireBytes = end.carried - began.carried
    figures.diskBytes = Self.difference(end.stored, began.stored)
    figures.clientCPUPercent = Double(end.own - began.own) / 1e7 / figures.seconds
  }

  /// Of a server that has gone: what it had used when it was last seen, scaled to the messages up to
  /// the end.
  private func cpuWhileKnown(_ end: Moment) -> Double? {
    guard let cpu = Self.difference(known.server, began.server), known.count > began.count
    else {
      return nil
    }
    return cpu * Double(end.count - began.count) / Double(known.count - began.count)
  }

  /// What was measured; nil where it never began.
  var result: Figures? { began.time == 0 ? nil : figures }
}
