import Foundation
import MutantFiles
import Testing

/// That every clause of the protocol has something that fails where its promises are broken.
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

  @Test func everyClauseIsKept() throws {
    let table = try PromiseTable(try Self.text("Tools/Mutants/PROMISES.txt"))
    let judges = try Self.sources("Tools/Simulation")
    var tests: [String: String] = [:]
    let complaints = table.complaints(of: try Self.text("Protocol/PROTOCOL.md")) { evidence in
      switch evidence {
      case .judge(let word): return judges.contains("\"\(word)\"")
      case .dialogue(let name): return Self.has("Protocol/transcripts/\(name).ndjson")
      case .fault(let id): return Self.has("Tools/Mutants/\(id).mutant")
      case .test(let name):
        let parts = name.split(separator: "/").map { String($0) }
        guard parts.count == 2 else { return false }
        if tests[parts[0]] == nil { tests[parts[0]] = try? Self.sources("Tests/\(parts[0])") }
        return tests[parts[0]]?.contains("func \(parts[1])(") == true
      }
    }
    #expect(complaints == [])
    #expect(table.promises.count > 150)
  }

  @Test func theTableForPeopleIsOfToday() throws {
    let table = try PromiseTable(try Self.text("Tools/Mutants/PROMISES.txt"))
    #expect(
      try Self.text("Tools/Mutants/PROMISES.md")
        == table.markdown(of: try Self.text("Protocol/PROTOCOL.md")),
      "watchline mutants --promises writes it")
  }

  private static let document = """
    # A protocol

    ## 1 Lines

    A line ends
    with LF. It is short.

    ### 1.1 More

    Nothing.
    """

  private static func complaints(_ table: String) throws -> [String] {
    try PromiseTable(table).complaints(of: document) { $0 == .judge("good") || $0 == .fault("M01") }
  }

  @Test func whatIsMissingIsSaid() throws {
    let whole = "# all\n1 A line ends with LF.\n  judge good\n  fault M01\n1.1 none it is a test\n"
    #expect(try Self.complaints(whole) == [])
    #expect(
      try Self.complaints("1 A line ends with LF.\n  judge good\n") == ["clause 1.1 has no row"])
    #expect(
      try Self.complaints(whole.replacing("ends with", with: "ends in"))
        == ["clause 1 does not say: A line ends in LF."])
    #expect(
      try Self.complaints(whole.replacing("good", with: "bad"))
        == ["there is no judge bad (clause 1)"])
    #expect(
      try Self.complaints(whole.replacing("  judge good\n", with: ""))
        == ["nothing fails where this is broken: A line ends with LF."])
    #expect(
      try Self.complaints(whole + "2 More.\n  judge good\n") == ["there is no clause 2"])
  }

  @Test(arguments: ["1 A line.\n  juge good", "  judge good", "1 A line.\n  judge", "1"])
  func whatCannotBeReadIsSaid(_ text: String) {
    #expect(throws: MutantFault.self) { try PromiseTable(text) }
  }
}
