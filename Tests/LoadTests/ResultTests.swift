import Foundation
import Load
import Testing

/// A finished run with these figures.
func finishedRun(
  _ change: (inout LoadResult) -> Void = { _ in }
) -> LoadResult {
  let machine = Machine(cpu: "a \"fast\" one", cpus: 2, memoryBytes: 1 << 30, kernel: "6.1")
  var result = LoadResult(
    options: LoadOptions(workload: .transfer), version: "9.9", machine: machine)
  result.serverVersion = "watchline 9.9"
  result.figures.messages = 3_000
  result.figures.seconds = 2
  result.figures.serverCPUSeconds = 0.03
  result.figures.serverResidentBytes = 1 << 20
  result.figures.wireBytes = 1_950_000
  result.figures.diskBytes = 30_000
  result.figures.clientCPUPercent = 12.34
  for value in 1...1_000 {
    result.figures.latency.record(value * 10)
    result.figures.delivery.record(value)
  }
  for messages in [1_400, 1_600] {
    result.figures.samples.append(
      Sample(
        seconds: 1, messages: messages, p50: 5_000, p99: 9_000, serverCPUSeconds: 0.01,
        serverResidentBytes: 1 << 20, clientCPUPercent: 12))
  }
  change(&result)
  return result
}

/// The object that a run prints.
func object(_ result: LoadResult) throws -> [String: Any] {
  try #require(try JSONSerialization.jsonObject(with: Data(result.json)) as? [String: Any])
}

@Suite struct ResultTests {
  @Test func aPageShowsEachRun() {
    let idle = finishedRun {
      $0.ending = .failed("the server said <nothing> & left")
      $0.figures = Figures()
    }
    let page = LoadPage([("old\"\u{301}", finishedRun()), ("<new>", idle)]).page
    #expect(page.contains("old&quot;\u{301}"))
    // Five pictures over time and by percentile, and the latencies of the run that has some.
    #expect(page.components(separatedBy: "<svg").count - 1 == 6)
    #expect(page.contains("&lt;new&gt;") && !page.contains("<new>"))
    #expect(page.contains("the server said &lt;nothing&gt; &amp; left"))
    #expect(page.contains("<td>1,500</td>"))
    let wide = finishedRun { for power in 0..<8 { $0.figures.latency.record(700 << power) } }
    let labels = LoadPage([("wide", wide)]).page.components(separatedBy: "y=214>≤").count - 1
    #expect(labels > 3 && labels <= 8)
    #expect(!page.contains("http"))
    #expect(!LoadPage([]).page.contains("<polyline"))
  }

  @Test func savedRunsAreDrawnOverOneAnother() throws {
    let fast = finishedRun()
    let slow = finishedRun { $0.figures.messages /= 2 }
    func saved(_ name: String, _ runs: [LoadResult]) throws -> SavedRuns {
      try SavedRuns(name, Array(runs.map(\.json).joined(separator: [0x0A])))
    }
    func page(_ old: SavedRuns, _ new: SavedRuns) throws(LoadFailure) -> String {
      LoadPage(old, new, try old.compared(with: new)).page
    }
    let both = try page(saved("slow.json", [slow, slow]), saved("fast.json", [fast]))
    #expect(both.contains("slow.json, run 2") && both.contains("Latencies of fast.json"))
    #expect(both.contains("<td>messages/s</td><td>750</td>"))
    // A run looks alike, saved or not.
    let fresh = LoadPage([("fast.json", fast)]).page
    let line = try #require(
      fresh.split(separator: "\n").first { $0.contains("Latency by percentile\">") })
    let points = try #require(line.split(separator: "points=").last)
    #expect(both.contains("polyline class=\"c2\" points=\(points.prefix { $0 != "/" })"))
    let other = finishedRun { $0.options.pairs += 1 }
    #expect(throws: LoadFailure.self) {
      try page(saved("a.json", [fast]), saved("b.json", [other]))
    }
  }

  /// A file can say anything: what no run can have measured is not known, and ends no program.
  @Test(arguments: ["1e400", "1e300", "-1e300", "0"])
  func numbersThatNoRunMeasuresAreNotKnown(_ number: String) throws {
    let line = String(decoding: finishedRun().json, as: UTF8.self)
      .replacing(
        /("(?:[a-zA-Z0-9]*(?:Seconds|Bytes|PerSecond|Milliseconds|seconds|max|p50))":)[0-9.]+/
      ) {
        "\($0.output.1)\(number)"
      }
      .replacing(/"latencyHistogram":\[\[[0-9.]+/, with: "\"latencyHistogram\":[[\(number)")
    let saved = try SavedRuns("odd.json", Array(line.utf8))
    let page = LoadPage(saved, saved, try saved.compared(with: saved)).page
    #expect(page.contains("odd.json"))
  }

  @Test func throughputIsALineOfBars() {
    #expect(sparkline([0, 50, 100]) == "▁▅█")
    #expect(sparkline([0, 0]) == "▁▁")
    #expect(sparkline([]) == "")
  }

  @Test func everythingIsThere() throws {
    let json = try object(finishedRun())
    let names: Set = [
      "version", "serverVersion", "ended", "options", "machine", "warmUpSeconds", "seconds",
      "messages", "messagesPerSecond", "latencyMilliseconds", "deliveryLatencyMilliseconds",
      "serverCPUSecondsPerMillion", "serverResidentBytes", "clientCPUPercent", "clientBound",
      "wireBytesPerMessage", "diskBytesPerMessage",
      "lost", "duplicated", "reordered", "inFlight", "latencyHistogram", "samples",
    ]
    #expect(Set(json.keys) == names)
    #expect(json["ended"] as? String == "complete")
    #expect(json["messagesPerSecond"] as? Double == 1_500)
    #expect(json["serverCPUSecondsPerMillion"] as? Double == 10)
    #expect(json["clientCPUPercent"] as? Double == 12.3)
    #expect(json["wireBytesPerMessage"] as? Double == 650)
    #expect(json["diskBytesPerMessage"] as? Double == 10)
    #expect(json["warmUpSeconds"] as? Double == 1)
    let latency = try #require(json["latencyMilliseconds"] as? [String: Double])
    #expect(Set(latency.keys) == ["p50", "p99", "p999", "max"])
    #expect(latency["max"] == 10)
    #expect(abs(latency["p50"]! - 5) < 0.05)
    let delivery = try #require(json["deliveryLatencyMilliseconds"] as? [String: Double])
    #expect(delivery["max"] == 1)
    let options = try #require(json["options"] as? [String: Any])
    #expect(options["workload"] as? String == "transfer")
    #expect(options["window"] as? Int == 256)
    #expect(options["rate"] is NSNull)
    #expect((json["machine"] as? [String: Any])?["cpu"] as? String == "a \"fast\" one")
    #expect((json["samples"] as? [Any])?.count == 2)
    let histogram = try #require(json["latencyHistogram"] as? [[Double]])
    #expect(histogram.reduce(0) { $0 + $1[1] } == 1_000)
  }

  /// What is not known is null, not 0.
  @Test func unknownFigures() throws {
    let json = try object(
      finishedRun {
        $0.figures = Figures()
        $0.ending = .failed("the server has gone")
      })
    #expect(json["ended"] as? String == "the server has gone")
    #expect(json["serverCPUSecondsPerMillion"] is NSNull)
    #expect(json["serverResidentBytes"] is NSNull)
    #expect(json["wireBytesPerMessage"] is NSNull && json["diskBytesPerMessage"] is NSNull)
    #expect((json["latencyMilliseconds"] as? [String: Any])?["p50"] is NSNull)
  }

  @Test(arguments: [(89.9, false), (90, true), (99.5, true)]) func clientBound(
    _ percent: Double, _ isBound: Bool
  ) throws {
    let result = finishedRun { $0.figures.clientCPUPercent = percent }
    #expect(try object(result)["clientBound"] as? Bool == isBound)
    #expect(result.text.contains("CLIENT BOUND") == isBound)
  }

  @Test func textTellsFaults() {
    let result = finishedRun {
      $0.faults.lost = 1_234
      $0.faults.reordered = 2
      $0.headsAgree = false
    }
    #expect(result.text.contains("1,234 LOST, none duplicated, 2 OUT OF ORDER"))
    #expect(result.text.contains("THEY DIFFER"))
    #expect(finishedRun().text.contains("none lost, none duplicated, none out of order"))
  }

  @Test func textTellsAnEarlyEnd() {
    #expect(!finishedRun().text.contains("ended after"))
    #expect(finishedRun { $0.ending = .interrupted }.text.contains("; ended after 2.0 s\n"))
  }

  /// A message goes through both phases of a backlog, so it takes the time of both.
  @Test func bothPhases() {
    var (fill, drain) = (Figures(), Figures())
    (fill.messages, fill.seconds, fill.serverCPUSeconds) = (1_000, 2, 1)
    (drain.messages, drain.seconds, drain.serverCPUSeconds) = (2_000, 1, 1)
    let both = Figures.both(fill, drain)
    #expect(both.messagesPerSecond == 400)
    #expect(both.serverCPUSecondsPerMillion == 1_500)
  }
}
