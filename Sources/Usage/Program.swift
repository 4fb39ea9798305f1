/// A program: its own command line and those of its subcommands.
package struct Program: Sendable {
  package let syntax: Syntax
  package let subcommands: [Syntax]
  package let version: String
  /// The part of the manual that it belongs to: 1 for commands, 8 for servers.
  package let section: Int

  package init(syntax: Syntax, subcommands: [Syntax] = [], version: String, section: Int) {
    self.syntax = syntax
    self.subcommands = subcommands
    self.version = version
    self.section = section
  }

  /// What every program tells about itself, besides `--help`.
  package static let options = [
    Option("version", "print the version and leave"),
    Option("man", "print the manual page, for man -l - or a package, and leave"),
    Option(
      "completion", value: "SHELL", "print what Tab completes, for bash, zsh or fish, and leave",
      among: Shell.allCases.map(\.rawValue)),
  ]

  /// What is printed for `--help` and the options above; nil where none of them is given.
  package func answer(_ arguments: Arguments) -> String? {
    if arguments.has("help") { return help }
    if arguments.has("version") { return "\(syntax.program) \(version)" }
    if arguments.has("man") { return ManualPage(self).text }
    return arguments.string("completion").flatMap(Shell.init)?.completion(of: self)
  }

  /// The program's help, with a line for each subcommand.
  package var help: String {
    guard !subcommands.isEmpty else { return syntax.help }
    let width = subcommands.map(\.name.count).max() ?? 0
    let lines = subcommands.map { subcommand in
      let gap = String(repeating: " ", count: width - subcommand.name.count + 2)
      return "  \(subcommand.name)\(gap)\(subcommand.summary)"
    }
    return syntax.help + "\n\nSubcommands (each has a --help of its own):\n"
      + lines.joined(separator: "\n")
  }
}
