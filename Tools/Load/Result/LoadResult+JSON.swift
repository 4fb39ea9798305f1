internal import Wire

extension LoadOptions {
  func write(_ writer: inout JSONWriter) {
    writer.member("workload", workload.rawValue)
    writer.member("pairs", pairs)
    switch pace {
    case .window(let window):
      writer.member("window", window)
      writer.raw("rate", "null")
    case .rate(let rate):
      writer.raw("window", "null")
      writer.raw("rate", decimal(rate))
    }
    writer.member("payload", payload)
    writer.raw("seconds", decimal(seconds))
    writer.raw("warmUp", decimal(warmUp))
    writer.raw("timeout", decimal(timeout))
    writer.raw("serverCPU", serverCPU.map { "\($0)" } ?? "null")
    writer.raw("clientCPU", clientCPU.map { "\($0)" } ?? "null")
  }
}

extension LoadResult {
  /// One object, without LF. Members that a workload or a run does not have are null or, where they
  /// belong to one workload only, left out.
  package var json: [UInt8] {
    var writer = JSONWriter()
    writer.object {
      $0.member("version", version)
      $0.member("serverVersion", serverVersion)
      $0.member("ended", endingText)
      $0.object("options") { options.write(&$0) }
      $0.object("machine") {
        $0.member("cpu", machine.cpu)
        $0.member("cpus", machine.cpus)
        $0.member("memoryBytes", machine.memoryBytes)
        $0.member("kernel", machine.kernel)
      }
      $0.raw("warmUpSeconds", decimal(options.warmUp))
      figures.write(&$0)
      $0.raw("clientCPUPercent", number(figures.clientCPUPercent, 1))
      $0.raw("clientBound", isClientBound ? "true" : "false")
      $0.member("lost", faults.lost)
      $0.member("duplicated", faults.duplicated)
      $0.member("reordered", faults.reordered)
      $0.member("inFlight", faults.inFlight)
      if options.workload == .sync {
        $0.raw("headsAgree", headsAgree.map { $0 ? "true" : "false" } ?? "null")
      }
      if let fill { $0.object("fill") { fill.write(&$0) } }
      if let drain { $0.object("drain") { drain.write(&$0) } }
      if let connect { $0.object("connect") { connect.write(&$0) } }
      $0.raw("latencyHistogram", figures.latency.json)
      $0.array("samples", figures.samples) { writer, sample in
        writer.object { sample.write(&$0) }
      }
    }
    return writer.bytes
  }

  /// `complete`, `interrupted`, or what went wrong.
  package var endingText: String {
    switch ending {
    case .complete: "complete"
    case .interrupted: "interrupted"
    case .failed(let reason): reason
    }
  }
}

/// A number for JSON: so many digits behind the point, no commas; null for none.
private func number(_ value: Double?, _ places: Int) -> String {
  guard let value, value.isFinite else { return "null" }
  return fixed(value, places).filter { $0 != "," }
}

extension Figures {
  fileprivate func write(_ writer: inout JSONWriter) {
    writer.raw("seconds", number(seconds, 3))
    writer.member("messages", messages)
    writer.raw("messagesPerSecond", number(messagesPerSecond, 1))
    writer.raw("latencyMilliseconds", latency.percentiles)
    if delivery.count > 0 { writer.raw("deliveryLatencyMilliseconds", delivery.percentiles) }
    writer.raw("serverCPUSecondsPerMillion", number(serverCPUSecondsPerMillion, 3))
    writer.raw("serverResidentBytes", serverResidentBytes.map { "\($0)" } ?? "null")
    writer.raw("wireBytesPerMessage", number(wireBytesPerMessage, 1))
    writer.raw("diskBytesPerMessage", number(diskBytesPerMessage, 1))
  }
}

extension Histogram {
  fileprivate var percentiles: String {
    let values: [(String, Double)] = [("p50", 0.5), ("p99", 0.99), ("p999", 0.999), ("max", 1)]
    let members = values.map { "\"\($0.0)\":\(number(milliseconds($0.1), 3))" }
    return "{\(members.joined(separator: ","))}"
  }

  /// Pairs of a bucket's upper end in milliseconds and what is in it; empty buckets are left out.
  fileprivate var json: String {
    let pairs = buckets.map { "[\(number(Double($0.range.upperBound) / 1000, 3)),\($0.count)]" }
    return "[\(pairs.joined(separator: ","))]"
  }
}

extension Sample {
  fileprivate func write(_ writer: inout JSONWriter) {
    if let phase { writer.member("phase", phase) }
    writer.raw("seconds", number(seconds, 3))
    writer.member("messages", messages)
    writer.raw("messagesPerSecond", number(messagesPerSecond, 1))
    writer.raw("p50Milliseconds", number(p50.map { Double($0) / 1000 }, 3))
    writer.raw("p99Milliseconds", number(p99.map { Double($0) / 1000 }, 3))
    writer.raw("serverCPUSeconds", number(serverCPUSeconds, 2))
    writer.raw("serverResidentBytes", serverResidentBytes.map { "\($0)" } ?? "null")
    writer.raw("clientCPUPercent", number(clientCPUPercent, 1))
  }
}

extension ConnectFigures {
  fileprivate func write(_ writer: inout JSONWriter) {
    writer.member("connections", connections)
    writer.member("activations", activations)
    writer.raw("connectionsPerSecond", number(connectionsPerSecond, 1))
    writer.raw("connectedBytesPerConnection", number(connectedBytesPerConnection, 0))
    writer.raw("activatedBytesPerConnection", number(activatedBytesPerConnection, 0))
    writer.raw("idleSeconds", number(idleSeconds, 3))
    writer.raw("idleServerCPUSeconds", number(idleServerCPUSeconds, 2))
  }
}

extension Comparison {
  /// An array with an object for each figure.
  package var json: String {
    let items = rows.map { row in
      "{\"metric\":\"\(row.metric.rawValue)\",\"old\":\(Self.json(row.old)),"
        + "\"new\":\(Self.json(row.new)),\"ratio\":\(number(row.ratio, 4)),"
        + "\"noDifference\":\(row.isNoDifference)}"
    }
    return "[\(items.joined(separator: ","))]"
  }

  private static func json(_ spread: Spread) -> String {
    "{\"median\":\(number(spread.median, 4)),\"low\":\(number(spread.range.lowerBound, 4)),"
      + "\"high\":\(number(spread.range.upperBound, 4))}"
  }
}
