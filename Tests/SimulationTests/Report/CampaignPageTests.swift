import Simulation
import Testing

struct CampaignPageTests {
  @Test("A campaign's page has what was found, how often what took place, and what never did")
  func page() {
    var coverage = Coverage()
    coverage.note("edit", 4_000)
    coverage.note("kill", 4)
    let page = CampaignPage(
      schedules: 2_000, seconds: 4.25, command: "watchline fuzz --out '<here>'",
      findings: [
        CampaignPage.Finding(
          slug: "lost-edit", headline: "An edit was lost & nobody <knew>.", count: 3, seed: 77,
          folder: "out/lost-edit-77"),
        CampaignPage.Finding(
          slug: "crash", headline: "It ended.", count: 1, seed: 78, folder: ""),
      ], coverage: coverage, notCovered: ["fork", "tie"]
    ).page
    #expect(page.contains("2000 schedules, 2 distinct findings"))
    #expect(
      page.contains(
        "<a href=\"out/lost-edit-77/report.html\">An edit was lost &amp; nobody &lt;knew&gt;.</a>"))
    #expect(page.contains("<td>It ended.</td><td>crash</td><td>1</td><td>78</td>"))
    #expect(page.contains("&lt;here&gt;") && !page.contains("<here>"))
    #expect(page.contains("<td>edit</td><td class=n>4000</td><td class=n>2000</td>"))
    #expect(page.contains("<td>kill</td><td class=n>4</td><td class=n>2</td>"))
    #expect(page.contains("fork, tie"))
    #expect(page.components(separatedBy: "<rect width=\"100\"").count == 2)
    let none = CampaignPage(
      schedules: 0, seconds: 0, command: "", findings: [], coverage: Coverage(), notCovered: []
    ).page
    #expect(none.contains("Nothing was found."))
  }
}

extension String {
  fileprivate func components(separatedBy text: String) -> [Substring] {
    split(separator: text, omittingEmptySubsequences: false)
  }
}
