import Foundation
import FoundationXML
import Simulation
import Testing
import Wire

/// The other files of a finding's folder.
@Suite struct ReportFileTests {
  @Test func aFindingAsJSON() throws {
    let text = String(decoding: Samples.vanished.json, as: UTF8.self)
    #expect(
      text.hasPrefix(
        #"{"finding":1,"slug":"vanished","invariant":"I19","headline":"A record vanished with an "#
          + #"edit in it.","story":["timer t1: the watch"#))
    #expect(
      text.contains(
        #""field":{"kind":"timer","record":"t1","name":null,"writes":[{"step":0,"device":"phone","#
          + #""value":"created","seen":[],"fate":"overwritten by 2"},"#))
    #expect(
      text.contains(
        #""ends":[{"device":"phone","value":"no such record"},"#
          + #"{"device":"watch","value":"no such record"}],"acceptable":["exists"]},"path":[4,7],"#)
    )
    #expect(text.contains(#""kind":"receive","text":"takes t1 in","from":1}"#))
    #expect(text.hasSuffix("line 1, in <module>\"],\"version\":\"0.1.0\"}\n"))
    let server = try Members(Samples.server.json.dropLast())
    #expect(server.string("seed") == "9007199254740993")
    #expect(server.object("shrinking")?.integer("tries") == 1418)
    #expect(server.string("log") == nil)
  }

  @Test func anyFindingIsJSON() throws {
    for seed in 1...150 as ClosedRange<UInt64> {
      var random = RandomReport(seed: seed)
      let report = random.report()
      let members = try Members(report.json.dropLast())
      let headline = try #require(members.string("headline"))
      #expect(headline.utf8.elementsEqual(report.finding.headline.utf8))
      #expect(members.array("steps")?.count == report.recording.steps.count)
      let command = try #require(members.string("command"))
      #expect(command.utf8.elementsEqual(report.command.utf8))
    }
  }

  @Test func theFolderHasAllFiles() {
    let files = Samples.vanished.files
    #expect(
      files.map(\.name) == [
        "trace.ndjson", "report.html", "finding.json", "Reproduce.swift", "stderr.txt",
      ])
    #expect(files[0].bytes == Samples.vanished.trace.ndjson)
    #expect(
      String(decoding: files[4].bytes, as: UTF8.self)
        == "Traceback (most recent call last):\n  File \"<stdin>\", line 1, in <module>\n")
    #expect(Samples.vanished.files.map(\.bytes) == files.map(\.bytes))
  }

  // MARK: JUnit

  private func campaign(_ reports: [FindingReport]) -> String {
    JUnit(
      name: "watchline fuzz", scope: "seeds 1..20", milliseconds: 8_070,
      reports: reports.map { JUnit.Case($0) }
    ).xml
  }

  @Test func aCampaignWithoutFindingsPasses() {
    #expect(
      campaign([]) == """
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites tests="1" failures="0" errors="0" time="8.070">
        <testsuite name="watchline fuzz" tests="1" failures="0" errors="0" skipped="0" time="8.070">
        <testcase classname="watchline fuzz" name="seeds 1..20" time="8.070"/>
        </testsuite>
        </testsuites>

        """)
  }

  @Test func eachFindingIsATestCase() throws {
    let elements = try Elements(campaign(Samples.all.map(\.1)))
    #expect(elements.names.filter { $0 == "testcase" }.count == 4)
    #expect(
      elements.messages == [
        "An edit was lost, and nobody overwrote it.",
        "The server confirmed an edit and forgot it in a crash.",
        "A record vanished with an edit in it.", "A transfer was delivered twice.",
      ])
    #expect(elements.names.filter { $0 == "system-err" }.count == 1)
  }

  @Test func anyFindingIsXML() throws {
    for seed in 1...150 as ClosedRange<UInt64> {
      var random = RandomReport(seed: seed)
      let elements = try Elements(campaign([random.report()]))
      #expect(elements.names.filter { $0 == "testcase" }.count == 1, "seed \(seed)")
    }
  }

  /// What Foundation's parser finds.
  private final class Elements: NSObject, XMLParserDelegate {
    var names: [String] = []
    var messages: [String] = []

    init(_ xml: String) throws {
      super.init()
      let parser = XMLParser(data: Data(xml.utf8))
      parser.delegate = self
      guard parser.parse() else { throw parser.parserError ?? CocoaError(.fileReadCorruptFile) }
    }

    func parser(
      _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
      qualifiedName: String?, attributes: [String: String]
    ) {
      names.append(name)
      if let message = attributes["message"] { messages.append(message) }
    }
  }
}
