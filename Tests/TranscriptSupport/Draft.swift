/// Writes the `receive` steps of a transcript from what a server answers, for a person to check.
///
/// The draft is a transcript in which only the rest needs to be there; steps that receive are
/// made anew. What differs from store to store becomes `…` or a `$name`; so does an error's
/// message, of which `"messages":"facts"` in the first line keeps offsets, sizes, key paths and
/// suggestions, `"messages":"names"` its first word too, and `"messages":"all"` everything. An answer
/// to `activate` keeps its type, correlation and store alone, unless the first line has
/// `"full":true`; one to `help` its topic. Of merged records, what is drawn from the store's identity
/// is bound: ids of records as `$r…`, replicas of the server as `$d…`.
package struct Draft<Server: TranscriptServer> {
  private var server: Server
  private var bindings = Bindings()
  private var links: [(name: String, number: Int)] = []
  private var kept = ""
  private var isFull = false
  private var output: [String] = []

  package init(_ server: Server) { self.server = server }

  /// The text of the finished transcript.
  package mutating func complete(_ text: String) throws -> String {
    let lines = text.split(separator: "\n").map(String.init)
    let head = try JSONReader.read(Array(lines[0].utf8))
    kept = head["messages"]?.string ?? ""
    isFull = head["full"]?.bool ?? false
    output = [lines[0]]
    for line in lines.dropFirst() {
      let step = try JSONReader.read(Array(line.utf8))
      if step["receive"] != nil { continue }
      let name = step["on"]?.string
      if step["send"] != nil || step["bytes"] != nil || step["end"] != nil {
        try open(name!, isShown: false)
      }
      if step["open"] == nil { output.append(line) }
      switch try Transcript.action(step) {
      case .open(let name): try open(name, isShown: true)
      case .send(let name, let text):
        try server.send(Array(bindings.substitute(text).utf8) + [0x0A], on: link(name)!)
      case .bytes(let name, let bytes): try server.send(bytes, on: link(name)!)
      case .end(let name): try server.end(link(name)!)
      case .close(let name):
        try server.close(link(name)!)
        links.removeAll { $0.name == name }
      case .closed(let name): links.removeAll { $0.name == name }
      case .quiet(let name):
        // As the runner does it, so that the lines' numbers agree.
        try server.send(Array("{\"type\":\"ping\",\"id\":0}\n".utf8), on: link(name)!)
        _ = try server.nextLine(on: link(name)!)
      case .receive: break
      case .restart: try server.restart()
      case .kill:
        try server.kill()
        links = []
      }
      try receive(first: name)
    }
    return output.joined(separator: "\n") + "\n"
  }

  private func link(_ name: String) -> Int? { links.first { $0.name == name }?.number }

  private mutating func open(_ name: String, isShown: Bool) throws {
    if let number = link(name) {
      guard try server.isClosed(number) || isShown else { return }
      links.removeAll { $0.name == name }
    }
    links.append((name, try server.open()))
    if isShown {
      output.append("{\"on\":\"\(name)\",\"open\":true}")
    } else {
      _ = try server.nextLine(on: links.last!.number)
    }
  }

  private mutating func receive(first name: String?) throws {
    let order = links.filter { $0.name == name } + links.filter { $0.name != name }
    for link in order {
      while let line = try server.nextLine(on: link.number) {
        let expected = shape(try JSONReader.read(line))
        output.append("{\"on\":\"\(link.name)\",\"receive\":\(expected)}")
      }
    }
  }

  /// A line as a transcript expects it.
  private mutating func shape(_ line: JSON) -> String {
    guard case .object(let members) = line, let type = line["type"]?.string else { return "{}" }
    let isShort = type == "help" || (type == "activationDidComplete" && !isFull)
    var shown: [String] = []
    for member in members {
      let value: String
      switch member.name {
      case "server" where type == "hello", "session": value = "\"…\""
      case "store":
        bindings.bind("store", member.value)
        value = "\"$store\""
      case "message": value = JSON.string(pattern(member.value.string ?? "")).spelling
      case "id" where type.hasPrefix("didReceiveMessage"):
        value = "\"$\(bindings.name(of: member.value, prefix: "m"))\""
      case "transfer": value = "\"$\(bindings.name(of: member.value, prefix: "t"))\""
      case "error": value = hideMessage(member.value)
      case "transfers": value = hideTransfers(member.value)
      case "schemaDigest", "viewDigest", "piece": value = "\"…\""
      default: value = type.hasPrefix("sync.") ? shownRecord(member) : member.text
      }
      let isLeftOut = isShort && !["type", "re", "of", "store", "topic"].contains(member.name)
      if !isLeftOut { shown.append("\"\(member.name)\":\(value)") }
    }
    if isShort { shown.append("\"…\":\"…\"") }
    return "{" + shown.joined(separator: ",") + "}"
  }

  /// What a transcript holds an error's message to.
  private func pattern(_ message: String) -> String {
    if kept == "all" { return message.replacing(Self.drawn, with: "…") }
    var facts: [String] = []
    if kept == "names", let word = message.split(separator: " ").first { facts = [String(word)] }
    if !kept.isEmpty {
      let known =
        /byte \d+\b|did you mean \w+|has \d+ |limit is \d+|payload[.\w\[\]]+|send \d+ next/
      facts += message.matches(of: known).map { String($0.output) }
    }
    return facts.isEmpty ? "…" : "…" + facts.joined(separator: "…") + "…"
  }

  /// An id that the server has drawn from its store's identity.
  private static var drawn: Regex<Substring> {
    /[0-9A-F]{8}-[0-9A-F]{4}-8[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}/
  }

  /// A member of a line about merged records, with names in place of what was drawn.
  private mutating func shownRecord(_ member: JSON.Member) -> String {
    guard member.text.contains(Self.drawn) else { return member.text }
    return shownRecord(member.value)
  }

  private mutating func shownRecord(_ value: JSON) -> String {
    switch value {
    case .string(let text):
      let rest = text.replacing(Self.drawn, with: "")
      if rest.isEmpty { return "\"$\(bindings.name(of: value, prefix: "r"))\"" }
      if rest == ".0" { return "\"$\(bindings.name(of: value, prefix: "d"))\"" }
      return JSON.string(text.replacing(Self.drawn, with: "…")).spelling
    case .array(let elements):
      var texts: [String] = []
      for element in elements { texts.append(shownRecord(element)) }
      return "[" + texts.joined(separator: ",") + "]"
    case .object(let members):
      if members.contains(where: { $0.name.contains(Self.drawn) }) { return "\"…\"" }
      var texts: [String] = []
      for member in members { texts.append("\"\(member.name)\":\(shownRecord(member))") }
      return "{" + texts.joined(separator: ",") + "}"
    default: return value.spelling
    }
  }

  private func hideMessage(_ error: JSON) -> String {
    guard case .object(let members) = error else { return error.spelling }
    return "{"
      + members.map { "\"\($0.name)\":" + ($0.name == "message" ? "\"…\"" : $0.text) }
      .joined(separator: ",") + "}"
  }

  private mutating func hideTransfers(_ transfers: JSON) -> String {
    guard case .array(let elements) = transfers else { return transfers.spelling }
    var shown: [String] = []
    for element in elements {
      guard case .object(let members) = element else { continue }
      var texts: [String] = []
      for member in members {
        let isTransfer = member.name == "transfer"
        texts.append(
          "\"\(member.name)\":"
            + (isTransfer ? "\"$\(bindings.name(of: member.value, prefix: "t"))\"" : member.text))
      }
      shown.append("{" + texts.joined(separator: ",") + "}")
    }
    return "[" + shown.joined(separator: ",") + "]"
  }
}
