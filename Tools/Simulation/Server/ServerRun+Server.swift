/// What happens to the server, or to one of several.
extension ServerRun {
  func atServer(_ event: TraceEvent) -> Bool {
    if !site.servers.isEmpty, event.verb != .commit {
      guard site.performs(event) else { return false }
      recorder.add(now - start, "server", .fault, Self.story(event))
      return true
    }
    switch event.verb {
    case .commit: return commit(Int(event.count ?? 1))
    case .kill:
      let written = min(Int(event.count ?? 0), site.uncommitted)
      recorder.add(now - start, "server", .fault, "killed")
      if written > 0 { coverage.note("writtenAndNotTold") }
      if written < site.uncommitted { coverage.note("commitLost") }
      restart { try site.kill(written: written) }
    case .stop:
      guard !site.isFailing else { return false }
      recorder.add(now - start, "server", .fault, "stopped and started")
      restart { try site.restart() }
    case .fail where event.lane == "pairs":
      let waits = event.flag ?? false
      guard site.setPairReads(fail: !waits, wait: waits) else { return false }
      recorder.add(now - start, "server", .fault, "reads of its disk \(waits ? "wait" : "fail")")
    case .recover where event.lane == "pairs":
      guard site.setPairReads(fail: false, wait: false) else { return false }
      recorder.add(now - start, "server", .fault, "its disk is read again")
    case .fail:
      guard !site.isFailing else { return false }
      recorder.add(now - start, "server", .fault, "the disk fails")
      site.fail()
    case .clock:
      guard site.stepClock(ahead: event.count ?? 0) else { return false }
      recorder.add(now - start, "server", .fault, "its clock is \(event.count ?? 0) ms off")
      coverage.note("serverClock")
    case .suspend:
      guard site.sleep(until: start + event.at) else { return false }
      recorder.add(now - start, "server", .fault, "its machine has slept")
    case .recover:
      guard site.isFailing else { return false }
      recorder.add(now - start, "server", .fault, "the disk works again")
      site.recover()
    default: return false
    }
    return true
  }

  func commit(_ count: Int) -> Bool { site.commit(count) }

  /// What happened to one of several servers, or to a message of the log's.
  private static func story(_ event: TraceEvent) -> String {
    let server = event.to ?? "nobody"
    let message = "message \(event.count ?? 0) between the servers and the log"
    return switch event.verb {
    case .claim: "\(server) wants to own the shard"
    case .stop: "\(server) gives the shard up"
    case .kill: "\(server) is killed" + (event.flag == true ? ", and its disk with it" : "")
    case .freeze: "\(server) stands still"
    case .thaw: "\(server) goes on"
    case .trim: "the log is trimmed up to what \(server) has"
    case .lose: "\(message) is lost"
    case .lag: "\(message) finds nothing new"
    default: "\(message) arrives" + (event.flag == true ? ", and a copy is on its way" : "")
    }
  }

  private func restart(_ body: () throws -> Void) {
    do {
      try body()
    } catch {
      report(
        "I37", "does-not-start", "The server does not start on its own store.",
        "After it had ended, it said: \(error).")
    }
    latestTime = 0
    for node in nodes { node.disconnect() }
  }
}
