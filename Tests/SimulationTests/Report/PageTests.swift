import Simulation
import Testing

/// `report.html`.
@Suite struct PageTests {
  @Test func tellsTheStoryInOrder() {
    #expect(
      Markup.text(of: Samples.lostEdit.page).prefix(44) == [
        "An edit was lost, and nobody overwrote it. · Watchline",
        "Watchline plays devices that edit, exchange and fail, by schedules drawn at random."
          + " This is the shortest that was found to go wrong: 10 events.",
        "An edit was lost, and nobody overwrote it.",
        #"timer t1, color: the watch set "color5" at 00.500; both devices end with "color2"."#,
        "Nobody changed color afterwards. The phone's change of name at 01.000 took color back with"
          + " it.",
        "timer t1", "·", "color",
        "phone", "ends with", "color2", "✗", "not acceptable",
        "watch", "ends with", "color2", "✗", "not acceptable",
        "acceptable", "color5",
        "Write", "At", "By", "Wrote", "Had seen", "What became of it",
        "1", "00.000", "phone", "color2", "–", "overwritten by 2",
        "2", "00.500", "watch", "color5", "1", "lost",
        "What happened", "edit", "sent", "arrived", "fault", "leads to it",
      ])
  }

  @Test func losesNothingWithoutScripts() {
    let texts = Markup.text(of: Samples.lostEdit.page)
    for step in Samples.lostEdit.recording.steps { #expect(texts.contains(step.text)) }
    #expect(texts.contains("What each place held, whenever that changed"))
    #expect(texts.contains(Samples.lostEdit.command))
    #expect(texts.contains("--devices 2 --faults cut,delay"))
  }

  /// The edit's own steps and the message that took it back, dashed and coloured.
  @Test func showsTheLosingPath() {
    let page = Samples.lostEdit.page
    let rows = page.components(of: "<li class=\"row").filter { $0.contains("path\" data-from=") }
    #expect(rows.count == 4)
    #expect(page.contains("<line class=losing"))
    #expect(!Samples.vanished.page.contains("class=message x1=50 y1=50 x2=150 y2=250"))
  }

  @Test func foldsWhatDoesNotMatter() {
    let page = Samples.server.page
    #expect(Markup.text(of: page).contains("59 more steps, until 01.131"))
    #expect(Markup.text(of: page).contains("Show all 94 steps"))
    // Folded, the steps that are not of interest are rows of the full diagram only.
    #expect(page.components(of: "sync.push, 46 bytes").count - 1 == 3 + 3)
    #expect(!Samples.lostEdit.page.contains("id=unfold"))
  }

  /// Devices that differ are not told which of them is right.
  @Test func marksWhatIsKnown() {
    var report = Samples.lostEdit
    #expect(report.page.components(of: "<div class=bad>").count == 3)
    report.finding.field?.acceptable = []
    report.finding.field?.ends = [("phone", "1"), ("watch", "2")]
    #expect(report.page.components(of: "<div class=open>").count == 3)
    #expect(Markup.text(of: report.page).contains("the same everywhere"))
  }

  @Test func standsAlone() {
    for (name, report) in Samples.all {
      let page = report.page
      for word in ["http:", "https:", " src=", " href=", "url(", "@import", "<link", "fetch("] {
        #expect(!page.contains(word), "\(name): \(word)")
      }
    }
  }

  /// Whatever the values are, the elements are the page's own, and they are whole.
  @Test func nothingEscapesIntoThePage() throws {
    for seed in 1...150 as ClosedRange<UInt64> {
      var random = RandomReport(seed: seed)
      let report = random.report()
      let page = report.page
      #expect(Markup.fault(in: page) == nil, "seed \(seed)")
      #expect(
        !page.unicodeScalars.contains { scalar in
          scalar.value < 0x20 && scalar != "\n" || (0x202A...0x202E).contains(scalar.value)
            || (0x2066...0x2069).contains(scalar.value) || scalar.value == 0x7F
        }, "seed \(seed)")
    }
  }

  /// Hundreds of steps make a page that is still small.
  @Test func longRunsStaySmall() {
    var report = Samples.server
    let steps = report.recording.steps
    for round in 1...8 {
      report.recording.steps += steps.map { step in
        var step = step
        step.at += Int64(round) * 2000
        step.from = step.from.map { $0 + round * steps.count }
        return step
      }
    }
    #expect(report.recording.steps.count > 800)
    #expect(report.page.utf8.count < 1_000_000)
  }
}
