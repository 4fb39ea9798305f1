import Testing
import Wire
import watchline

/// What `watchline top` shows of two moments.
@Suite struct TopTableTests {
  private func moment(
    _ now: Int, accepted: Int, trouble: String = "", _ numbered: [(String, Int)],
    since: TopTable? = nil, isCut: Bool = false
  ) throws -> TopTable {
    let stats = try Members(
      Array(
        #"{"type":"stats","now":\#(now),"connections":3,"sessions":2,"pairs":9,"pairsInMemory":2,"#
          .utf8)
        + Array(
          #""liveBytes":2048,"storedBytes":5000000,"accepted":{"userInfo":\#(accepted),"file":1}\#(trouble)}"#
            .utf8))
    let rows = try numbered.map { name, count in
      TopTable.Row(
        try Members(
          Array(
            #"{"pair":"\#(name)","app":"default","devices":2,"connected":1,"waiting":\#(count),"bytes":10,"numbered":\#(count)}"#
              .utf8)))
    }
    return TopTable(stats, rows, isCut: isCut, since: since)
  }

  @Test func ratesAreOfWhatCameSince() throws {
    let first = try moment(100, accepted: 10, [("a", 5), ("b", 500)])
    #expect(first.rows.map(\.rate) == [0, 0])
    #expect(first.text(.rate, columns: 100, rows: 9).joined().contains("since the start"))
    let second = try moment(
      102, accepted: 250, [("a", 45), ("b", 500), ("new", 80)], since: first)
    #expect(second.rows.map(\.rate) == [20, 0, 0])
    #expect(second.sorted(by: .rate).map(\.pair) == ["a", "b", "new"])
    #expect(second.sorted(by: .waiting).map(\.pair) == ["b", "new", "a"])
    #expect(second.sorted(by: .name).map(\.pair) == ["a", "b", "new"])
    let text = second.text(.rate, columns: 100, rows: 9)
    #expect(text[1].hasPrefix("accepted 120/s"), "\(text)")
    #expect(text[2].hasPrefix("store 2.0 KiB needed of 4.8 MiB"), "\(text)")
    // A server that was started anew has counted less: that is no negative rate.
    let later = try moment(104, accepted: 1, [("a", 45)], since: second)
    #expect(later.text(.rate, columns: 100, rows: 9)[1].hasPrefix("accepted 0.0/s"))
  }

  /// It fits its terminal, says what it leaves out, and gives no name the terminal to command.
  @Test func whatFits() throws {
    let many = (0..<30).map { ("pair-\($0)", $0) }
    let text = try moment(1, accepted: 0, many).text(.waiting, columns: 40, rows: 5)
    #expect(text.allSatisfy { $0.count <= 40 } && text.last == "… and 25 more")
    #expect(text[5].hasPrefix("pair-29"))
    let cut = try moment(1, accepted: 0, [("a", 1)], isCut: true).text(.name, columns: 99, rows: 9)
    #expect(cut.last == "… and more")
    var row = TopTable.Row(pair: "\u{1B}[2J", app: "other")
    row.waiting = 1
    var table = try moment(1, accepted: 0, [])
    table.rows = [row]
    #expect(!table.text(.name, columns: 99, rows: 9).joined().contains("\u{1B}"))
    let trouble = try moment(1, accepted: 0, trouble: #","trouble":"the disk is full""#, [])
    #expect(
      trouble.text(.name, columns: 99, rows: 9).contains("NOTHING NEW IS TAKEN: the disk is full"))
  }
}
