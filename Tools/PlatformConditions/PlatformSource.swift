/// A Swift file of an iPhone's or a watch's app, as one for Linux that compiles the same branches.
///
/// Only the triple decides what `#if os(iOS)` means, and on Linux neither a phone's branch nor a watch's is compiled.
/// So the conditions are written out, and each line stays where it is.
package struct PlatformSource {
  package enum Platform: String {
    case phone, watch

    var module: String { self == .phone ? "WatchConnectivityPhone" : "WatchConnectivityWatch" }
    var system: String { self == .phone ? "iOS" : "watchOS" }
  }

  /// Apple's systems: the one that the file is compiled for is true, the others are false.
  private static let systems = ["iOS", "watchOS", "macOS", "OSX", "tvOS", "visionOS", "xrOS"]
  /// Modules of Apple's whose names are compiled against one of this package.
  private static let logs = ["os.log", "OSLog", "os"]

  package let platform: Platform
  /// Whether the line before ended within a condition that goes on.
  private var isInCondition = false
  /// How many block comments are open, and whether a text over several lines is.
  private var comments = 0
  private var isInText = false

  package init(_ platform: Platform) { self.platform = platform }

  /// - Parameters:
  ///   - text: the file.
  ///   - path: where it lies, for the compiler's messages.
  package static func resolve(_ text: String, for platform: Platform, path: String) -> String {
    var source = PlatformSource(platform)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let quoted = path.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    return "#sourceLocation(file: \"\(quoted)\", line: 1)\n"
      + lines.map { source.resolve(line: String($0)) }.joined(separator: "\n")
  }

  private mutating func resolve(line: String) -> String {
    let isCode = comments == 0 && !isInText
    note(line)
    guard isCode else { return line }
    let start = line.drop { $0 == " " || $0 == "\t" }
    if isInCondition || start.hasPrefix("#if") || start.hasPrefix("#elseif") {
      let code = line.split(separator: "//", maxSplits: 1, omittingEmptySubsequences: false)[0]
      let end = code.last { $0 != " " && $0 != "\t" && $0 != "\r" }
      isInCondition = end == "|" || end == "&" || end == "("
      return condition(line)
    }
    if let imported = importLine(line) { return imported }
    return qualified(line)
  }

  /// Follows comments and texts, so that nothing in them is taken for code.
  private mutating func note(_ line: String) {
    var rest = Substring(line)
    while !rest.isEmpty {
      if isInText {
        guard let end = rest.range(of: "\"\"\"") else { return }
        isInText = false
        rest = rest[end.upperBound...]
      } else if comments > 0 {
        if rest.hasPrefix("*/") {
          comments -= 1
          rest = rest.dropFirst(2)
        } else if rest.hasPrefix("/*") {
          comments += 1
          rest = rest.dropFirst(2)
        } else {
          rest = rest.dropFirst()
        }
      } else if rest.hasPrefix("//") {
        return
      } else if rest.hasPrefix("/*") {
        comments += 1
        rest = rest.dropFirst(2)
      } else if rest.hasPrefix("\"\"\"") {
        isInText = true
        rest = rest.dropFirst(3)
      } else if rest.hasPrefix("\"") {
        rest = rest.dropFirst()
        while let next = rest.first, next != "\"" { rest = rest.dropFirst(next == "\\" ? 2 : 1) }
        rest = rest.dropFirst()
      } else {
        rest = rest.dropFirst()
      }
    }
  }

  private func condition(_ line: String) -> String {
    var line = line
    for system in Self.systems {
      let value = system == platform.system ? "true" : "false"
      for spelled in ["os(\(system))", "os( \(system) )"] {
        line = line.replacing(spelled, with: value)
      }
    }
    line = line.replacing("canImport(WatchKit)", with: platform == .watch ? "true" : "false")
    return line.replacing("canImport(WatchConnectivity)", with: "true")
      .replacing("canImport(os.log)", with: "true").replacing("canImport(OSLog)", with: "true")
      .replacing("canImport(os)", with: "true")
  }

  /// The line, where it imports something that has another name here.
  private func importLine(_ line: String) -> String? {
    let code = line.split(separator: "//", maxSplits: 1, omittingEmptySubsequences: false)[0]
    let words = code.split { $0 == " " || $0 == "\t" || $0 == "\r" || $0 == ";" }
    guard let index = words.firstIndex(of: "import"), index + 1 < words.count,
      words[..<index].allSatisfy({ $0.hasPrefix("@") || Self.levels.contains(String($0)) })
    else { return nil }
    // `import class WatchConnectivity.WCSession` names a kind.
    let name =
      Self.kinds.contains(String(words[index + 1])) && index + 2 < words.count
      ? words[index + 2] : words[index + 1]
    if name == "WatchConnectivity" || name.hasPrefix("WatchConnectivity.") {
      return line.replacing("WatchConnectivity", with: platform.module, maxReplacements: 1)
    }
    // An iPhone has a module of that name too, with nothing in it that code which syncs names.
    if name == "WatchKit" {
      return line.replacing("WatchKit", with: platform.module, maxReplacements: 1)
    }
    if Self.logs.contains(String(name)) {
      return words[..<index].map { $0 + " " }.joined() + "import WatchlineOSLog"
    }
    return nil
  }

  private static let levels: Set<String> = [
    "public", "package", "internal", "fileprivate", "private",
  ]
  private static let kinds: Set<String> = [
    "class", "struct", "enum", "protocol", "typealias", "func", "var", "let",
  ]

  /// A name with its module in front.
  private func qualified(_ line: String) -> String {
    guard line.contains("WatchConnectivity.") else { return line }
    var result = ""
    var rest = Substring(line)
    while let range = rest.range(of: "WatchConnectivity.") {
      let before = rest[..<range.lowerBound]
      result += before
      let isName = before.last.map { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." } ?? false
      result += isName ? "WatchConnectivity." : platform.module + "."
      rest = rest[range.upperBound...]
    }
    return result + rest
  }
}

extension StringProtocol {
  /// Where a text first occurs.
  fileprivate func range(of text: String) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
      formIndex(after: &start)
    }
    return nil
  }
}
