import Foundation
import MutantFiles
import Testing

/// That every sentence of the protocol that promises something has what fails where it is broken.
@Suite struct PromiseTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private static func text(_ path: String) throws -> String {
    String(decoding: try Data(contentsOf: root.appending(path: path)), as: UTF8.self)
  }

  private static func sources(_ path: String) throws -> String {
    let paths = FileManager.default.enumerator(atPath: root.appending(path: path).path)
    var text = ""
    while let name = paths?.nextObject() as? String {
      if name.hasSuffix(".swift") { text += try Self.text("\(path)/\(name)") }
    }
    return text
  }

  private static func has(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: root.appending(path: path).path)
  }

  @Test func everySentenceIsKept() throws {
    let table = try PromiseTable(try Self.text("Tools/Mutants/PROMISES.txt"))
    let judges = try ["LaneModel", "Simulation", "WireFuzz"].map {
      try Self.sources("Tools/\($0)")
    }.joined()
    var tests: [String: String] = [:]
    // I44 is what the fuzzer promises: the same seed does the same. Of several servers the protocol says nothing: their
    // rules are those of ARCHITECTURE.md, 40.
    let faults = try MutantFileTests.mutants().filter {
      $0.invariant != "I44" && $0.worlds != ["cluster"]
    }.map(\.id)
    let document = try Self.text("Protocol/PROTOCOL.md")
    let complaints = table.complaints(of: document, faults: faults) { evidence in
      switch evidence {
      case .judge(let word): return judges.contains("\"\(word)\"")
      case .dialogue(let name): return Self.has("Protocol/transcripts/\(name).ndjson")
      case .fault: return false
      case .test(let name):
        let parts = name.split(separator: "/").map { String($0) }
        guard parts.count == 2 else { return false }
        if tests[parts[0]] == nil { tests[parts[0]] = try? Self.sources("Tests/\(parts[0])") }
        return tests[parts[0]]?.contains("func \(parts[1])(") == true
      }
    }
    #expect(complaints == [])
    #expect(table.promises.count > 700)
  }

  @Test func theTableForPeopleIsOfToday() throws {
    let table = try PromiseTable(try Self.text("Tools/Mutants/PROMISES.txt"))
    #expect(
      try Self.text("Tools/Mutants/PROMISES.md") == table.markdown,
      "watchline mutants --promises writes it")
  }

  private static let document = """
    # A protocol

    It has no number.

    ## 1 Lines

    A line ends
    with LF. It is short:

    ```
    phone → ping
    ```

    - An item.
    1. A step.

    | head | of a table |
    | --- | --- |
    | `a` | one |

    ### 1.1 More

    Nothing.
    """

  private static let whole = """
    # all
    1 A line ends with LF.
      judge good
      fault M01
    1 It is short:
      none lead
    1 An item. A step.
      judge good
    1 `a` one
      judge good
    1.1 Nothing.
      none reason

    """

  private static func complaints(_ table: String) throws -> [String] {
    try PromiseTable(table).complaints(of: document, faults: ["M01"]) { $0 == .judge("good") }
  }

  @Test func whatIsMissingIsSaid() throws {
    #expect(try Self.complaints(Self.whole) == [])
    let changes: [(of: String, to: String, complaint: String)] = [
      (
        "LF.", "CR.",
        #"clause 1 goes on "LF. It is short: An item. A step. `a` one" and the table "#
          + #""CR. It is short: An item. A step. `a` one""#
      ),
      ("  none reason\n", "  judge bad\n", "1.1 s1: there is no judge bad"),
      ("  none reason\n", "", "1.1 s1: nothing fails where this is broken: Nothing."),
      (
        "  judge good\n  fault M01\n", "  fault M01\n",
        "1 s1: nothing fails where this is broken: A line ends with LF."
      ),
      ("  fault M01\n", "", "fault M01 is against no promise"),
      ("  fault M01\n", "  fault M01\n  fault M02\n", "1 s1: there is no fault M02"),
      (
        "  none lead\n", "  none lead\n  judge good\n",
        "1 s2 promises nothing, and has what fails: It is short:"
      ),
      (
        "1.1 Nothing.\n  none reason\n", "",
        #"clause 1.1 goes on "Nothing." and the table to its end"#
      ),
      (
        "1.1 Nothing.\n", "1.1 Nothing. More.\n",
        #"clause 1.1 goes on to its end and the table "More.""#
      ),
      ("  none reason\n", "  none reason\n2 More.\n  judge good\n", "there is no clause 2"),
    ]
    for change in changes {
      let table = Self.whole.replacing(change.of, with: change.to)
      #expect(table != Self.whole)
      #expect(try Self.complaints(table) == [change.complaint])
    }
  }

  @Test(arguments: [
    "1 A line.\n  juge good", "  judge good", "1 A line.\n  judge", "1",
    "1 A line.\n  none of these",
  ])
  func whatCannotBeReadIsSaid(_ text: String) {
    #expect(throws: MutantFault.self) { try PromiseTable(text) }
  }
}
