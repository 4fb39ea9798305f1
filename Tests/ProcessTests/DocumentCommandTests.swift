import Foundation
import Testing

extension ProcessTests {
  /// That commands in the documents for people can be typed: each has the options that it is shown with, and what is named
  /// without a command some command has.
  @Suite struct DocumentCommandTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()

    private static let documents: [String] = {
      let pages =
        (try? FileManager.default.contentsOfDirectory(
          atPath: root.appending(path: "Documentation").path)) ?? []
      return ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "Protocol/TRACES.md"]
        + pages.filter { $0.hasSuffix(".md") }.sorted().map { "Documentation/\($0)" }
    }()

    /// A command as a document shows it.
    struct Shown: Hashable {
      /// `watchline-server`, or `watchline` with a subcommand.
      var command: String
      var option: String
    }

    /// The options of our programs in backquotes and in blocks of code. A line that ends with a backslash goes on in
    /// the next one; a pipe, a semicolon and what a quotation holds end a command.
    static func options(in text: String) -> Set<Shown> {
      let text = text.replacing(/\\\n\s*/, with: " ")
      let blocks = text.matches(of: /(?ms)^```.*?$(.*?)^```$/).flatMap {
        $0.output.1.split(separator: "\n").map { String($0) }
      }
      let spans = text.replacing(/(?ms)^```.*?^```$/, with: "").matches(of: /`([^`]+)`/).map {
        $0.output.1.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      }
      var found: Set<Shown> = []
      for line in blocks + spans {
        for part in line.split(whereSeparator: { "|;&'\"".contains($0) }) {
          guard let match = part.firstMatch(of: /(?:^|[\s\/])(watchline(?:-server)?) +(.*)/) else {
            continue
          }
          let words = match.output.2.split(separator: " ").map { String($0) }
          var command = String(match.output.1)
          if command == "watchline" {
            guard let first = words.first, first.wholeMatch(of: /[a-z-]+/) != nil,
              !first.hasPrefix("-")
            else { continue }
            command += " \(first)"
          }
          for word in words {
            guard let option = word.firstMatch(of: /^\[?(--[a-z][a-z-]*)/) else { continue }
            found.insert(Shown(command: command, option: String(option.output.1)))
          }
        }
      }
      return found
    }

    /// What a text names without a command.
    static func bareOptions(in text: String) -> Set<String> {
      let text = text.replacing(/(?ms)^```.*?^```$/, with: "")
      return Set(text.matches(of: /`\[?(--[a-z][a-z-]*)[^`]*`/).map { String($0.output.1) })
    }

    private static func text(_ path: String) throws -> String {
      String(decoding: try Data(contentsOf: root.appending(path: path)), as: UTF8.self)
    }

    private static func optionsOf(_ command: String, _ scratch: Scratch) throws -> Set<String> {
      let words = command.split(separator: " ").map { String($0) }
      let program = try Program(
        ["\(Program.products)/\(words[0])"] + words.dropFirst() + ["--help"], in: scratch)
      #expect(try program.exitCode() == 0, "there is no \(command)")
      return Set(program.output.matches(of: /--[a-z][a-z-]*/).map { String($0.output) })
    }

    @Test func documentsShowOptionsThatThereAre() throws {
      let scratch = try Scratch()
      let program = try Program(["\(Program.products)/watchline", "--help"], in: scratch)
      #expect(try program.exitCode() == 0)
      var commands = ["watchline-server", "watchline"]
      commands += program.output.matches(of: #/(?m)^  ([a-z][a-z-]*)  /#).map {
        "watchline \($0.output.1)"
      }
      #expect(commands.count > 15)
      var helps: [String: Set<String>] = [:]
      for command in commands { helps[command] = try Self.optionsOf(command, scratch) }
      let ci = try FileManager.default.contentsOfDirectory(
        atPath: Self.root.appending(path: "ci").path
      ).map { try Self.text("ci/\($0)") }.joined()
      let any = helps.values.reduce(
        into: Set(ci.matches(of: /--[a-z][a-z-]*/).map { String($0.output) })
      ) {
        $0.formUnion($1)
      }
      var count = 0
      for document in Self.documents {
        let text = try Self.text(document)
        for shown in Self.options(in: text) {
          count += 1
          #expect(
            helps[shown.command]?.contains(shown.option) == true,
            "\(document) shows \(shown.command) with \(shown.option)")
        }
        #expect(Self.bareOptions(in: text).subtracting(any) == [], "\(document)")
      }
      #expect(count > 60)
    }

    @Test func findsWhatIsShown() {
      let text = """
        Type `watchline generate
        --world server`, `--seeds 1..2` or `watchline --help`.
        ```
        $ A=1 .build/release/watchline-server --listen 127.0.0.1:0 \\
            --data x | tee --append y
        $ watchline fuzz --against command:'python3 x.py --own' [--json]
        ```
        """
      #expect(
        Self.options(in: text) == [
          Shown(command: "watchline generate", option: "--world"),
          Shown(command: "watchline-server", option: "--listen"),
          Shown(command: "watchline-server", option: "--data"),
          Shown(command: "watchline fuzz", option: "--against"),
        ])
      #expect(Self.bareOptions(in: text) == ["--seeds"])
    }
  }
}
