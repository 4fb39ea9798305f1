import EventLoop
import Pages
import Relay
import Storage
import Wire

/// What the server tells its operator.
extension Server {
  /// - Parameter onAsk: on the loop's thread: somebody waits for an answer.
  static func openAdmin(
    _ options: Options, _ loop: EventLoop, onAsk: @escaping () -> Void
  ) throws(StartError) -> OperatorPages? {
    guard let wanted = options.admin else { return nil }
    let shown = "\(wanted.host):\(wanted.port)"
    guard ["127.0.0.1", "localhost"].contains(wanted.host) else {
      throw StartError(
        "--admin \(shown): the admin port has neither tokens nor TLS, so it is for 127.0.0.1 alone; "
          + "have whoever scrapes it from elsewhere come by a tunnel or a proxy")
    }
    let wakeup = Wakeup(loop: loop, onAsk)
    guard let admin = OperatorPages(host: "127.0.0.1", port: wanted.port, wakeup) else {
      wakeup.close()
      throw StartError("cannot listen on \(shown), which --admin names")
    }
    return admin
  }

  func answerOperator() {
    admin?.answer { question in
      switch question {
      case .state: state
      case .pairs(let wish, let shard, let token): .page(pairs(wish, shard: shard, token: token))
      }
    }
  }

  private func pairs(_ wish: PairsWish, shard: Int, token: String) -> Page {
    guard
      let site = parts.isEmpty
        ? (shard == 0 ? home : nil) : parts.first(where: { $0.number == shard })?.site
    else { return Page(404, "this server has no shard \(shard)") }
    do {
      return Page(
        try site.relay.pairs(wish, token: token, now: now) + [0x0A], type: "application/json")
    } catch {
      return Page(401, "\(error.message): Authorization: Bearer wl1_…")
    }
  }

  /// What a server says of its shards; one that is alone is as one that owns its only one.
  private func addShards(to text: inout MetricsText) {
    text.add(
      "watchline_owned_shards", .gauge, "Shards that it owns.",
      Double(parts.isEmpty ? 1 : parts.count { $0.site != nil }))
    text.add(
      "watchline_guests", .gauge, "Connections that came by other servers.",
      Double(links.count { $0?.edge != nil }))
    text.add(
      "watchline_spliced", .gauge, "Connections that other servers serve.",
      Double(splices.count))
    text.add(
      "watchline_shared_log_entry", .gauge,
      "The last entry of a shard's log that it has; 0 for a server alone.", by: "shard",
      parts.isEmpty
        ? [("0", 0)]
        : parts.map { part in
          let entry = part.site?.store?.sizes.entry ?? part.thread.view.entry
          return ("\(part.number)", Int(entry))
        })
  }

  /// Where operators ask; nil for nowhere.
  package var adminAddress: String? { admin.map { "127.0.0.1:\($0.port)" } }

  private var state: OperatorPages.Answer {
    var figures = home.relay.figures
    for site in sites.dropFirst() { figures.addGuests(of: site.relay.figures) }
    figures.addCounts(of: gone.figures)
    return .state(metrics: metrics(figures), trouble: trouble(figures))
  }

  private var limits: [(String, Int)] {
    Limits.names.map { name, path in
      if name == "storeBytes" {
        let quotas = sites.compactMap { $0.store?.sizes.quota }
        return (name, quotas.contains(.max) ? 0 : quotas.reduce(0, +))
      }
      let unit = Limits.durations.contains(name) ? 1_000_000 : 1
      return (name, relayOptions.limits[keyPath: path] / unit)
    }
  }

  /// Why it is not ready; nil where it is.
  private func trouble(_ figures: RelayFigures) -> String? {
    if isStopping { return "the server is stopping" }
    if let trouble = figures.storeTrouble { return "the store takes nothing new: \(trouble)" }
    for part in parts where part.site == nil {
      if case .silent(let reason) = part.thread.view.state {
        return "the log of shard \(part.number) is silent: \(reason)"
      }
      if part.holder == nil { return "no server has shard \(part.number)" }
    }
    return nil
  }

  private func metrics(_ figures: RelayFigures) -> String {
    var text = MetricsText()
    text.add(
      "watchline_info", .gauge, "The version that serves.", by: "version", [(Options.version, 1)])
    text.add("watchline_connections", .gauge, "Open connections.", Double(figures.connections))
    text.add(
      "watchline_connections_opened_total", .counter, "Connections that were accepted.",
      Double(figures.connectionsEver))
    text.add("watchline_sessions", .gauge, "Devices with a session.", Double(figures.sessions))
    text.add(
      "watchline_activations_total", .counter, "Sessions that were activated.",
      Double(figures.activationsEver))
    text.add("watchline_pairs", .gauge, "Pairs that the store knows.", Double(figures.pairsStored))
    text.add(
      "watchline_pairs_in_memory", .gauge, "Pairs of which the queues are in memory.",
      Double(figures.pairsInMemory))
    text.add(
      "watchline_accepted_total", .counter, "Deliveries that were queued.", by: "lane",
      figures.accepted)
    text.add(
      "watchline_delivered_total", .counter, "Deliveries that were handed out, each once.",
      by: "lane", figures.delivered)
    text.add(
      "watchline_waiting", .gauge,
      "Deliveries that wait or are not acknowledged, of the pairs in memory.", by: "lane",
      figures.waiting)
    text.add(
      "watchline_oldest_waiting_seconds", .gauge,
      "How long the oldest of those has waited, to 1/64, or since the start.", by: "lane",
      figures.oldest.map { ($0.lane, Int($0.microseconds / 1_000_000)) })
    text.add(
      "watchline_redelivered_total", .counter, "Deliveries that were handed out again.",
      Double(figures.redelivered))
    text.add(
      "watchline_finished_total", .counter, "Transfers that have reached their receivers' apps.",
      Double(figures.finished))
    text.add(
      "watchline_failed_total", .counter, "Transfers that have failed, by the error's number.",
      by: "code", figures.failed.map { ("\($0.code)", $0.count) })
    text.add(
      "watchline_messages_total", .counter, "Live messages that were handed to their receivers.",
      Double(figures.messages))
    text.add(
      "watchline_refused_total", .counter, "Lines that were refused, by the error's number.",
      by: "code", figures.refused.map { ("\($0.code)", $0.count) })
    text.add(
      "watchline_limit_reached_total", .counter,
      "Errors that named a limit or a quota, by its name.",
      by: "limit", figures.limits.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    text.add(
      "watchline_slowed_total", .counter,
      "Waits of connections that had sent faster than they may.",
      Double(figures.slowed))
    text.add(
      "watchline_uncommitted_bytes", .gauge, "Input that no commit covers yet.",
      Double(figures.uncommittedBytes))
    text.add(
      "watchline_buffered_bytes", .gauge, "Input not carried out, and output not read.",
      Double(figures.bufferedBytes))
    text.add(
      "watchline_store_live_bytes", .gauge, "Payloads in the store that are needed.",
      Double(figures.liveBytes))
    text.add(
      "watchline_store_payload_bytes", .gauge, "All payloads in the store.",
      Double(figures.storedBytes))
    let sizes = sites.compactMap { $0.store?.sizes }
    text.add(
      "watchline_log_bytes", .gauge, "Of the store's log, as of the last commit.",
      Double(sizes.reduce(0) { $0 + $1.log }))
    text.add(
      "watchline_memtable_bytes", .gauge,
      "What the log has and the database does not have yet, in memory.",
      Double(sizes.reduce(0) { $0 + $1.memTable }))
    text.add(
      "watchline_database_bytes", .gauge, "Of the database's file and its WAL.",
      Double(sizes.reduce(0) { $0 + $1.database }))
    text.add(
      "watchline_database_free_bytes", .gauge, "Of the database's pages that hold nothing.",
      Double(sizes.reduce(0) { $0 + $1.free }))
    text.add(
      "watchline_store_used_bytes", .gauge,
      "What the store takes, the database's free pages apart.",
      Double(sizes.reduce(0) { $0 + $1.used }))
    text.add(
      "watchline_store_quota_bytes", .gauge, "What the store may take (storeBytes).",
      sizes.reduce(0) { $0 + ($1.quota == .max ? .infinity : Double($1.quota)) })
    text.add(
      "watchline_store_failing", .gauge, "1 while the store takes nothing new.",
      figures.storeTrouble == nil ? 0 : 1)
    text.add(
      "watchline_store_failing_seconds_total", .counter, "How long the store took nothing new.",
      sites.reduce(gone.secondsInTrouble) { $0 + $1.secondsInTrouble })
    text.add(
      "watchline_committed_bytes_total", .counter,
      "Payloads and their headers that were committed.",
      Double(sites.reduce(gone.committedBytes) { $0 + $1.committedBytes }))
    text.add("watchline_turn_seconds", "How long the loop's turns were.", turns.durations)
    text.add(
      "watchline_longest_turn_seconds", .gauge, "The longest of them.", turns.longest)
    text.add(
      "watchline_limit", .gauge, "Limits as they hold, in seconds, bytes and counts; 0 for none.",
      by: "limit", limits)
    text.add(
      "watchline_commit_seconds", "How long a commit took, its sync included.",
      sites.reduce(into: gone.commits) { $0.add($1.commits) })
    addShards(to: &text)
    Self.addProcess(to: &text)
    return text.text
  }

  private static func addProcess(to text: inout MetricsText) {
    text.add(
      "process_resident_memory_bytes", .gauge, "Memory that the process has.",
      Double(ProcessFigures.resident))
    text.add(
      "process_cpu_seconds_total", .counter, "Processor time of the process.",
      ProcessFigures.cpuSeconds)
    text.add(
      "process_start_time_seconds", .gauge, "When the process started, in seconds since 1970.",
      startTime)
  }
}
