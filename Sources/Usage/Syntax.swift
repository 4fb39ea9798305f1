/// What the words after a program's or a subcommand's name may be. Its help, its manual page and what a shell completes are
/// made from this.
package struct Syntax: Sendable {
  /// The program, such as `watchline`.
  package let program: String
  /// The subcommand; empty for the program itself.
  package let name: String
  /// One sentence.
  package let summary: String
  /// The words that are no options, as the first line of the help shows them; empty for none.
  package let operands: String
  /// How many such words there may be.
  package let maximumOperands: Int
  /// What the first of them may be; empty for anything.
  package let actions: [String]
  package let options: [Option]
  /// What else `--help` says: paragraphs, and examples, which are indented by two spaces.
  package let notes: String

  package init(
    program: String = "watchline", name: String, summary: String, operands: String = "",
    maximumOperands: Int = 0, actions: [String] = [], options: [Option], notes: String = ""
  ) {
    self.program = program
    self.name = name
    self.summary = summary
    self.operands = operands
    self.maximumOperands = maximumOperands
    self.actions = actions
    self.options = options + [Option("help", "print this and leave")]
    self.notes = notes
  }

  /// The command as it is typed.
  package var command: String { name.isEmpty ? program : "\(program) \(name)" }

  /// The command with what may follow it.
  package var usage: String {
    [command, "[OPTION …]", operands].filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// What `--help` prints.
  package var help: String {
    let width = options.map(\.usage.count).max() ?? 0
    let lines = options.map { option in
      "  \(option.usage)\(String(repeating: " ", count: width - option.usage.count + 2))\(option.help)"
    }
    var text = "usage: \(usage)\n\n\(summary)\n\nOptions:\n\(lines.joined(separator: "\n"))"
    if !notes.isEmpty { text += "\n\n\(notes)" }
    return text
  }
}

/// A word that starts with two dashes, with a value or without.
package struct Option: Sendable {
  /// Without the dashes.
  package let name: String
  /// What the help calls its value; nil where it takes none.
  package let value: String?
  package let help: String
  /// The values that there are; empty for any.
  package let choices: [String]
  /// What is said where the value is missing.
  let missing: String?
  /// Whether it may be given more than once.
  let repeats: Bool

  package init(
    _ name: String, value: String? = nil, _ help: String, among choices: [String] = [],
    missing: String? = nil, repeats: Bool = false
  ) {
    self.name = name
    self.value = value
    self.help = help
    self.choices = choices
    self.missing = missing
    self.repeats = repeats
  }

  var usage: String { "--\(name)" + (value.map { " \($0)" } ?? "") }
}
