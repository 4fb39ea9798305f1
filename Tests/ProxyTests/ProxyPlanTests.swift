import Testing

@testable import Proxy

/// What is drawn from a seed, and when it happens.
@Suite struct ProxyPlanTests {
  @Test func theSeedDecides() {
    var drawn: Set<String> = []
    for seed in 1...200 as ClosedRange<UInt64> {
      let faults = ProxyFaults.drawn(seed: seed)
      #expect(faults == .drawn(seed: seed))
      #expect(!faults.options.isEmpty)
      drawn.insert(faults.options)
      let plans = (1...20).map { LinkPlan(faults, seed: seed, connection: $0) }
      #expect(plans == (1...20).map { LinkPlan(faults, seed: seed, connection: $0) })
    }
    #expect(drawn.count > 150)
    for word in ["--delay", "--slice", "--cut", "--one-way", "--duplicate"] {
      let count = drawn.count { $0.contains(word) }
      #expect(60...140 ~= count, "\(word) \(count) times")
    }
  }

  @Test func everyFaultIsPlannedAtTimes() {
    let faults = ProxyFaults(cut: 100...200, oneWay: 50...90, duplicate: 30)
    let plans = (1...400).map { LinkPlan(faults, seed: 5, connection: $0) }
    #expect(150...250 ~= plans.count { $0.cut != nil })
    #expect(plans.allSatisfy { $0.cut.map { 100...200 ~= $0 } ?? true })
    #expect(150...250 ~= plans.count { $0.oneWay != nil })
    #expect(80...160 ~= plans.count(where: \.isDuplicated))
    for stop in [Stop.stall, .swallow] {
      #expect(plans.contains { $0.oneWay?.stop == stop })
    }
    for directions in [[.up], [.down], [.up, .down]] as [[Direction]] {
      #expect(plans.contains { $0.oneWay?.directions == directions })
    }
    #expect((1...50).allSatisfy { LinkPlan(ProxyFaults(), seed: 5, connection: $0) == LinkPlan() })
  }

  /// What happens is a function of the seed and of what comes in.
  @Test(arguments: 1...12 as ClosedRange<UInt64>)
  func twoRunsAreAlike(seed: UInt64) {
    func run() -> ProxyBench {
      var bench = ProxyBench(.drawn(seed: seed), seed: seed)
      for round in 0..<40 {
        if round % 4 == 0 { bench.connect() }
        for number in bench.proxy.links.keys.sorted() where bench.proxy.links[number]!.hasClient {
          bench.send(number, .client, Array(repeating: UInt8(round), count: 50))
          bench.send(number, .server, Array(repeating: UInt8(round), count: 20))
        }
        bench.advance(to: bench.now + 300)
      }
      return bench
    }
    let (first, second) = (run(), run())
    #expect(first.lines == second.lines)
    #expect(first.taken == second.taken)
    #expect(first.writes == second.writes && first.reset == second.reset)
  }

  private func first(_ seed: UInt64, _ faults: ProxyFaults, _ fits: (LinkPlan) -> Bool) -> UInt64 {
    (seed...).first { fits(LinkPlan(faults, seed: $0, connection: 1)) }!
  }

  @Test(arguments: [-1, 0])
  func aCutComesAtItsTime(offset: Int) {
    let faults = ProxyFaults(cut: 500...500)
    let seed = first(1, faults) { $0.cut == 500 }
    var bench = ProxyBench(faults, seed: seed)
    bench.connect()
    bench.advance(to: 500 + offset)
    #expect(bench.reset.isEmpty == (offset < 0))
  }

  @Test func aStallEndsByItself() {
    let faults = ProxyFaults(oneWay: 100...100)
    let seed = first(1, faults) { $0.oneWay?.directions == [.up] && $0.oneWay?.stop == .stall }
    let duration = LinkPlan(faults, seed: seed, connection: 1).oneWay!.duration
    var bench = ProxyBench(faults, seed: seed)
    bench.connect()
    bench.advance(to: 100)
    bench.send(1, .client, [1])
    bench.advance(to: 99 + duration)
    #expect(bench.got(1, .server).isEmpty)
    bench.advance(to: 100 + duration)
    #expect(bench.got(1, .server) == [1])
  }

  @Test func halfOpenEndsInACut() {
    let faults = ProxyFaults(oneWay: 100...100)
    let seed = first(1, faults) { $0.oneWay?.directions == [.up] && $0.oneWay?.stop == .swallow }
    var bench = ProxyBench(faults, seed: seed)
    bench.connect()
    bench.advance(to: 150)
    bench.send(1, .client, [1])
    bench.advance(to: 10_000)
    #expect(bench.got(1, .server).isEmpty)
    #expect(bench.reset == ["1 client", "1 server"])
  }

  @Test func aDuplicateIsOpenedAtOnce() {
    var bench = ProxyBench(ProxyFaults(duplicate: 100))
    bench.connect()
    bench.send(1, .client, [1])
    #expect(bench.got(1, .server) == [1] && bench.got(2, .server) == [1])
  }
}
