import Merge
import Oracle
import Testing

/// Stamps and vectors.
@Suite struct StampTests {
  private let replicas = (0..<2).map {
    ReplicaID(device: Identifier(high: 0, low: $0), incarnation: 1)
  }

  @Test func everyBranchOfMinting() {
    let mine = replicas[0]
    func mint(_ time: UInt64, _ rank: UInt8, _ latest: (UInt64, UInt8, UInt16)?) -> Stamp {
      Stamp.mint(
        time: time, rank: rank, replica: mine,
        after: latest.map {
          Stamp(ms: $0.0, rank: $0.1, counter: $0.2, replica: replicas[1])
        }, counterBits: 2)
    }
    func stamp(_ ms: UInt64, _ rank: UInt8, _ counter: UInt16) -> Stamp {
      Stamp(ms: ms, rank: rank, counter: counter, replica: mine)
    }
    #expect(mint(5, 1, nil) == stamp(5, 1, 0))
    #expect(mint(6, 1, (5, 2, 3)) == stamp(6, 1, 0))
    #expect(mint(5, 2, (5, 1, 3)) == stamp(5, 2, 0))
    #expect(mint(4, 2, (5, 1, 3)) == stamp(5, 2, 0))
    #expect(mint(5, 1, (5, 1, 2)) == stamp(5, 1, 3))
    #expect(mint(5, 1, (5, 1, 3)) == stamp(6, 1, 0))
    #expect(mint(5, 1, (5, 2, 0)) == stamp(6, 1, 0))
  }

  @Test func mintedStampsAreAboveAndNoMoreThanNeeded() {
    let latest = all()
    for stamp in latest {
      for time in 0...4 as ClosedRange<UInt64> {
        for rank in 1...2 as ClosedRange<UInt8> {
          for replica in replicas {
            let minted = Stamp.mint(
              time: time, rank: rank, replica: replica, after: stamp, counterBits: 2)
            #expect(minted > stamp)
            #expect(minted.counter < 4 && minted.rank == rank && minted.replica == replica)
            #expect(minted.ms >= time && minted.ms <= max(time, stamp.ms + 1))
          }
        }
      }
    }
  }

  private func all() -> [Stamp] {
    (0...2 as ClosedRange<UInt64>).flatMap { ms in
      (1...2 as ClosedRange<UInt8>).flatMap { rank in
        (0...3 as ClosedRange<UInt16>).flatMap { counter in
          replicas.map { Stamp(ms: ms, rank: rank, counter: counter, replica: $0) }
        }
      }
    }
  }

  @Test func theOrderIsTotalAndTransitive() {
    let stamps = all()
    for (index, one) in stamps.enumerated() {
      for (place, other) in stamps.enumerated() {
        // They were made in their order.
        #expect((one < other) == (index < place))
      }
    }
    #expect(stamps.reversed().sorted() == stamps)
  }

  @Test func spellings() throws {
    let stamp = Stamp(ms: Stamp.msLimit - 1, rank: 255, counter: .max, replica: replicas[0])
    #expect(Stamp(Array(stamp.spelled.utf8), replica: replicas[0]) == stamp)
    let id = ReplicaID(device: Identifier(high: .max, low: 0xAB), incarnation: .max)
    #expect("\(id)" == "FFFFFFFF-FFFF-FFFF-0000-0000000000AB.18446744073709551615")
    #expect(ReplicaID("\(id)".utf8) == id)
    #expect(ReplicaID("\(id)".lowercased().utf8) == id)
    for bad in [
      "", ".", "1", "\(id.device)", "\(id.device).", "\(id.device).01", "\(id) ", "\(id).1",
    ] {
      #expect(ReplicaID(bad.utf8) == nil)
    }
    let element = ElementID(Dot(id, Dot.seqLimit - 1), ElementID.indexLimit - 1)
    #expect(ElementID(Array("\(element)".utf8)) == element)
    for bad in ["\(id)/0/0", "\(id)/1/1048576", "\(id)/17592186044416/0", "\(id)/1", "\(id)/1/0/0"]
    {
      #expect(ElementID(Array(bad.utf8)) == nil)
    }
    for bad in [
      "", "0-0-0-0-0", "FFFFFFFF-FFFF-FFFF-0000-0000000000A",
      "FFFFFFFF-FFFF-FFFF-0000-0000000000ABC",
      "FFFFFFFFFFFFFFFFF0000-0000000000AB", "GFFFFFFF-FFFF-FFFF-0000-0000000000AB",
    ] {
      #expect(Identifier(bad.utf8) == nil)
    }
    var random = RandomOperation(seed: 4)
    for _ in 0..<200 {
      let id = Identifier(high: random.random.next(), low: random.random.next())
      #expect(Identifier("\(id)".utf8) == id)
      #expect("\(id)".utf8.count == 36)
    }
  }

  @Test func vectorsAreALattice() {
    var random = RandomOperation(seed: 12)
    let nobody = ReplicaID(device: Identifier(high: 9, low: 9), incarnation: 9)
    func union(_ one: VersionVector, _ other: VersionVector) -> VersionVector {
      var result = one
      result.merge(other)
      return result
    }
    func meet(_ one: VersionVector, _ other: VersionVector) -> VersionVector {
      var result = one
      result.intersect(other)
      return result
    }
    for _ in 0..<500 {
      let a = random.vector(without: nobody)
      let b = random.vector(without: nobody)
      let c = random.vector(without: nobody)
      #expect(union(a, b) == union(b, a) && meet(a, b) == meet(b, a))
      #expect(union(a, union(b, c)) == union(union(a, b), c))
      #expect(meet(a, meet(b, c)) == meet(meet(a, b), c))
      #expect(union(a, a) == a && meet(a, a) == a)
      #expect(union(a, meet(a, b)) == a && meet(a, union(a, b)) == a)
      #expect(union(a, b).contains(a) && a.contains(meet(a, b)))
      #expect(a.contains(b) == (union(a, b) == a))
      #expect(VersionVector(a.entries.reversed()) == a)
      var inserted = a
      for entry in b.entries { inserted.insert(Dot(entry.replica, entry.seq)) }
      #expect(inserted == union(a, b))
      for replica in a.entries.map(\.replica) {
        #expect(Context(a, of: replica).vector(of: replica) == a)
      }
    }
  }
}
