import Foundation
import Testing

extension ProcessTests {
  /// What the programs say of themselves to others: the manual, and shells that complete by Tab.
  @Suite struct ShellTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static let programs = ["watchline", "watchline-server"]

    private func output(_ arguments: [String]) throws -> String {
      let program = try Program(arguments, in: scratch)
      let code = try program.exitCode()
      #expect(code == 0, "\(arguments): \(program.errors)")
      return program.output
    }

    /// Writes what a shell is to read.
    private func completion(of program: String, _ shell: String, as name: String) throws -> String {
      let path = scratch.path + "/" + name
      let text = try output([Program.products + "/" + program, "--completion", shell])
      try text.write(toFile: path, atomically: true, encoding: .utf8)
      return path
    }

    /// The words before the cursor, and what it offers: subcommands, options, choices, files and folders.
    private static let offers: [([String], Set<String>)] = [
      (["watchline", "fuz"], ["fuzz", "fuzz-wire"]),
      (["watchline", "connect", "--ro"], ["--role"]),
      (["watchline", "connect", "--role", ""], ["phone", "watch"]),
      (["watchline", "token", "r"], ["revoke", "rotate"]),
      (["watchline", "replay", "one"], ["one.ndjson"]),
      (["watchline", "check", "--schema", "o"], ["one.ndjson", "other"]),
      (["watchline-server", "--clock", ""], ["manual", "real"]),
      (["watchline-server", "--allow"], ["--allow-anonymous", "--allow-unsynced"]),
      (["watchline-server", "--data", "o"], ["other"]),
    ]

    private func fill() throws {
      try "".write(toFile: scratch.path + "/one.ndjson", atomically: true, encoding: .utf8)
      try FileManager.default.createDirectory(
        atPath: scratch.path + "/other", withIntermediateDirectories: false)
    }

    @Test func bashCompletes() throws {
      try fill()
      let more = (["watchline", "connect", "--role", "=", "ph"], Set(["phone"]))
      for (words, offered) in Self.offers + [more] {
        let file = try completion(of: words[0], "bash", as: "completion.bash")
        let script = """
          set -u; cd "$1"; source "$2"; shift 2
          COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
          "_${1//-/_}"; printf '%s\\n' "${COMPREPLY[@]}"
          """
        let said = try output(["bash", "-c", script, "bash", scratch.path, file] + words)
        #expect(Set(said.split(separator: "\n").map(String.init)) == offered, "\(words)")
      }
    }

    @Test func fishCompletes() throws {
      try fill()
      for (words, offered) in Self.offers {
        let file = try completion(of: words[0], "fish", as: "completion.fish")
        let line = words.joined(separator: " ")
        let script = "cd \(scratch.path); source \(file); complete -C '\(line)'"
        let said = try output(["env", "HOME=\(scratch.path)", "fish", "-c", script])
        // What it offers, a tab, and why. Folders end with a slash there.
        let found = said.split(separator: "\n").map { line in
          String(line.prefix { $0 != "\t" }.trimmingSuffix("/"))
        }
        #expect(Set(found) == offered, "\(words)")
      }
    }

    /// At a terminal of its own, since zsh completes nowhere else: Tab, and then what was typed is told.
    @Test(arguments: [
      ("watchline stu\t", "studio"), ("watchline connect --role ph\t", "connect --role phone"),
      ("watchline token ro\t", "token rotate"), ("watchline replay on\t", "replay one.ndjson"),
      ("watchline-server --clo\tman\t", "--clock=manual"),
      ("watchline-server --data ot\t", "--data other"),
    ]) func zshCompletes(_ typed: String, _ told: String) throws {
      try fill()
      for program in Self.programs { _ = try completion(of: program, "zsh", as: "_\(program)") }
      let script = """
        cd "$1"
        zmodload zsh/zpty
        zpty shell zsh -f -i
        zpty -w shell "fpath=($1 \\$fpath); autoload -Uz compinit; compinit -u -D"
        zpty -w shell 'watchline() { print told $* }; watchline-server() { print told $* }'
        zpty -w -n shell "$2"$'\\n'
        zpty -w shell exit
        while zpty -r shell line; do print -r -- $line; done
        """
      let said = try output(["zsh", "-c", script, "zsh", scratch.path, typed])
      #expect(said.split(whereSeparator: \.isNewline).contains("told \(told)"), "\(said)")
    }

    /// What is missing is said by a sentence with a way out.
    @Test func missingPrerequisitesAreNamed() throws {
      let script = #filePath.replacing(
        "Tests/ProcessTests/ShellTests.swift", with: "ci/install-deps")
      let folder = scratch.path + "/bin"
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: false)
      func run() throws -> (code: Int, errors: String) {
        let program = try Program(["env", "PATH=\(folder)", "/bin/bash", script], in: scratch)
        return (try program.exitCode(), program.errors)
      }
      var (code, errors) = try run()
      #expect(code == 1 && errors.contains("swift.org/install"), "\(errors)")
      try FileManager.default.createSymbolicLink(
        atPath: folder + "/swift", withDestinationPath: "/bin/true")
      (code, errors) = try run()
      #expect(code == 1 && errors.contains("wants Debian 12"), "\(errors)")
      #expect(errors.split(separator: "\n").count == 1)
    }

    /// A page that the formatter has nothing against, with each option of each subcommand.
    @Test(arguments: programs) func theManualIsWhole(_ program: String) throws {
      let command = Program.products + "/" + program
      let page = scratch.path + "/\(program).man"
      try output([command, "--man"]).write(toFile: page, atomically: true, encoding: .utf8)
      let lint = try Program(["mandoc", "-T", "lint", "-W", "warning", page], in: scratch)
      _ = try lint.exitCode()
      let faults = lint.output.split(separator: "\n").filter { !$0.contains("missing date") }
      #expect(faults.isEmpty)
      let shown = try output(["mandoc", "-T", "utf8", "-O", "width=200", page])
        .replacing(/.\u{8}/, with: "")
      var helps = [try output([command, "--help"])]
      if program == "watchline" {
        let names = try output([command, "--completion", "fish"]).matches(
          of: /use_subcommand -a ([a-z-]+)/
        ).map { String($0.1) }
        #expect(names.count > 10)
        helps += try names.map { try output([command, $0, "--help"]) }
      }
      for help in helps {
        for option in help.matches(of: /\n  (--[a-z-]+)/) where option.1 != "--help" {
          #expect(shown.contains(option.1), "\(option.1)")
        }
      }
    }
  }
}

extension Substring {
  fileprivate func trimmingSuffix(_ suffix: String) -> Substring {
    hasSuffix(suffix) ? dropLast(suffix.count) : self
  }
}
