internal import Glibc
internal import RelaySupport
internal import Relay
internal import Wire

/// What is wrong with the server.
package struct Finding: Error, Equatable {
  /// `wrong-line`, `leak`, `telltale`, `unnamed`, `unread`, `miscount`, `slow-ping`, `no-ping`, `unfair`, `endless`, `store`; and of a process that
  /// has ended `crash` and `hang`.
  package var slug: String
  package var sentence: String

  package init(_ slug: String, _ sentence: String) {
    self.slug = slug
    self.sentence = sentence
  }
}

/// A server in memory and those who are connected to it, judged step by step.
///
/// A client's name ends in the number of its world: what one world's clients send has the world's tag,
/// and no other world's clients, nor the bystander, may be sent it. The bystander is of a pair of its own
/// and pings in each step.
package final class Stage {
  private static let bystander = "bystander"
  /// More turns for one step do not come from what it asks.
  private static let mostTurns = 100_000

  /// Of one client's pings so many may be answered in a turn. Where nobody else has anything, it has all of a turn
  /// for what it has sent before and a share for what comes; a short line takes a thousandth of a turn.
  private static let mostPongs = 2_000

  /// CPU time that the bystander may have to wait, in nanoseconds.
  private let budget: Int
  private let hasTokens: Bool
  let world: World
  /// Lines that clients have sent.
  package private(set) var lines = 0
  /// What the bystander had to wait most, in nanoseconds.
  package private(set) var longestWait = 0
  /// Lines that clients were sent since the last step, in order.
  private(set) var heard: [(on: String, line: JSON)] = []
  private var names: [String] = []
  /// What tokens were refused by: one sentence where there was none, and one for all others.
  private var refusals: Set<String> = []

  /// - Parameter budget: CPU time that the bystander may have to wait, in nanoseconds.
  package init(_ setting: Setting, budget: Int) throws {
    self.budget = budget
    hasTokens = setting.hasTokens
    world = try World(setting.options)
    comeBy()
  }

  /// The bystander comes, or comes back.
  private func comeBy() {
    world.open(Self.bystander)
    let token = hasTokens ? " token=\(WorldTokens.bystander)" : ""
    world.send("activate pair=bystander role=phone\(token)", on: Self.bystander)
    world.client(Self.bystander).lines = []
  }

  /// Whether a client of that name is connected.
  func isOpen(_ name: String) -> Bool { world.lastClient(name)?.isClosed == false }

  // MARK: Steps

  package func perform(_ step: Step) throws(Finding) {
    heard = []
    do {
      switch step {
      case .send(let name, let bytes):
        note(name)
        lines += max(1, bytes.count { $0 == 0x0A })
        let client = world.client(name)
        try settle(flooding: client) { self.world.give(bytes, to: client) }
      case .end(let name): if isOpen(name) { world.end(name) }
      case .close(let name): if isOpen(name) { world.close(name) }
      case .reads(let name, let reads):
        guard isOpen(name) else { break }
        if reads { world.read(name) } else { world.client(name).holdsOutput = true }
      case .restart:
        disk(.recover)
        disk(.go)
        try world.restart()
      case .kill(let written): try world.kill(written: written)
      case .pass(let time): world.pass(seconds: Double(time) / 1_000_000)
      case .disk(let word): disk(word)
      }
      try settle {}
      if let fault = world.relay.waitingFault ?? world.relay.heldFault {
        throw Finding("miscount", fault)
      }
    } catch let finding as Finding {
      throw finding
    } catch {
      throw Finding("store", "the store cannot be read back: \(error)")
    }
    if let name = world.neglected {
      throw Finding("unread", "the server goes on with \(name)'s lines, and nobody reads them")
    }
    for name in names { try judge(name) }
  }

  private func note(_ name: String) {
    if !names.contains(name) { names.append(name) }
  }

  private func disk(_ word: Step.Disk) {
    switch word {
    case .hold: world.holdsCommits = true
    case .commitOne: world.commitOne()
    case .go:
      world.holdsCommits = false
      world.settle()
    case .fail: if !world.isFailing { world.failStore() }
    case .recover: if world.isFailing { world.recoverStore() }
    case .fill: world.fillDisk()
    case .fillStore: world.fillDisk("store full", isDisk: false)
    case .makeRoom: world.makeRoom()
    case .holdReads: world.holdsReads = true
    case .releaseReads:
      world.holdsReads = false
      world.settle()
    case .holdPairs: world.holdsPairReads = true
    case .releasePairs:
      world.holdsPairReads = false
      world.settle()
    }
  }

  // MARK: The bystander

  /// Lets the relay do what there is to do, while the bystander pings. What arrives at the start of a
  /// turn is answered at its end, so no turn may take longer than a ping may.
  ///
  /// - Parameter sender: whose lines they are. However many it sends at once, others have their turn between.
  private func settle(flooding sender: Client? = nil, _ begin: () -> Void) throws(Finding) {
    let client = world.client(Self.bystander)
    var pongsBefore = 0
    // What the judge has freed in a million pieces the C library puts together when a large block is asked for: now,
    // and not on the server's time.
    UnsafeMutableRawPointer.allocate(byteCount: 100_000, alignment: 16).deallocate()
    begin()
    world.give("ping id=1\n".utf8, to: client)
    var turns = 0
    var goesOn = true
    while goesOn {
      let start = Self.processorTime
      goesOn = world.turn()
      let taken = Self.processorTime - start
      longestWait = max(longestWait, taken)
      guard taken <= budget else {
        throw Finding(
          "slow-ping",
          "another pair's ping waits for \(taken / 1_000_000) ms of CPU, and may for "
            + "\(budget / 1_000_000)")
      }
      let pongs = sender?.lines.count(where: Self.isPong) ?? 0
      guard pongs - pongsBefore <= Self.mostPongs else {
        throw Finding(
          "unfair",
          "\(pongs - pongsBefore) pings of one client are answered in a turn, in which others wait")
      }
      pongsBefore = pongs
      turns += 1
      if turns > Self.mostTurns { throw Finding("endless", "the server does not come to rest") }
    }
    let answers = client.lines
    client.lines = []
    // Without tokens whoever reaches the server may kick whom they like.
    if !hasTokens, client.isClosed, answers.contains(where: Self.isKick) { return comeBy() }
    var pongs = 0
    for line in answers {
      let text = String(decoding: line, as: UTF8.self)
      if text.hasPrefix(#"{"type":"pong","re":1,"#) {
        pongs += 1
      } else if !text.hasPrefix(#"{"type":"hello","#) {
        throw Finding("leak", "a bystander who only pings is sent \(text.prefix(300))")
      }
    }
    guard pongs == 1 else {
      throw Finding("no-ping", "another pair's ping is answered \(pongs) times")
    }
  }

  private static func isKick(_ line: [UInt8]) -> Bool {
    line == Array(#"{"type":"sessionDidDeactivate","reason":"kicked"}"#.utf8)
  }

  private static func isPong(_ line: [UInt8]) -> Bool {
    line.starts(with: #"{"type":"pong""#.utf8)
  }

  /// Of this thread, in nanoseconds.
  private static var processorTime: Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  // MARK: Lines

  private func judge(_ name: String) throws(Finding) {
    guard let client = world.lastClient(name), !client.lines.isEmpty else { return }
    let lines = client.lines
    client.lines = []
    for line in lines {
      // Telnet's answer comes without a line's end.
      let text = Array(line.drop { $0 >= 0x80 || $0 == 0x06 })
      guard let json = JSON(line: text) else {
        throw Finding("wrong-line", "\(name) is sent no JSON object: \(Self.excerpt(line))")
      }
      if let fault = LineCheck.fault(json) {
        throw Finding("wrong-line", "\(fault), in \(Self.excerpt(line))")
      }
      // Without tokens whoever reaches the server may keep it.
      if hasTokens || !Self.isOperators(json), let number = name.utf8.last,
        let foreign = Tag.foreign(to: number, in: line)
      {
        throw Finding("leak", "\(name) is sent what is of world \(foreign): \(Self.excerpt(line))")
      }
      try judgeRefusal(json)
      if let fault = LimitCheck.fault(json) { throw Finding("unnamed", fault) }
      heard.append((name, json))
    }
  }

  /// Whether a line tells of all pairs.
  static func isOperators(_ line: JSON) -> Bool {
    ["pairs", "devices", "passed"].contains(line["type"]?.text)
  }

  /// All that is refused for its token is refused by the same words, so that nobody learns by them what there is.
  private func judgeRefusal(_ line: JSON) throws(Finding) {
    guard line["code"]?.number == 4010, let words = line["message"]?.text,
      !words.contains("grant")
    else { return }
    refusals.insert(words)
    if refusals.count > 2 {
      throw Finding(
        "telltale", "tokens are refused by \(refusals.count) sentences, the last: \(words)")
    }
  }

  private static func excerpt(_ line: [UInt8]) -> String {
    String(decoding: line.prefix(300), as: UTF8.self)
  }
}

/// What a world's payloads are known by: `~w0`, and in base64 at the start of data `fncw`.
enum Tag {
  static func text(_ world: Int) -> String { "~w\(world)" }

  /// The world of a tag in a line that is not that of its receiver.
  ///
  /// - Parameter number: the receiver's, as an ASCII digit.
  static func foreign(to number: UInt8, in line: [UInt8]) -> Int? {
    first(in: line) { $0 != number }
  }

  /// The worlds of which a line has tags, as ASCII digits.
  static func all(in line: [UInt8]) -> Set<UInt8> {
    var found: Set<UInt8> = []
    _ = first(in: line) {
      found.insert($0)
      return false
    }
    return found
  }

  private static func first(in line: [UInt8], where isMeant: (UInt8) -> Bool) -> Int? {
    line.withUnsafeBytes { line in
      var at = 0
      while at + 3 < line.count {
        let digit: UInt8
        switch (line[at], line[at + 1], line[at + 2]) {
        case (0x7E, 0x77, let last): digit = last
        case (0x66, 0x6E, 0x63):
          // The last six bits of a digit's byte.
          let letters = Array("wxyz0123".utf8)
          guard let place = letters.firstIndex(of: line[at + 3]) else {
            at += 1
            continue
          }
          digit = 0x30 + UInt8(place)
        default:
          at += 1
          continue
        }
        if (0x30...0x37).contains(digit), isMeant(digit) { return Int(digit) - 0x30 }
        at += 1
      }
      return nil
    }
  }
}
