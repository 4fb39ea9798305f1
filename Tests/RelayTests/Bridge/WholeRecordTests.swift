import Bridge
import Merge
import Testing

@Suite("Whole records as a store keeps them")
struct WholeRecordTests {
  /// Names and texts with what JSON escapes, with and without a place.
  private func record(_ kind: Name, place: Int64?) -> WholeRecord {
    WholeRecord(
      Target(kind, "a\"\\\u{1}\u{E000}\u{1F600}"),
      values: [
        "name": .string("\n\u{7F}é"), "\u{E000}": .null, "\u{1F600}": .bool(true),
        "a": .array([.string("")]),
      ],
      place: place, createdAt: 0, updatedAt: 1e21)
  }

  @Test func comeBackFromCanonicalBytes() throws {
    var whole = record("timer", place: nil)
    whole.contain([record("todo", place: -1), record("note", place: .max)])
    for whole in [whole, record("timer", place: 0)] {
      let datum = try Datum(json: whole.canonical)
      #expect(WholeRecord(datum) == whole)
      #expect(datum.canonical == whole.canonical)
    }
  }
}
