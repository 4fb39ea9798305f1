import Foundation
import Testing

/// That what the documents for people name is there.
@Suite struct DocumentPathTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private static let documents: [String] = {
    let pages =
      (try? FileManager.default.contentsOfDirectory(
        atPath: root.appending(path: "Documentation").path)) ?? []
    return ["README.md", "CONTRIBUTING.md"]
      + pages.filter { $0.hasSuffix(".md") }.sorted().map { "Documentation/\($0)" }
  }()

  private static let top = Set(
    (try? FileManager.default.contentsOfDirectory(atPath: root.path)) ?? [])

  private static func isThere(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: root.appending(path: path).path)
  }

  /// What a document names that is to be there, from the root of the repository: links that lead to no other
  /// site, relative to the document, and the first words in backquotes that look like paths. Blocks of code
  /// show what is typed and answered, and name no paths of ours.
  static func paths(in text: String, at document: String) -> [String] {
    let text = text.replacing(/(?ms)^```.*?^```$/, with: "")
    let folder = document.split(separator: "/").dropLast().map { "\($0)/" }.joined()
    let links = text.matches(of: /\]\(([^)#]+)(#[^)]*)?\)/).map { String($0.output.1) }
      .filter { !$0.contains("://") }
      .map { $0.hasPrefix("../") && !folder.isEmpty ? String($0.dropFirst(3)) : folder + $0 }
    let words = text.matches(of: /`([^`\s]+)[^`]*`/).map { String($0.output.1) }
      .filter { word in
        // Not what a build makes, what a machine has, or an option.
        if word.hasPrefix(".") || word.hasPrefix("/") || word.hasPrefix("-") { return false }
        let first = word.split(separator: "/").first.map { String($0) } ?? ""
        return top.contains(first) || word.wholeMatch(of: /[\w+.-]+(\/[\w+.-]+)+/) != nil
          || word.wholeMatch(of: /[A-Z][A-Z-]+\.md/) != nil
      }
    return links + words
  }

  @Test(arguments: documents) func namesNothingThatIsNotThere(_ document: String) throws {
    let text = String(
      decoding: try Data(contentsOf: Self.root.appending(path: document)), as: UTF8.self)
    let missing = Self.paths(in: text, at: document).filter { !Self.isThere($0) }
    #expect(missing == [], "\(document) names what is not there")
  }

  @Test func findsWhatIsNamed() {
    let text = """
      See [a page](Load.md#figures), [another](../README.md) and [a site](https://example.org/x).
      `ci/test --filter X` runs; `Sources/None.swift` and `OTHER.md` are named, `.build/x`, `/proc/1`,
      `name=value`, `--json` and `a/b|c` are not. `Tests` is a folder, `src/main.c` looks like a path.
      ```sh
      cat `Tools/None`
      ```
      """
    #expect(
      Self.paths(in: text, at: "Documentation/Page.md") == [
        "Documentation/Load.md", "README.md", "ci/test", "Sources/None.swift", "OTHER.md", "Tests",
        "src/main.c",
      ])
    #expect(!Self.isThere("Sources/None.swift") && Self.isThere("ci/test"))
  }

  /// What a newcomer reads first is short: the tour is in the folder of documents.
  @Test func theFirstPageIsShort() throws {
    let bytes = try Data(contentsOf: Self.root.appending(path: "README.md"))
    #expect(bytes.count { $0 == 0x0A } <= 150)
  }

  /// The page for contributors names most of the tree; fewer paths than this would mean that they are no
  /// longer found.
  @Test func theContributorsPageIsRead() throws {
    let text = String(
      decoding: try Data(contentsOf: Self.root.appending(path: "CONTRIBUTING.md")), as: UTF8.self)
    #expect(Self.paths(in: text, at: "CONTRIBUTING.md").count > 100)
  }
}
