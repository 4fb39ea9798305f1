/// What the words after a command may be.
package struct Syntax: Sendable {
  package let name: String
  /// One sentence.
  package let summary: String
  /// The words that are no options, as the first line of the help shows them; empty for none.
  package let operands: String
  /// How many such words there may be.
  package let maximumOperands: Int
  package let options: [Option]
  /// What else `--help` says.
  package let notes: String

  package init(
    name: String, summary: String, operands: String = "", maximumOperands: Int = 0,
    options: [Option], notes: String = ""
  ) {
    self.name = name
    self.summary = summary
    self.operands = operands
    self.maximumOperands = maximumOperands
    self.options = options + [Option("help", "print this and leave")]
    self.notes = notes
  }

  /// The command as it is typed.
  var command: String { name.isEmpty ? "watchline" : "watchline \(name)" }

  /// What `--help` prints.
  package var help: String {
    let usage = [command, "[OPTION …]", operands].filter { !$0.isEmpty }.joined(separator: " ")
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
  /// What is said where the value is missing: the values that there are.
  let missing: String?

  package init(_ name: String, value: String? = nil, _ help: String, missing: String? = nil) {
    self.name = name
    self.value = value
    self.help = help
    self.missing = missing
  }

  var usage: String { "--\(name)" + (value.map { " \($0)" } ?? "") }
}
