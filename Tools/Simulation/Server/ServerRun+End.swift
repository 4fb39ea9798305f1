import Device
import LaneModel
import Merge
import Oracle
import Wire

/// The end of a schedule: no more faults, everything is carried, and all is compared.
extension ServerRun {
  func end() {
    heal()
    closeForms()
    checkMessages()
    // Until such a watch comes again, it need not show what the others do.
    let fast = nodes.filter { $0.app != nil && !$0.device.isPhone && $0.wasFarAhead }
    var turns = 0
    for round in 0..<10 {
      if round == 1 { fast.forEach { $0.close() } }
      if let phone = nodes.first(where: { $0.device.isPhone }) { select(phone, &turns) }
      for node in nodes { finish(node) }
      // Of what was asked without a number and answered with an error, nobody knows whether it waits.
      let hadTurns =
        lanes.transfers.allSatisfy(\.isKnown) || watches.count < 2 || turns >= watches.count
      let isOver = nodes.allSatisfy(isDrained) && (round > 0 || fast.isEmpty) && hadTurns
      if isOver || site.fault != nil { break }
      if isBusy { return }
      site.rest(round)
    }
    checkDrained()
    checkLanes()
    if schema != nil { checkRecords() }
    if findings.isEmpty, lanes.violations.isEmpty { checkLeaving() }
    site.note(&coverage)
    // What a server that is gone has not done is no news.
    if let fault = site.fault { return findings = [fault] }
    gatherFindings()
  }

  /// Before anybody's session ends and time passes: who was sent a message replies, and whoever awaits a reply
  /// of somebody who cannot has been told so.
  private func checkMessages() {
    settleMessages()
    // A connection that was left is in use until the next one activates.
    guard nodes.allSatisfy({ $0.isActive && $0.zombies.isEmpty }) else { return }
    for node in nodes where node.isActive {
      lanes.messages.check(node.name, session: node.lanes.sessions)
    }
  }

  private func settleMessages() {
    for _ in 0..<3 {
      flowEverywhere()
      for node in nodes where node.isActive {
        while !node.lanes.messages.isEmpty { node.lanes.reply() }
        node.collect()
      }
    }
    // The replies go up, and come down where their senders were looked at before.
    flowEverywhere()
    flowEverywhere()
  }

  private func heal() {
    recorder.add(now - start, "server", .note, "everything works again")
    site.heal()
    for node in nodes { node.noticeClosing() }
  }

  private func finish(_ node: ServerNode) {
    if !node.isActive {
      connect(node, tellsReceived: true)
      flow(node)
    }
    guard node.isActive else { return }
    node.retryAt = nil
    node.sync?.waits = 0
    node.sync?.push()
    node.lanes.setAppState("foreground")
    node.lanes.resetFacts()
    // Nothing else may stop a lane.
    if node.lanes.isHolding { node.lanes.release() }
    node.lanes.retry()
    node.lanes.resetContext()
    node.collect()
    flow(node)
    while node.lanes.upload(pieceSize: 200) { node.collect() }
    node.collect()
    flowEverywhere()
    node.lanes.acknowledgeAll()
    node.collect()
    flowEverywhere()
  }

  private var watches: [ServerNode] { nodes.filter { !$0.device.isPhone } }

  /// Each watch has its turn, so that what waits for it comes out.
  private func select(_ phone: ServerNode, _ turns: inout Int) {
    let hasLanes = !lanes.transfers.isEmpty || nodes.contains { $0.app != nil }
    guard watches.count > 1, phone.isActive, hasLanes else { return }
    let watch = watches[turns % watches.count]
    turns += 1
    phone.lanes.send("{\"type\":\"selectWatch\",\"device\":\"\(watch.name)\",\"id\":\"select\"}")
    phone.collect()
    flowEverywhere()
  }

  private func isDrained(_ node: ServerNode) -> Bool {
    guard node.isActive, node.lanes.isSettled else {
      return false
    }
    if let app = node.app { return isDrained(app) }
    guard let device = node.sync else { return true }
    let others = nodes.compactMap { $0.sync?.vector }
    return device.isUpToDate && others.allSatisfy { $0 == device.vector }
  }

  private func checkDrained() {
    for node in nodes {
      guard node.isActive else {
        report(
          "I42", "cannot-activate", "A device cannot come back.",
          "With every fault gone, the \(node.name) does not get its session.")
        continue
      }
      if node.app != nil, !node.lanes.unanswered.isEmpty {
        report(
          "I42", "not-drained", "Edits never reached the server.",
          "With every fault gone, the \(node.name) has \(node.lanes.unanswered.count) payloads "
            + "that were not accepted.")
      }
      guard let device = node.sync else { continue }
      if !device.isDrained {
        report(
          "I42", "not-drained", "Edits never reached the server.",
          "With every fault gone, \(device).")
      }
      if !device.stranded.isEmpty {
        report(
          "I30", "stranded", "Edits were left behind when a device was set back.",
          "\(device.stranded.count) operations of the \(node.name) could not be issued anew.")
      }
      // The store could not write, or the session had ended meanwhile.
      let error = device.errors.first {
        !$0.contains("\"code\":4008") && !$0.contains("\"code\":7004")
      }
      if let error {
        report(
          "I40", "edit-refused", "The server refused what a device had stored.",
          "The \(node.name): \(error)")
      }
      coverage.note("retime", device.retimings)
      coverage.note("fork", device.reissued)
      coverage.note("snapshotJoin", device.snapshots)
    }
    if let fault = site.complaint {
      report(
        "I4", "own-operation-refused", "The server refused an operation of its own making.", fault)
    }
  }

  // MARK: Lanes

  private func checkLanes() {
    settleMessages()
    for node in nodes where node.isActive {
      lanes.messages.check(node.name, session: node.lanes.sessions)
      lanes.checkTold(node.name)
      node.lanes.askAgain()
      node.collect()
      flow(node)
    }
    for node in nodes where node.isActive {
      node.lanes.look()
      node.collect()
      flow(node)
      node.lanes.checkState()
      if let outstanding = node.lanes.state?.integer("outstanding"), outstanding > 0 {
        report(
          "I42", "outstanding", "Something waits for ever.",
          "With everything delivered and acknowledged, the \(node.name) still has \(outstanding) "
            + "outstanding.")
      }
    }
    lanes.check()
    checkContexts()
    checkReachability()
  }

  /// With everybody connected and in the foreground, the phone and its active watch reach one another
  /// (clause 4.3).
  private func checkReachability() {
    guard !site.isReal, let phone = nodes.first(where: { $0.device.isPhone }), phone.isActive else {
      return
    }
    let watch = node(phone.lanes.state?.string("activeWatch"))
    for node in nodes where node.isActive {
      let expected = watch?.isActive == true && (node === phone || node === watch)
      guard node.lanes.isReachable != expected else { continue }
      report(
        "I50", "wrong-reachability",
        "A device does not know whether its counterpart can be reached.",
        "The \(node.name) was told \(node.lanes.isReachable) last; all are connected, with the "
          + "\(watch?.name ?? "nobody") as the active watch.")
    }
  }

  /// What a device was last told of its counterpart's context is what that one has set.
  private func checkContexts() {
    guard let phone = nodes.first(where: { $0.device.isPhone }), phone.isActive else { return }
    let active = phone.lanes.state?.string("activeWatch")
    guard let watch = node(active), watch.isActive else { return }
    let isAlone = nodes.count { !$0.device.isPhone } == 1
    for (sender, receiver) in [(phone, watch), (watch, phone)] {
      // Each watch has a context of its own, and only the phone's server knows which is whose.
      let told = sender.lanes.state?.object("applicationContext")?.string("v")
      guard let set = isAlone ? sender.lanes.contextSet?.value : told else { continue }
      let got = receiver.lanes.contexts[sender.name]
      if got != set {
        report(
          "I38", "context-lost", "The last application context did not arrive.",
          "The \(sender.name) set \(set) last; the \(receiver.name) has "
            + "\(got ?? "none") of it.")
      }
    }
  }

  /// Who is owed nothing is let go when it says quit, and what nobody is connected to leaves the memory.
  private func checkLeaving() {
    guard !site.isReal else { return }
    site.rest(0)
    for node in nodes where node.isActive {
      node.zombies.forEach { $0.wire.close() }
      node.lanes.send("{\"type\":\"quit\"}")
      node.collect()
      flow(node)
      if node.isActive {
        report(
          "I42", "not-let-go", "A device that is owed nothing is not let go.",
          "The \(node.name) said quit when everything was delivered and told, and its connection is "
            + "still open.")
        node.close()
      }
    }
    if let leftovers = site.leftovers() {
      report(
        "I42", "left-over", "The server does not come to rest when everybody has left.",
        "It still has \(leftovers).")
    }
  }

  // MARK: Records

  private func checkRecords() {
    guard let schema else { return }
    let observer = ServerNode(
      Trace.Device("observer", isPhone: false), schema, DeliveryChecker(), at: site)
    connect(observer, tellsReceived: false)
    flow(observer)
    for round in 0..<10 where site.isReal && observer.sync?.isUpToDate == false {
      site.rest(round)
      flow(observer)
    }
    guard let last = observer.sync, last.isUpToDate else {
      return report(
        "I42", "observer", "A new device is never filled.",
        "It connected when all was quiet, and \(observer.sync?.description ?? "")")
    }
    sync.gather(last)
    sync.complete(last.vector)
    let judge = RecordJudge(self, sync.operations, sync.apart, last.fold, schema)
    judge.checkUnion(last.vector)
    for node in nodes + [observer] {
      if let device = node.sync { judge.check(device.fold, at: node.name) }
    }
    judge.checkHub(by: observer)
    for node in nodes where node.app != nil {
      WholeRecordJudge(
        self, node, last.view, judge.oracle, isUnread: judge.isUnread, collected: last.fold.base,
        log: last.current.replica.log.compactMap { $0.operation?.operation.dot }
      )?.check()
    }
    for node in nodes where node.device.isTyped && node.isActive {
      TypedJudge(self, node, last, schema).check()
    }
    judge.checkPromises()
    judge.checkEffects()
    judge.note()
    observer.close()
  }
}
