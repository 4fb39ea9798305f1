extension LoadOptions {
  /// What is measured, in a line.
  package var text: String {
    let pace =
      switch pace {
      case .window(let window): "window \(window)"
      case .rate(let rate): "\(grouped(rate)) a second"
      }
    let size =
      (workload == .connect ? "" : ", \(payload)-byte payloads") + (tls == nil ? "" : ", TLS")
    let warmUp = warmUp > 0 ? " after \(decimal(warmUp)) s" : ""
    return "\(workload.rawValue): \(grouped(Double(pairs))) \(pairs == 1 ? "pair" : "pairs"), "
      + "\(pace)\(size), \(decimal(seconds)) s\(warmUp)"
  }
}

extension LoadResult {
  /// A report for a person, without the last LF.
  package var text: String {
    var rows: [(String, String)] = []
    if let connect { rows += connect.rows }
    if let fill { rows += Self.phase("fill", "to accepted", fill) }
    if let drain { rows += Self.phase("drain", "to didFinish…", drain) }
    switch options.workload {
    case .backlog: rows.append(("both", rate))
    case .connect: rows.append(("activations", "\(grouped(figures.messagesPerSecond)) a second"))
    default: rows.append(("rate", rate))
    }
    if fill == nil, figures.latency.count > 0 {
      rows.append(("latency", "\(figures.latency.text) ms \(latencyMeaning)"))
      if figures.delivery.count > 0 {
        rows.append(("", "\(figures.delivery.text) ms to the delivery"))
      }
    }
    rows.append(("server", server))
    rows.append(("client", client))
    if options.workload != .connect { rows.append(("checked", checked)) }
    if let headsAgree {
      rows.append(("heads", headsAgree ? "the same at both devices and the hub" : "THEY DIFFER"))
    }
    let width = rows.map(\.0.count).max() ?? 0
    let cut = ending == .complete ? "" : "; ended after \(fixed(figures.seconds, 1)) s"
    let lines = rows.map { name, text in
      "  \(name)\(String(repeating: " ", count: width - name.count + 2))\(text)"
    }
    return ([options.text + cut] + lines).joined(separator: "\n")
  }

  private var latencyMeaning: String {
    switch options.workload {
    case .message, .sync: "to the delivery"
    case .transfer, .backlog: "to didFinish…"
    case .connect: "from activate to its answer"
    }
  }

  private var rate: String {
    let unit = options.workload == .sync ? "operations" : "messages"
    guard case .rate(let asked) = options.pace else {
      return "\(grouped(figures.messagesPerSecond)) \(unit) a second"
    }
    return "\(grouped(figures.messagesPerSecond)) \(unit) a second of \(grouped(asked)) asked for"
  }

  private var server: String {
    guard let memory = figures.serverResidentBytes else {
      return "not on this machine, or its process is not known: no figures"
    }
    let cpu = figures.serverCPUSecondsPerMillion.map { "\(fixed($0, 2)) CPU s per million, " } ?? ""
    return "\(cpu)\(fixed(Double(memory) / 1_048_576, 1)) MiB"
  }

  private var client: String {
    let percent = "\(fixed(figures.clientCPUPercent, 0)) % of a processor"
    return isClientBound ? "\(percent): CLIENT BOUND, the server may be faster" : percent
  }

  private var checked: String {
    let parts = [
      (faults.lost, "lost"), (faults.duplicated, "duplicated"), (faults.reordered, "out of order"),
    ].map { $0.0 == 0 ? "none \($0.1)" : "\(grouped(Double($0.0))) \($0.1.uppercased())" }
    let open = faults.inFlight > 0 ? "; \(grouped(Double(faults.inFlight))) still under way" : ""
    return parts.joined(separator: ", ") + open
  }

  private static func phase(
    _ name: String, _ meaning: String, _ figures: Figures
  ) -> [(String, String)] {
    let cpu = figures.serverCPUSecondsPerMillion.map { ", \(fixed($0, 2)) CPU s per million" }
    let speed = "\(grouped(figures.messagesPerSecond)) messages a second"
    let count = "\(grouped(Double(figures.messages))) in \(fixed(figures.seconds, 2)) s"
    var rows = [(name, "\(speed) (\(count))\(cpu ?? "")")]
    if figures.latency.count > 0 { rows.append(("", "\(figures.latency.text) ms \(meaning)")) }
    if figures.delivery.count > 0 {
      rows.append(("", "\(figures.delivery.text) ms to the delivery"))
    }
    return rows
  }
}

extension Histogram {
  /// The usual percentiles, in milliseconds.
  package var text: String {
    let shares: [(String, Double)] = [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999), ("max", 1)]
    return shares.map { "\($0.0) \(milliseconds($0.1).map(Metric.p50.text) ?? "–")" }
      .joined(separator: "  ")
  }
}

extension ConnectFigures {
  fileprivate var rows: [(String, String)] {
    var rows = [
      (
        "connections",
        "\(grouped(Double(connections))), \(grouped(connectionsPerSecond)) a second"
      )
    ]
    if let activated = activatedBytesPerConnection {
      let connected = connectedBytesPerConnection.map { "\(fixed($0 / 1024, 2)) connected, " } ?? ""
      rows.append(("memory", "\(connected)\(fixed(activated / 1024, 2)) activated, KiB each"))
    }
    if let cpu = idleServerCPUSeconds {
      rows.append(("idle", "\(fixed(cpu, 2)) server CPU s in \(fixed(idleSeconds, 1)) s"))
    }
    return rows
  }
}
