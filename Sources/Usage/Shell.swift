/// A shell that completes commands by Tab.
package enum Shell: String, CaseIterable, Sendable {
  case bash, zsh, fish

  /// The file that teaches it to.
  func completion(of program: Program) -> String {
    switch self {
    case .bash: bash(program)
    case .zsh: zsh(program)
    case .fish: fish(program)
    }
  }

  /// What may stand where a value does.
  private enum Value {
    case words([String])
    case files
    case folders
    case anything

    init(_ option: Option) {
      self = option.choices.isEmpty ? Value(option.value ?? "") : .words(option.choices)
    }

    /// - Parameter placeholder: as the help has it.
    init(_ placeholder: String) {
      let names = placeholder.split { !$0.isLetter }
      if names.contains("DIR") {
        self = .folders
      } else if names.contains("FILE") || names.contains("TRACE") {
        self = .files
      } else {
        self = .anything
      }
    }
  }

  private static func operand(of syntax: Syntax) -> Value {
    syntax.actions.isEmpty ? Value(syntax.operands) : .words(syntax.actions)
  }

  /// The commands to complete: those of the subcommands, or the program's own where it has none.
  private static func commands(_ program: Program) -> [Syntax] {
    program.subcommands.isEmpty ? [program.syntax] : program.subcommands
  }

  // MARK: bash

  /// Two tables by subcommand, one of values and one of words. bash takes `--name=value` apart at the sign.
  private func bash(_ program: Program) -> String {
    let function = "_" + program.syntax.program.replacing("-", with: "_")
    func suggestion(_ value: Value) -> String {
      switch value {
      case .words(let words): #"words="\#(words.joined(separator: " "))""#
      case .files: "kind=-f"
      case .folders: "kind=-d"
      case .anything: ":"
      }
    }
    var values = ""
    var words = ""
    for syntax in Self.commands(program) {
      for option in syntax.options where option.value != nil {
        values += "    \"\(syntax.name) --\(option.name)\") \(suggestion(Value(option))) ;;\n"
      }
      let options = syntax.options.map { "--\($0.name)" }.joined(separator: " ")
      words +=
        "      \"\(syntax.name)\") options=\"\(options)\"; \(suggestion(Self.operand(of: syntax))) ;;\n"
    }
    let first = (program.subcommands.map(\.name) + program.syntax.options.map { "--\($0.name)" })
      .joined(separator: " ")
    let subcommand =
      program.subcommands.isEmpty
      ? "  local command="
      : """
        local command=${COMP_WORDS[1]}
        if [ "$COMP_CWORD" = 1 ]; then
          COMPREPLY=($(compgen -W "\(first)" -- "$current"))
          return
        fi
      """
    return """
      # What Tab completes after \(program.syntax.program), for bash.
      \(function)() {
        local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} words= kind= options=
        if [ "$current" = = ]; then
          current=
        elif [ "$previous" = = ]; then
          previous=${COMP_WORDS[COMP_CWORD - 2]}
        fi
        COMPREPLY=()
      \(subcommand)
        case "$command $previous" in
      \(values)    *)
          case "$command" in
      \(words)    esac
          [[ $current != -* ]] || { words=$options; kind=; }
          ;;
        esac
        [ -z "$words" ] || COMPREPLY=($(compgen -W "$words" -- "$current"))
        if [ -n "$kind" ]; then
          compopt -o filenames 2>/dev/null
          mapfile -t COMPREPLY < <(compgen "$kind" -- "$current")
        fi
      }
      complete -F \(function) \(program.syntax.program)
      """
  }

  // MARK: zsh

  private func zsh(_ program: Program) -> String {
    func quoted(_ text: String) -> String { "'" + text.replacing("'", with: #"'\''"#) + "'" }
    /// Text in which neither brackets nor colons mean anything.
    func plain(_ text: String) -> String {
      [#"\"#, "[", "]", ":"].reduce(text) { $0.replacing($1, with: #"\"# + $1) }
    }
    func suggestion(_ value: Value) -> String {
      switch value {
      case .words(let words): "(\(words.joined(separator: " ")))"
      case .files: "_files"
      case .folders: "_files -/"
      case .anything: " "
      }
    }
    func arguments(_ syntax: Syntax) -> String {
      var parts = syntax.options.map { option in
        let help = "[\(plain(option.help))]"
        guard let value = option.value else { return quoted("--\(option.name)\(help)") }
        let several = option.repeats ? "*" : ""
        return quoted(
          "\(several)--\(option.name)=\(help):\(plain(value)):\(suggestion(Value(option)))")
      }
      if syntax.maximumOperands > 0, !syntax.operands.isEmpty {
        let place = syntax.actions.isEmpty ? "*" : "1"
        parts.append(
          quoted("\(place):\(plain(syntax.operands)):\(suggestion(Self.operand(of: syntax)))"))
      }
      return "_arguments \\\n      " + parts.joined(separator: " \\\n      ")
    }
    let head = "#compdef \(program.syntax.program)\n"
    guard !program.subcommands.isEmpty else { return head + arguments(program.syntax) }
    let described = program.subcommands.map { quoted("\($0.name):\($0.summary)") }
    let cases = program.subcommands.map { "    \($0.name))\n      \(arguments($0))\n      ;;" }
    return head + """
      local -a subcommands=(
        \(described.joined(separator: "\n  "))
      )
      if (( CURRENT == 2 )); then
        _describe -t commands subcommand subcommands
        \(arguments(program.syntax))
      else
        local subcommand=$words[2]
        shift words
        (( CURRENT-- ))
        case $subcommand in
      \(cases.joined(separator: "\n"))
        esac
      fi
      """
  }

  // MARK: fish

  private func fish(_ program: Program) -> String {
    func quoted(_ text: String) -> String {
      "'" + text.replacing(#"\"#, with: #"\\"#).replacing("'", with: #"\'"#) + "'"
    }
    func suggestion(_ value: Value) -> String {
      switch value {
      case .words(let words): "-x -a \(quoted(words.joined(separator: " ")))"
      case .files: "-r -F"
      case .folders: "-x -a '(__fish_complete_directories)'"
      case .anything: "-x"
      }
    }
    let complete = "complete -c \(program.syntax.program)"
    var lines = [
      "# What Tab completes after \(program.syntax.program), for fish.", "\(complete) -f",
    ]
    func add(_ syntax: Syntax, where condition: String) {
      for option in syntax.options {
        let value = option.value == nil ? "" : " \(suggestion(Value(option)))"
        lines.append("\(complete)\(condition) -l \(option.name)\(value) -d \(quoted(option.help))")
      }
      switch Self.operand(of: syntax) {
      case .words(let words):
        lines.append("\(complete)\(condition) -a \(quoted(words.joined(separator: " ")))")
      case .files, .folders: lines.append("\(complete)\(condition) -F")
      case .anything: break
      }
    }
    let isFirst = program.subcommands.isEmpty ? "" : " -n __fish_use_subcommand"
    add(program.syntax, where: isFirst)
    for subcommand in program.subcommands {
      lines.append("\(complete)\(isFirst) -a \(subcommand.name) -d \(quoted(subcommand.summary))")
      add(subcommand, where: " -n '__fish_seen_subcommand_from \(subcommand.name)'")
    }
    return lines.joined(separator: "\n")
  }
}
