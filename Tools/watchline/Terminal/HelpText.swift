internal import Wire

/// The server's `help` as text for a person.
enum HelpText {
  /// A line of help as text; nil where it is another line.
  ///
  /// - Parameter line: without LF.
  static func text(_ line: UnsafeRawBufferPointer) -> String? {
    guard let members = try? Members(line), members.string("type") == "help" else { return nil }
    if let topic = members.string("topic") {
      let example = example(members).map { "\n      \($0)" } ?? ""
      return "\(topic): \(members.string("summary") ?? "")\(example)"
    }
    if let member = members.string("member") {
      var parts = [members.string("is") ?? ""]
      if members.flag("required") == true { parts.append("required") }
      if let standard = members.raw("default") {
        parts.append("\(String(decoding: standard, as: UTF8.self)) where left out")
      }
      return "  \(member) (\(parts.joined(separator: "; "))): \(members.string("text") ?? "")"
    }
    if let errors = members.raw("errors") {
      let list = String(decoding: errors, as: UTF8.self).filter { !"[]".contains($0) }
      return "  errors: \(list.split(separator: ",").joined(separator: ", "))"
    }
    for name in ["session", "answer", "counterpart"] {
      if let text = members.string(name) { return "  \(name): \(text)" }
    }
    if let example = example(members) { return "  example: \(example)" }
    return members.string("text")
  }

  /// As it is typed: words, or the JSON line.
  private static func example(_ members: Members) -> String? {
    members.string("example")
      ?? members.raw("example").map { String(decoding: $0, as: UTF8.self) }
  }
}
