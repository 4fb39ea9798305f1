import Testing

@testable import Cluster

@Suite struct EntryTests {
  private static let bodies: [Entry.Body] = [
    .open(identity: "0123456789abcdef", epoch: 1), .open(identity: "é", epoch: .max),
    .open(identity: "é", epoch: 2, contact: "127.0.0.1:1 ä"),
    .open(identity: "x", epoch: 2, contact: String(repeating: "c", count: 300)),
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
    for (place, value) in [(0, 0), (0, 2), (1, 5), (1, 255)] as [(Int, UInt8)] {
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
    let reached = Entry(owner: 7, .open(identity: "x", epoch: 1, contact: "c")).bytes
    for count in 0..<reached.count { #expect(Entry(reached.prefix(count)) == nil) }
    // The contact is not longer than the rest of the entry, and not empty.
    for size in [0, 2, 255] as [UInt8] {
      var other = reached
      other[18] = size
      #expect(Entry(other) == nil)
    }
  }
}

extension Entry {
  fileprivate init?(_ bytes: ArraySlice<UInt8>) { self.init(Array(bytes)) }
}
