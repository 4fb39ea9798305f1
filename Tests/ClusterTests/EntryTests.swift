import Testing

@testable import Cluster

@Suite struct EntryTests {
  private static let bodies: [Entry.Body] = [
    .open(identity: "0123456789abcdef", epoch: 1), .open(identity: "é", epoch: .max),
    .part([]), .part([1, 2, 3]), .commit([]), .commit([255]), .released,
  ]

  @Test(arguments: bodies) func readsWhatItWrites(body: Entry.Body) {
    let entry = Entry(owner: 0x1234_5678_9ABC_DEF0, body)
    #expect(Entry(entry.bytes) == entry)
    #expect(entry.bytes.count >= Entry.overhead)
  }

  /// An entry that is cut, or of another version or kind, is none.
  @Test(arguments: bodies) func refusesWhatIsNone(body: Entry.Body) {
    let bytes = Entry(owner: 7, body).bytes
    for count in 0..<Entry.overhead { #expect(Entry(Array(bytes.prefix(count))) == nil) }
    for (place, value) in [(0, 0), (0, 2), (1, 4), (1, 255)] as [(Int, UInt8)] {
      var other = bytes
      other[place] = value
      #expect(Entry(other) == nil)
    }
  }

  @Test func refusesAnOpeningWithoutAName() {
    let bytes = Entry(owner: 7, .open(identity: "x", epoch: 1)).bytes
    #expect(Entry(bytes.dropLast()) == nil)
    #expect(Entry(bytes.dropLast() + [0xFF]) == nil)
    #expect(Entry(Entry(owner: 7, .released).bytes + [0]) == nil)
  }
}

extension Entry {
  fileprivate init?(_ bytes: ArraySlice<UInt8>) { self.init(Array(bytes)) }
}
