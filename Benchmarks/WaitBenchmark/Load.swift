import Glibc
import Relay
import RelaySupport

/// Something that is much for one request.
struct Load {
  let name: String
  /// What comes before, which is not measured.
  let prepare: (Rig) throws -> Void
  /// What is measured, up to the rest of the relay.
  let ask: (Rig) throws -> Void

  func run() throws -> (turns: Int, longest: Double, total: Double) {
    let rig = try Rig()
    try prepare(rig)
    rig.begin()
    try ask(rig)
    let measured = rig.settle()
    // A refusal would be quick.
    if let refusal = rig.refusal { fatalError("\(name): \(refusal)") }
    return measured
  }

  static let items = 300_000
  static let records = 100_000

  static var all: [Load] {
    [
      Load(name: "acknowledge of 300,000", prepare: { $0.fill(items) }) {
        $0.give("acknowledge seq=\(items)", on: "watch")
      },
      Load(
        name: "activate with 300,000 waiting",
        prepare: {
          $0.fill(items)
          $0.world.close("watch")
          $0.world.settle()
        }
      ) { $0.give("activate pair=p role=watch", on: "watch") },
      Load(name: "eviction of 300,000", prepare: { $0.fill(items) }) { rig in
        rig.leave()
      },
      Load(
        name: "reading 300,000 back",
        prepare: { rig in
          rig.fill(items)
          rig.evict()
        }
      ) { $0.give("activate pair=p role=phone", on: "phone") },
      Load(name: "forgetPair with 300,000 waiting", prepare: { $0.fill(items) }) {
        $0.give("forgetPair", on: "phone")
      },
      Load(name: "outstandingTransfers of 300,000", prepare: { $0.fill(items) }) {
        $0.give("outstandingTransfers", on: "phone")
      },
      Load(
        name: "switching the watch from 300,000",
        prepare: { rig in
          rig.fill(items)
          rig.world.send("activate pair=p role=watch device=other", on: "other")
        }
      ) { $0.give("selectWatch device=other", on: "phone") },
      Load(name: "30,000 edits of 100,000 records", prepare: { $0.records(records) }) { rig in
        rig.edits(30_000)
      },
      Load(name: "conflicts of 100,000 records", prepare: { $0.records(records) }) {
        $0.give("sync.conflicts", on: "phone")
      },
      Load(name: "view of 100,000 records", prepare: { $0.records(records) }) {
        $0.give("sync.view kind=timer", on: "phone")
      },
      Load(name: "digest of 100,000 records", prepare: { $0.records(records) }) {
        $0.give("sync.digest", on: "phone")
      },
      Load(name: "snapshot of 100,000 records", prepare: { $0.records(records) }) { rig in
        rig.give("activate pair=p role=watch device=new", on: "new")
        rig.give(
          #"{"type":"sync.open","schema":"todoTimers","replica":"\#(Rig.replica)","vector":{}}"#,
          on: "new")
      },
      Load(
        name: "reading 100,000 records back",
        prepare: { rig in
          rig.records(records)
          rig.evict()
        }
      ) { rig in
        rig.give("activate pair=p role=phone", on: "phone")
        rig.give("sync.open schema=todoTimers", on: "phone")
      },
      Load(name: "eviction of 100,000 records", prepare: { $0.records(records) }) { rig in
        rig.leave()
      },
      Load(name: "a bridge to 10,000 records", prepare: { $0.records(10_000) }) {
        $0.give("activate pair=p role=watch device=old bridge=todoTimers", on: "old")
      },
      Load(
        name: "replacing a text of 900,000",
        prepare: { rig in
          rig.records(1)
          rig.text("a")
        }
      ) { rig in rig.giveText("b") },
      Load(name: "listPairs of 20,000", prepare: { $0.pairs(20_000) }) {
        $0.give("listPairs limit=1000", on: "operator")
      },
    ]
  }
}

/// A relay with one pair that has much, step by step.
final class Rig {
  static let replica = "6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F.1"

  let world: World
  private var longest = 0
  private var total = 0
  private var turns = 0

  init() throws {
    world = try World(hasManualClock: false)
    world.keepsHistory = false
    for role in ["phone", "watch"] { world.send("activate pair=p role=\(role)", on: role) }
    clear()
  }

  private func clear() {
    for name in ["phone", "watch"] { world.lastClient(name)?.lines = [] }
  }

  func give(_ line: String, on name: String) {
    world.give(line: Array(line.utf8), to: world.client(name))
  }

  /// So many user infos wait for the watch, which has been handed some of them.
  func fill(_ count: Int) {
    var left = count
    while left > 0 {
      let part = min(left, 2_000)
      let lines = String(repeating: "transferUserInfo payload={\"a\":1}\n", count: part)
      world.give(lines.utf8, to: world.client("phone"))
      world.settle()
      clear()
      left -= part
    }
  }

  func records(_ count: Int) {
    world.send("sync.open schema=todoTimers", on: "phone")
    var left = count
    while left > 0 {
      let part = min(left, 500)
      edits(part)
      world.settle()
      clear()
      left -= part
    }
  }

  func edits(_ count: Int) {
    let line = "sync.edit kind=timer set={\"name\":\"Tea\",\"durationInSeconds\":60}\n"
    world.give(String(repeating: line, count: count).utf8, to: world.client("phone"))
  }

  private var record = ""

  /// The timer's notes are so many of a character.
  func text(_ character: String) {
    let made = "sync.edit id=t kind=timer set={\"name\":\"Tea\",\"durationInSeconds\":60}"
    world.send(made, on: "phone")
    let lines = world.client("phone").takeLines()
    let answer = lines.last { $0.contains("\"re\":\"t\"") } ?? ""
    record = answer.components(after: "\"kind\":\"timer\",\"id\":\"", before: "\"")
    giveText(character)
    world.settle()
    clear()
  }

  func giveText(_ character: String) {
    let notes = String(repeating: character, count: 900_000)
    give("sync.edit kind=timer record=\"\(record)\" set={\"notes\":\"\(notes)\"}", on: "phone")
  }

  func pairs(_ count: Int) {
    for number in 0..<count {
      world.send("activate pair=q\(number) role=phone", on: "many")
      if number < count - 1 { world.send("deactivate", on: "many") }
      world.lastClient("many")?.lines = []
    }
  }

  /// Both devices go, for longer than a pair without devices stays in memory; what follows has yet to be done.
  func leave() {
    for role in ["phone", "watch"] { world.drop(role) }
    world.now += 60_000_000
  }

  /// The same, and it is done.
  func evict() {
    for role in ["phone", "watch"] { world.close(role) }
    world.advance(to: world.now + 60_000_000)
  }

  /// A line of the measured clients that says that something was refused.
  var refusal: String? {
    for name in ["phone", "watch", "new", "old", "other", "operator"] {
      let lines = world.lastClient(name)?.takeLines() ?? []
      if let refusal = lines.first(where: { $0.contains("\"type\":\"error\"") }) { return refusal }
    }
    return nil
  }

  // MARK: Measuring

  func begin() { (longest, total, turns) = (0, 0, 0) }

  /// Turns until nothing moves; the processor's time of each, in milliseconds.
  func settle() -> (turns: Int, longest: Double, total: Double) {
    world.relay.tick(now: world.now)
    world.holdsWorks = true
    var goesOn = true
    while goesOn {
      let start = Self.processorTime
      goesOn = world.turn()
      let taken = Self.processorTime - start
      // On another thread in the server.
      if world.runWorks() { goesOn = true }
      longest = max(longest, taken)
      total += taken
      turns += 1
    }
    return (turns, Double(longest) / 1e6, Double(total) / 1e6)
  }

  private static var processorTime: Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }
}

extension String {
  /// What stands between two texts; empty where they are not there.
  fileprivate func components(after first: String, before last: String) -> String {
    guard let start = firstRange(of: first) else { return "" }
    let rest = self[start.upperBound...]
    guard let end = rest.firstRange(of: last) else { return "" }
    return String(rest[..<end.lowerBound])
  }
}
