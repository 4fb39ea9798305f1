import Simulation
import Testing

/// The text for the terminal.
@Suite struct ReportTextTests {
  private static let lost = #"""
    VIOLATION  An edit was lost, and nobody overwrote it.
      timer t1, color: the watch set "color5" at 00.500; both devices end with
      "color2".
      Nobody changed color afterwards. The phone's change of name at 01.000 took
      color back with it.

         00.000  phone  create t1 {name:"name1", color:"color2"}
                          → watch has it at 00.200
         00.300  watch  offline
         00.500  watch  set t1 color = "color5"
         01.000  phone  set t1 name = "name6"
                          → watch has it at 01.250
         01.200  phone  sends what it holds
         01.250  watch  takes in what the phone sent

      field   phone ends   watch ends   acceptable
      color   color2       color2       color5                         ✗
      name    name6        name6

      look       watchline-findings/lost-edit-164/report.html
      again      watchline replay watchline-findings/lost-edit-164/trace.ndjson --against command:'.build/release/my-merge'
    """#

  private static let vanished = #"""
    VIOLATION  A record vanished with an edit in it.
      timer t1: the watch renamed it to "Eggs, soft" at 02.000 without knowing that
      the phone had deleted it at 00.900; the edit is newer, and yet t1 is on
      neither device.

         00.000  phone  create t1 {name:"Eggs"}       → watch has it at 00.080
         00.900  phone  delete t1                     → watch has it at 02.150
         02.000  watch  set t1 name = "Eggs, soft"    (had not seen it deleted)
         02.150  watch  deletes t1

      field      phone ends       watch ends       acceptable
      timer t1   no such record   no such record   exists              ✗

      look       watchline-findings/vanished-12/report.html
      again      watchline replay watchline-findings/vanished-12/trace.ndjson --against command:'python3 my merge.py --fast'
    """#

  @Test(arguments: [(Samples.lostEdit, lost), (Samples.vanished, vanished)])
  func readsAsItShould(report: FindingReport, expected: String) throws {
    let lines = report.text(isColoured: false).split(
      separator: "\n", omittingEmptySubsequences: false)
    let count = expected.split(separator: "\n", omittingEmptySubsequences: false).count
    #expect(lines.prefix(count).joined(separator: "\n") == expected)
    let word = try #require(TraceWord.spell(report.trace))
    let rest = lines.dropFirst(count).map(String.init)
    #expect(rest.first?.hasPrefix("  from log   watchline replay \(word) --against") == true)
    #expect(rest.dropFirst().first == "  test       \(report.folder)/Reproduce.swift")
  }

  /// A trace is told as a word where that can be pasted, and to who looks at it now only within a line.
  @Test func theWordIsToldWhereItFits() {
    var report = Samples.vanished
    #expect(report.text(isColoured: false).contains("  from log "))
    #expect(!report.text(isColoured: false, isTerminal: true).contains("  from log "))
    let rest = 4095 - report.commandFromLog!.utf8.count - 1
    report.arguments.append(String(repeating: "a", count: rest))
    #expect(report.commandFromLog?.utf8.count == 4095)
    report.arguments[report.arguments.count - 1] += "a"
    #expect(report.commandFromLog == nil)
    #expect(!report.text(isColoured: false).contains("  from log "))
  }

  /// A trace that was played again has left no files.
  @Test func whatIsPlayedAgainNamesItself() {
    var report = Samples.vanished
    report.played = "their traces/12.ndjson"
    let text = report.text(isColoured: false)
    #expect(text.contains("  again      watchline replay 'their traces/12.ndjson' --against"))
    #expect(!text.contains("report.html") && !text.contains("Reproduce.swift"))
    report.played = "-"
    #expect(!report.text(isColoured: false).contains("  again "))
    report.played = TraceWord.spell(report.trace)
    #expect(!report.text(isColoured: false).contains("  from log "))
  }

  /// Where no acceptable values are told, what follows from the ends alone.
  @Test(
    arguments: [
      ("color", ["1", "2"], "  color   1            2            the same everywhere"),
      ("color", ["2", "2"], "  color   2            2            –"),
      (
        nil, ["no such record", "no such record"],
        "  timer 7   no such record   no such record   the record is there"
      ),
      (
        nil, ["the record is there", "the record is there"],
        "  timer 7   the record is there   the record is there   no such record"
      ),
      (
        nil, ["no such record", "the record is there"],
        "  timer 7   no such record   the record is there   the same everywhere"
      ),
    ] as [(String?, [String], String)])
  func whatWouldHaveBeenRight(name: String?, ends: [String], expected: String) {
    var report = Samples.lostEdit
    report.finding.field?.name = name
    report.finding.field?.record = "00000000-0000-4000-8000-000000000007"
    report.finding.field?.ends = [("phone", ends[0]), ("watch", ends[1])]
    report.finding.field?.acceptable = []
    let line = report.text(isColoured: false).split(separator: "\n")
      .first { $0.hasPrefix(expected) }
    #expect(line?.hasSuffix("✗") == true, "\(report.text(isColoured: false))")
  }

  @Test func aDifferenceIsShown() {
    let text = Samples.twice.text(isColoured: false)
    #expect(text.contains("line 17 of what was done differs\n  first run    watch got seq 2\n"))
    #expect(text.contains("  second run   had ended\n"))
    #expect(text.contains("\n     01:35.560  watch   takes in"))
  }

  @Test func colourIsAllThatColourChanges() {
    for (_, report) in Samples.all {
      let plain = report.text(isColoured: false)
      #expect(!plain.contains("\u{1B}"))
      let coloured = report.text(isColoured: true)
      #expect(coloured != plain)
      #expect(coloured.replacing(#/\u{1B}\[[0-9;]*m/#, with: "") == plain)
    }
  }

  /// Nothing acts on the terminal, and only what is to be copied is wider than it.
  @Test func anyTextIsHarmless() {
    for seed in 1...150 as ClosedRange<UInt64> {
      var random = RandomReport(seed: seed)
      let text = random.report().text(isColoured: false)
      #expect(
        !text.unicodeScalars.contains { scalar in
          scalar != "\n" && (scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value))
            || (0x202A...0x202E).contains(scalar.value)
        }, "seed \(seed)")
    }
    for (_, report) in Samples.all {
      for line in report.text(isColoured: false).split(separator: "\n") where line.count > 80 {
        #expect(
          line.contains("watchline replay") || line.contains("watchline studio"), "\(line)")
      }
    }
  }
}
