import Merge
import Testing

@Suite struct FugueTests {
  @Test func typing() throws {
    var fugue = Fugue()
    try fugue.insert(
      Element(replica: 0, seq: 1), text: "hé", rank: 1, at: fugue.origin(at: 0),
      before: { _, _ in false })
    #expect(fugue.text == "hé")
  }
}
