/// The words of a command line, sorted by what they are.
///
/// `--name value` and `--name=value` are the same; `--` ends the options; `-h` is `--help`, after
/// which nothing else is looked at.
package struct Arguments: Equatable {
  package private(set) var operands: [String] = []
  private var values: [String: [String]] = [:]
  private let help: String

  /// - Throws: for an option that there is not, or that comes twice; for a value that is missing, not taken or not known;
  ///   for an operand too many, or an action that there is not.
  package init(_ words: [String], syntax: Syntax) throws(UsageError) {
    help = "\(syntax.command) --help"
    if words.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
      values["help"] = [""]
      return
    }
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "--" {
        operands += rest
        break
      }
      guard word.hasPrefix("-"), word != "-" else {
        operands.append(word)
        continue
      }
      try add(word, &rest, syntax)
    }
    guard operands.count <= syntax.maximumOperands else {
      let word = operands[syntax.maximumOperands]
      throw UsageError("unexpected \(word.isEmpty ? "empty word" : word); see \(help)")
    }
    if let action = operands.first, !syntax.actions.isEmpty, !syntax.actions.contains(action) {
      throw .unknown("action", action, among: syntax.actions, help: help)
    }
  }

  private mutating func add(
    _ word: String, _ rest: inout ArraySlice<String>, _ syntax: Syntax
  ) throws(UsageError) {
    let (given, joined) = Self.split(word)
    guard given.hasPrefix("--"),
      let option = syntax.options.first(where: { "--\($0.name)" == given })
    else {
      throw .unknown("option", given, among: syntax.options.map { "--\($0.name)" }, help: help)
    }
    guard values[option.name] == nil || option.repeats else {
      throw UsageError("\(given) is given twice")
    }
    if let placeholder = option.value {
      guard let value = joined ?? rest.popFirst() else {
        throw UsageError("\(given) needs a value: \(option.missing ?? "\(given) \(placeholder)")")
      }
      guard option.choices.isEmpty || option.choices.contains(value) else {
        let choices = option.choices.joined(separator: " or ")
        throw UsageError("\(given) is \(choices), not \(quoted(value))")
      }
      values[option.name, default: []].append(value)
    } else {
      guard joined == nil else { throw UsageError("\(given) takes no value") }
      values[option.name] = [""]
    }
  }

  private static func split(_ word: String) -> (name: String, value: String?) {
    guard word.hasPrefix("--"), let equals = word.firstIndex(of: "=") else { return (word, nil) }
    return (String(word[..<equals]), String(word[word.index(after: equals)...]))
  }

  // MARK: Values

  package func has(_ name: String) -> Bool { values[name] != nil }

  package func string(_ name: String) -> String? { values[name]?.last }

  /// All values of an option that may be given more than once, in their order.
  package func strings(_ name: String) -> [String] { values[name] ?? [] }

  package func integer(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
    guard let value = string(name) else { return nil }
    guard let number = Int(value), range.contains(number) else {
      throw UsageError(
        "--\(name) is a number from \(range.lowerBound) to \(range.upperBound), "
          + "not \(quoted(value))")
    }
    return number
  }

  /// A duration in decimal seconds.
  ///
  /// - Returns: microseconds, at most `longest` seconds and more than none.
  package func seconds(_ name: String, longest: Int) throws(UsageError) -> Int64? {
    guard let value = string(name) else { return nil }
    guard let number = Double(value), number > 0, number <= Double(longest) else {
      throw UsageError(
        "--\(name) is a number of seconds above 0 and up to \(longest), not \(quoted(value))")
    }
    return max(1, Int64(number * 1_000_000))
  }

  private func quoted(_ value: String) -> String { value.isEmpty ? "nothing" : value }
}
