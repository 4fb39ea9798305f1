internal import Wire

/// What Tab makes of the word before the cursor.
package struct Completion: Equatable {
  /// How many characters before the cursor are replaced.
  package var replaced: Int
  /// What replaces them: as much as all candidates share, and what follows a sole one.
  package var text: String
  /// All that it may become, in the order of the alphabet; more than one is worth a list.
  package var candidates: [String]

  /// - Parameter line: the line up to the cursor.
  /// - Returns: nil where nothing is known that fits.
  package init?(_ line: String) {
    let isJSON = line.first { !$0.isWhitespace } == "{"
    guard let place = isJSON ? Self.inJSON(line) : Self.inWords(line) else { return nil }
    self.init(prefix: place.prefix, names: place.names, suffix: place.suffix)
  }

  /// - Parameters:
  ///   - prefix: what has been typed of a name.
  ///   - names: those that there are.
  ///   - suffix: what follows a whole one.
  package init?(prefix: String, names: [String], suffix: String) {
    let fitting = names.filter { $0.hasPrefix(prefix) }.sorted()
    guard let first = fitting.first else { return nil }
    candidates = fitting
    replaced = prefix.count
    text = fitting.count == 1 ? first + suffix : Self.sharedPrefix(fitting)
  }

  /// What has been typed of a name, the names that there are, and what follows a whole one.
  private struct Place {
    var prefix: String
    var names: [String]
    var suffix: String
  }

  /// `word name=value …`
  private static func inWords(_ line: String) -> Place? {
    let words = line.split(omittingEmptySubsequences: true) { $0 == " " || $0 == "\t" }
    let isAtNewWord = line.last.map { $0 == " " || $0 == "\t" } ?? true
    let current = isAtNewWord ? "" : String(words.last ?? "")
    let before = isAtNewWord ? words[...] : words.dropLast()
    guard let request = before.first else {
      return Place(prefix: current, names: requests, suffix: " ")
    }
    if request == "help", before.count == 1 {
      return Place(prefix: current, names: topics, suffix: "")
    }
    if let equals = current.firstIndex(of: "=") {
      let names = values(of: String(current[..<equals]), in: String(request))
      guard !names.isEmpty else { return nil }
      return Place(
        prefix: String(current[current.index(after: equals)...]), names: names, suffix: " ")
    }
    let given = Set(before.compactMap { $0.split(separator: "=").first.map(String.init) })
    // The word itself is the type.
    let names = members(of: String(request)).filter { $0 != "type" && !given.contains($0) }
    return Place(prefix: current, names: names, suffix: "=")
  }

  /// `{"name":"value", …`: the string that is open at the cursor.
  private static func inJSON(_ line: String) -> Place? {
    guard let quote = line.lastIndex(of: "\""), line.count(where: { $0 == "\"" }) % 2 == 1 else {
      return nil
    }
    let prefix = String(line[line.index(after: quote)...])
    let before = String(line[..<quote].filter { !$0.isWhitespace })
    let request = requests.first { before.contains("\"type\":\"\($0)\"") } ?? ""
    if before.hasSuffix("{") || before.hasSuffix(",") {
      let given = members(of: request).filter { before.contains("\"\($0)\":") }
      let names = members(of: request).filter { !given.contains($0) }
      return Place(prefix: prefix, names: names, suffix: "\":")
    }
    if before.hasSuffix("\"type\":") { return Place(prefix: prefix, names: requests, suffix: "\"") }
    for key in members(of: request) where before.hasSuffix("\"\(key)\":") {
      let names = values(of: key, in: request).filter { $0 != "true" && $0 != "false" }
      return names.isEmpty ? nil : Place(prefix: prefix, names: names, suffix: "\"")
    }
    return nil
  }

  private static func sharedPrefix(_ names: [String]) -> String {
    var shared = names[0]
    for name in names.dropFirst() {
      while !name.hasPrefix(shared) { shared.removeLast() }
    }
    return shared
  }

  // MARK: What there is

  private static let requests = Request.allCases.map(\.rawValue)

  /// What help explains.
  private static let topics =
    requests + MessageDescription.events.map(\.name) + KnobDescription.all.map(\.key.rawValue)
    + ErrorCode.allCases.map(\.name) + ["lanes", "sync", "knobs", "errors", "events"]

  private static func description(_ request: String) -> MessageDescription? {
    MessageDescription.requests.first { $0.name == request }
  }

  /// The members of a request; of an unknown one all that there are.
  private static func members(of request: String) -> [String] {
    description(request).map { ["type"] + $0.allMembers.map(\.name) }
      ?? Key.allCases.map(\.rawValue)
  }

  /// The values of a member that has few; none where it has many.
  private static func values(of member: String, in request: String) -> [String] {
    let found = (description(request).map { [$0] } ?? MessageDescription.requests).lazy
      .flatMap(\.allMembers).first { $0.name == member }
    return found.map { words($0.type) } ?? []
  }

  private static func words(_ type: MemberType) -> [String] {
    switch type {
    case .words(let words): words
    case .boolean, .flag: ["true", "false"]
    case .either(let types): types.flatMap(words)
    default: []
    }
  }
}
