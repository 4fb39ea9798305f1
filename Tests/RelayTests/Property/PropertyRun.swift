import Seeded
import Relay
import RelaySupport
import TranscriptSupport

/// One random session, and the end at which all is drained and compared.
final class PropertyRun {
  private let world: World
  private let ledger = Ledger()
  private var random: SplitMix64
  private let devices: [ModelDevice]
  private let neighbour: Neighbour
  private(set) var step = 0
  private var contextCount = 0
  private var evictions = 0

  init(seed: UInt64) throws {
    random = SplitMix64(seed: seed)
    var options = Relay.Options()
    options.hasManualClock = true
    // Below 0: whatever is sparse is copied at once.
    options.deadAllowance = random.oneIn(3) ? 500 : -1_000_000
    options.limits.waitingOutput = 4_096
    world = try World(options)
    let world = world
    // Else more than one request shares a segment.
    world.takesBatchesAhead = random.oneIn(3)
    neighbour = Neighbour(world)
    let ledger = ledger
    devices = ["phone", "left", "right"].map { name in
      ModelDevice(name, isPhone: name == "phone", world, ledger)
    }
  }

  func play(steps: Int) throws {
    for count in 0..<steps {
      step = count
      try act(devices[random.below(devices.count)])
      for device in devices { try device.read() }
    }
    try drain()
    try ledger.check()
    try compareContexts()
    try leave()
  }

  var log: [String] { ledger.log }

  /// What happened, to see that something did.
  var summary: String {
    let all = ledger.operations
    return "asked=\(all.count) refused=\(all.count(where: \.isRefused)) "
      + "accepted=\(all.count(where: \.isAccepted)) delivered=\(all.count { $0.deliveries > 0 }) "
      + "cancelled=\(all.count(where: \.isCancelled)) failed=\(all.count { $0.result ?? 0 > 0 }) "
      + "files=\(all.count { $0.kind == .file && $0.deliveries > 0 }) contexts=\(contextCount) "
      + "epochs=\(world.epoch) copied=\(world.segmentsRead) reads=\(world.payloadsRead) "
      + "evictions=\(evictions) loads=\(world.pairsRead)"
  }

  // MARK: Actions

  private func act(_ device: ModelDevice) throws {
    if random.oneIn(12) { try disturb(device) }
    guard device.client != nil, device.session != .none else { return try connect(device) }
    guard device.session == .activated, device.isReading else { return }
    if device.mustRetry { return try device.retry() }
    switch random.below(20) {
    case 0...2: try device.begin(.userInfo)
    case 3...4: try beginBesideNeighbour(device)
    case 5: try device.begin(device.isPhone ? .complication : .userInfo)
    case 6: try countedUserInfo(device)
    case 7: try beginFile(device)
    case 8...9: try uploadPiece(device)
    case 10...11: try setContext(device)
    case 12...15: try acknowledge(device)
    case 16: try refuse(device)
    case 17: try cancel(device)
    case 18: try talk(device)
    default: try change(device)
    }
  }

  private func connect(_ device: ModelDevice) throws {
    if device.client == nil || random.oneIn(4) {
      device.lost()
      world.open(device.name)
    }
    var line =
      "{\"type\":\"activate\",\"id\":\"activate\",\"pair\":\"p\",\"device\":\"\(device.name)\""
    line += ",\"role\":\"\(device.isPhone ? "phone" : "watch")\",\"store\":\"memory\""
    if random.oneIn(2) { line += ",\"received\":{\(device.received)}" }
    if random.oneIn(2) { line += ",\"files\":{\(device.offsets)}" }
    device.session = .asked
    if !device.unanswered.isEmpty { device.mustRetry = true }
    for id in device.uploads.keys.sorted() where !device.unanswered.contains(id) {
      // Where it goes on is asked anew.
      device.uploads[id] = nil
      device.unanswered.append(id)
      device.mustRetry = true
    }
    device.unanswered.sort()
    device.isRetried.formUnion(device.unanswered)
    device.send(line + "}")
    try device.read()
  }

  private func countedUserInfo(_ device: ModelDevice) throws {
    let id = ledger.add(.userInfo, from: device.name, number: nil)
    device.request(id)
    try device.read()
  }

  private func beginFile(_ device: ModelDevice) throws {
    let content = (0..<random.below(300)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    try device.begin(.file, content: content, hasWrongDigest: random.oneIn(6))
  }

  private func uploadPiece(_ device: ModelDevice) throws {
    guard let id = device.uploads.keys.sorted().first else { return }
    try device.upload(id, pieceSize: 1 + random.below(150))
  }

  private func setContext(_ device: ModelDevice) throws {
    // An old value at times, which may be the one last handed out.
    contextCount += random.oneIn(4) ? 0 : 1
    let value = "context\(contextCount)"
    device.contextsSet.append(value)
    device.send(
      "{\"type\":\"updateApplicationContext\",\"id\":\"\(value)\",\"payload\":{\"v\":\"\(value)\"}}"
    )
    try device.read()
  }

  private func acknowledge(_ device: ModelDevice) throws {
    for lane in device.seqs.keys.sorted() where random.oneIn(2) {
      let seq = random.oneIn(3) ? random.below(device.seqs[lane]! + 1) : device.seqs[lane]!
      device.send("{\"type\":\"acknowledge\",\"lane\":\"\(lane)\",\"seq\":\(seq),\"id\":\"ack\"}")
    }
  }

  private func refuse(_ device: ModelDevice) throws {
    let lane = ["userInfo", "complication", "file"][random.below(3)]
    guard let last = device.seqs[lane] else { return }
    let seq = max(1, last - random.below(4))
    guard let id = device.operation(lane, seq) else { return }
    ledger.operations[id].refusals.insert(7015)
    device.send(
      "{\"type\":\"refuse\",\"lane\":\"\(lane)\",\"seq\":\(seq),\"code\":7015,\"id\":\"refuse\"}")
  }

  private func cancel(_ device: ModelDevice) throws {
    let transfers = device.transfers.filter { ledger.operations[$0.value].result == nil }
    guard !transfers.isEmpty else { return }
    try device.cancel(transfers.keys.sorted()[random.below(transfers.count)])
  }

  private func talk(_ device: ModelDevice) throws {
    if let id = device.messages.popLast() {
      return device.send("{\"type\":\"reply\",\"re\":\"\(id)\",\"payload\":{},\"id\":\"reply\"}")
    }
    device.send(
      "{\"type\":\"sendMessage\",\"payload\":{\"hello\":1},\"expectsReply\":true,\"id\":\"message\"}"
    )
  }

  private func change(_ device: ModelDevice) throws {
    switch random.below(6) {
    case 0:
      let state = ["foreground", "background", "suspended", "terminated"][random.below(4)]
      device.send("setAppState state=\(state) id=state")
    case 1: device.send("hold id=hold")
    case 2: device.send("release count=\(1 + random.below(3)) id=release")
    case 3: device.send("release id=release")
    case 4: device.send("advance seconds=\(random.below(100)) id=advance")
    default:
      if device.isPhone {
        device.send("selectWatch device=\(random.oneIn(2) ? "left" : "right") id=select")
      }
    }
  }

  /// Something goes wrong.
  private func disturb(_ device: ModelDevice) throws {
    let kind = random.below(24)
    ledger.log.append("\(step): trouble \(kind) at \(device.name)")
    switch kind {
    case 0...3: close(device)
    case 4:
      if let client = device.client { client.holdsOutput = true }
    case 5...6:
      if device.client?.holdsOutput == true { world.read(device.name) }
    case 7...8: world.holdsCommits = true
    case 9...10:
      world.holdsCommits = false
      world.settle()
    case 11: world.commitOne()
    case 12: if !world.isFailing { world.failStore() }
    case 13: if world.isFailing { world.recoverStore() }
    case 14:
      try world.kill()
      for device in devices { device.lost() }
    case 15...18: leaveAlone()
    case 19: world.holdsPairReads.toggle()
    case 20: world.failsPairReads.toggle()
    case 21...22:
      world.holdsPairReads = false
      world.failsPairReads = false
      world.settle()
    default:
      guard !world.isFailing, !world.holdsCommits else { return }
      try world.restart()
      for device in devices {
        try device.read()
        device.lost()
      }
    }
  }

  /// All are away for long enough to be evicted, where nothing is in flight.
  private func leaveAlone() {
    for device in devices { close(device) }
    if random.oneIn(3) { world.holdsCommits.toggle() }
    let before = world.relay.pairsInMemory
    world.send("advance seconds=31", on: "clock")
    if world.relay.pairsInMemory < before { evictions += 1 }
    if random.oneIn(2) { neighbour.cancel() }
  }

  /// A transfer shares a segment with one of another pair, which may die before it.
  private func beginBesideNeighbour(_ device: ModelDevice) throws {
    guard !world.holdsCommits else { return try device.begin(.userInfo) }
    world.holdsCommits = true
    // The first is on its way alone; the second collects with what follows.
    neighbour.send()
    neighbour.send()
    try device.begin(.userInfo)
    world.holdsCommits = false
    world.settle()
    try device.read()
  }

  private func close(_ device: ModelDevice) {
    world.close(device.name)
    device.lost()
  }

  // MARK: The end

  private func drain() throws {
    world.holdsCommits = false
    world.holdsPairReads = false
    world.failsPairReads = false
    if world.isFailing { world.recoverStore() }
    world.settle()
    leaveAlone()
    world.holdsCommits = false
    for round in 0..<12 {
      for device in devices { try finish(device) }
      if let phone = devices.first, phone.session == .activated {
        phone.send("selectWatch device=\(round % 2 == 0 ? "left" : "right") id=select")
        try phone.read()
      }
    }
    for device in devices {
      try finish(device)
      try askAgain(device)
      device.send("{\"type\":\"getState\"}")
      try device.read()
      guard device.lastState?["outstanding"]?.integer == 0 else {
        throw Ledger.Violation(description: "\(device.name) still has something outstanding")
      }
    }
  }

  private func finish(_ device: ModelDevice) throws {
    if device.session != .activated { try connect(device) }
    guard device.session == .activated else {
      throw Ledger.Violation(description: "\(device.name) cannot activate in the end")
    }
    device.send("setAppState state=foreground id=state")
    try device.read()
    if device.mustRetry { try device.retry() }
    for id in device.uploads.keys.sorted() {
      while device.uploads[id] != nil, device.uploads[id]! < ledger.operations[id].content.count {
        try device.upload(id, pieceSize: 200)
      }
    }
    for other in devices { try other.read() }
    for lane in device.seqs.keys.sorted() {
      device.send("{\"type\":\"acknowledge\",\"lane\":\"\(lane)\",\"seq\":\(device.seqs[lane]!)}")
    }
    for other in devices { try other.read() }
  }

  /// A success may have been told to a connection that was gone: the number tells it.
  private func askAgain(_ device: ModelDevice) throws {
    for operation in ledger.operations
    where operation.sender == device.name && operation.isAccepted && operation.result == nil
      && operation.number != nil
    {
      device.request(operation.id)
      try device.read()
    }
  }

  /// A connection that is owed nothing is closed when it says quit.
  private func leave() throws {
    for device in devices {
      device.messages.forEach { device.send("reply re=\($0) payload={} id=reply") }
    }
    devices[0].send("advance seconds=1000 id=advance")
    for device in devices {
      device.send("quit")
      guard device.client == nil else {
        throw Ledger.Violation(description: "\(device.name) is owed something for ever")
      }
    }
    world.close(Neighbour.phone)
    world.send("advance seconds=31", on: "clock")
    guard world.relay.pairsInMemory == 0 else {
      throw Ledger.Violation(description: "the pair is not evicted")
    }
    guard world.relay.isIdle else { throw Ledger.Violation(description: "the relay is not idle") }
  }

  /// What each device was last told of its counterpart's context is what that one has set.
  private func compareContexts() throws {
    let phone = devices[0]
    guard let active = phone.lastState?["activeWatch"]?.string,
      let watch = devices.first(where: { $0.name == active })
    else { return }
    for (sender, receiver) in [(phone, watch), (watch, phone)] {
      sender.send("{\"type\":\"getState\"}")
      try sender.read()
      let set = sender.lastState?["applicationContext"]?["v"]?.string
      guard receiver.contexts[sender.name] == set else {
        throw Ledger.Violation(
          description: "\(receiver.name) has \(receiver.contexts[sender.name] ?? "no context") of "
            + "\(sender.name), which has set \(set ?? "none")")
      }
    }
  }
}
