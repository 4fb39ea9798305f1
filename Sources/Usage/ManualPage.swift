/// A program's help as a page of the manual, in man(7)'s macros.
struct ManualPage {
  private let program: Program
  private(set) var text = ""

  init(_ program: Program) {
    self.program = program
    let syntax = program.syntax
    let title = "\(syntax.program.uppercased()) \(program.section)"
    line(".TH \(title) \"\" \"\(syntax.program) \(program.version)\" Watchline")
    line(".SH NAME")
    // One line, as whatis(1) takes it.
    line("\(Self.escaped(syntax.program)) \\- \(Self.escaped(String(syntax.summary.dropLast())))")
    line(".SH SYNOPSIS")
    line(".B \(Self.escaped(syntax.usage))")
    line(".SH OPTIONS")
    options(of: syntax)
    if !program.subcommands.isEmpty { line(".SH SUBCOMMANDS") }
    for subcommand in program.subcommands {
      line(".SS \(Self.escaped(subcommand.usage))")
      line(Self.escaped(subcommand.summary))
      options(of: subcommand)
      notes(of: subcommand)
    }
    if !syntax.notes.isEmpty { line(".SH NOTES") }
    notes(of: syntax, isFirst: true)
    line(".SH SEE ALSO")
    let other = program.section == 1 ? ("watchline\\-server", 8) : ("watchline", 1)
    line(".BR \(other.0) (\(other.1))")
  }

  private mutating func line(_ line: String) { text += line + "\n" }

  private mutating func options(of syntax: Syntax) {
    for option in syntax.options where option.name != "help" {
      line(".TP")
      line(".B \(Self.escaped(option.usage))")
      line(Self.escaped(option.help))
    }
  }

  /// Paragraphs are filled; what is indented stays as it is.
  ///
  /// - Parameter isFirst: whether a heading is all that is above.
  private mutating func notes(of syntax: Syntax, isFirst: Bool = false) {
    var isExample = false
    var endsParagraph = !isFirst
    for note in syntax.notes.split(separator: "\n", omittingEmptySubsequences: false) {
      guard !note.isEmpty else {
        endsParagraph = true
        continue
      }
      if isExample != note.hasPrefix("  ") {
        isExample.toggle()
        if isExample { line(".PP") }
        line(isExample ? ".RS 2\n.nf" : ".fi\n.RE")
      }
      if endsParagraph { line(isExample ? "" : ".PP") }
      endsParagraph = false
      line(Self.escaped(String(isExample ? note.dropFirst(2) : note)))
    }
    if isExample { line(".fi\n.RE") }
  }

  /// A line that means itself: no request at its start, no escape in it, and dashes that can be copied.
  private static func escaped(_ line: String) -> String {
    let text = line.replacing("\\", with: "\\e").replacing("-", with: "\\-")
    return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" + text : text
  }
}
