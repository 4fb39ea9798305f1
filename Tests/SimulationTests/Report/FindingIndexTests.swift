import Simulation
import Testing

/// The page over all findings of a folder.
@Suite struct FindingIndexTests {
  @Test func listsThemAll() {
    var index = FindingIndex()
    #expect(index.isEmpty)
    for (name, report) in Samples.all { index.add("\(name) <&> 1", report.json) }
    index.add("broken", Array("{".utf8))
    index.add("other", Array("{}".utf8))
    let page = index.page
    #expect(!index.isEmpty)
    #expect(page.contains("<h1>\(Samples.all.count) findings</h1>"))
    for (name, report) in Samples.all {
      #expect(page.contains("<a href=\"\(name)%20%3C%26%3E%201/report.html\">"))
      #expect(page.contains("<td>\(report.finding.slug)</td>"))
    }
    #expect(!page.contains("broken") && !page.contains("other/"))
    #expect(!page.contains("<script"))
    // However they come.
    var backwards = FindingIndex()
    for (name, report) in Samples.all.reversed() { backwards.add("\(name) <&> 1", report.json) }
    #expect(backwards.page == page)
  }

  /// A page is text and tags, whatever the findings say.
  @Test func isWellFormed() {
    for seed in 1...20 as ClosedRange<UInt64> {
      var random = RandomReport(seed: seed)
      var index = FindingIndex()
      let report = random.report()
      index.add("one", report.json)
      let page = index.page
      #expect(page.utf8.count { $0 == 0x3C } == page.utf8.count { $0 == 0x3E }, "seed \(seed)")
    }
  }
}
