import AppModels
import Hub
import Merge
import Relay
import RelaySupport

/// The real relay in memory, with a disk that has what it is told to have, and a clock that stands
/// still.
final class MemorySite: ServerSite {
  private let world: World
  /// What a connection takes and may lose, as kernels do; else a device has read what was written.
  private let kernelRoom: Int
  /// Those that the server may still take for open.
  private var links: [MemoryLink] = []
  private let neighbour: Neighbour?
  let pair = "p"
  let store: String? = "memory"
  let isReal = false
  let fault: Finding? = nil

  init(_ trace: Trace, _ schema: Schema?) throws(HarnessFailure) {
    kernelRoom = Self.kernelRoom(trace)
    do {
      world = try World(Self.options(trace, schema), now: trace.start * 1000)
    } catch {
      throw HarnessFailure("the relay does not start: \(error)")
    }
    world.takesBatchesAhead = !trace.options.has("alone")
    neighbour = trace.options.has("neighbour") ? Neighbour(world) : nil
    world.holdsCommits = true
    world.holdsWorks = true
  }

  static func options(_ trace: Trace, _ schema: Schema?) -> Relay.Options {
    var options = Relay.Options()
    options.hubs = Hubs.keeping(schema.map { [$0] } ?? [], codecs: ShippedSchemas.codecs)
    // Less than most have: so what is left over is met in each schedule.
    options.limits.comparisons = 2
    options.limits.aside = 2
    if trace.options.has("collect") { options.limits.syncLog = 2 }
    if trace.options.has("sparse") { options.deadAllowance = -1_000_000 }
    if trace.options.has("narrow") { options.limits.waitingOutput = 600 }
    if trace.options.has("lobby") { options.place = .shard(0, of: 1) }
    return options
  }

  static func kernelRoom(_ trace: Trace) -> Int { trace.options.has("automatic") ? 1 << 20 : 0 }

  var now: Int64 { world.now / 1000 }
  var clocks: (system: Int64, server: Int64)? {
    (world.systemTime / 1000, world.relay.wall / 1000)
  }
  var complaint: String? { world.logs.first { $0.contains("operationRefused") } }
  var isFailing: Bool { world.isFailing }
  var uncommitted: Int { world.uncommitted.count }

  func open(_ name: String) -> any ServerLink {
    let link = MemoryLink(name, world, kernelRoom: kernelRoom, neighbour)
    links.removeAll(where: \.isOver)
    links.append(link)
    return link
  }

  func settle() { world.settle() }
  func waitForAnswers(on links: [any ServerLink]) {}

  func advance(to time: Int64) {
    let isLong = time - now >= 31_000
    world.advance(to: time * 1000)
    // By then a pair that nobody is connected to has left the memory.
    if isLong { neighbour?.cancel() }
  }

  func sleep(until time: Int64) -> Bool {
    world.sleep(until: time * 1000)
    return true
  }

  func stepClock(ahead: Int64) -> Bool {
    world.stepClock(ahead: ahead * 1000)
    return true
  }

  func commit(_ count: Int) -> Bool {
    // Other threads go on at the same time.
    let hasWorked = world.runWorks()
    if hasWorked { world.settle() }
    guard !world.isFailing else { return hasWorked }
    var done = 0
    while done < count, world.commitOne() { done += 1 }
    return done > 0 || hasWorked
  }

  /// Delay and slices are there without: bytes move when an event moves them.
  func network(_ event: TraceEvent, _ link: any ServerLink) -> Bool {
    (link as? MemoryLink)?.change(event) ?? false
  }

  func kill(written: Int) throws { try world.kill(written: written) }

  func restart() throws {
    world.holdsCommits = false
    world.holdsWorks = false
    world.settle()
    try world.restart()
    world.holdsCommits = true
    world.holdsWorks = true
  }

  func fail() { world.failStore() }
  func recover() { world.recoverStore() }

  func setPairReads(fail: Bool, wait: Bool) -> Bool {
    world.failsPairReads = fail
    world.holdsPairReads = wait
    world.settle()
    return true
  }

  func heal() {
    for link in links { link.heal() }
    if world.isFailing { world.recoverStore() }
    world.stepClock(ahead: 0)
    _ = setPairReads(fail: false, wait: false)
    neighbour?.leave()
    world.holdsCommits = false
    world.holdsWorks = false
    world.settle()
  }

  /// A little more than an hour, after which nobody waits for anything.
  func rest(_ round: Int) { world.advance(to: world.now + 3_700_000_000) }

  func leftovers() -> String? {
    world.advance(to: world.now + 31_000_000)
    return world.leftovers
  }

  func note(_ coverage: inout Coverage) {
    coverage.note("evicted", world.pairsRead)
    coverage.note("copied", world.segmentsRead)
    coverage.note("aside", world.worksRun)
  }
}

extension World {
  /// What its relay has of devices that have all left; nil for nothing.
  var leftovers: String? {
    if relay.pairsInMemory > 0 { return "a pair to which nobody is connected" }
    return relay.isIdle ? nil : "something that it has begun"
  }
}
