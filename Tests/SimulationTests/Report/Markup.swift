/// Just enough of HTML to look at a page of our own: no comments, and `<` in no attribute.
enum Markup {
  /// Elements that have no end.
  private static let void: Set<String> = ["meta", "input", "line"]

  /// The page's texts in order, without those of scripts and styles.
  static func text(of page: String) -> [String] {
    var texts: [String] = []
    var skipped: String?
    for piece in page.components(of: "<") {
      guard let end = piece.unicodeScalars.firstIndex(of: ">") else { continue }
      let tag = name(String(piece[..<end]))
      if let open = skipped { if tag == "/\(open)" { skipped = nil } else { continue } }
      if tag == "script" || tag == "style" { skipped = tag }
      guard skipped == nil else { continue }
      let text = unescaped(String(piece.unicodeScalars[piece.unicodeScalars.index(after: end)...]))
      let words = text.split(whereSeparator: \.isWhitespace)
      if !words.isEmpty { texts.append(words.joined(separator: " ")) }
    }
    return texts
  }

  /// What is wrong with a page: an element that does not end, or one that is not ours.
  static func fault(in page: String) -> String? {
    let known: Set<String> = [
      "html", "head", "title", "style", "body", "main", "header", "section", "div", "p", "h1", "h2",
      "h3", "dl", "dt", "dd", "table", "thead", "tbody", "tr", "th", "td", "span", "bdi", "b", "i",
      "em", "ol", "li", "time", "svg", "label", "button", "pre", "code", "details", "summary",
      "script",
    ]
    var open: [String] = []
    for piece in page.components(of: "<").dropFirst() {
      // Scripts compare numbers, too.
      if open.last == "script", !piece.hasPrefix("/script") { continue }
      guard let end = piece.unicodeScalars.firstIndex(of: ">") else { return "no > in \(piece)" }
      let tag = name(String(piece.unicodeScalars[..<end]))
      if tag.hasPrefix("!") || void.contains(tag) { continue }
      if tag.hasPrefix("/") {
        guard open.popLast() == String(tag.dropFirst()) else { return "\(tag) ends nothing" }
      } else {
        guard known.contains(tag) else { return "unknown element \(tag)" }
        open.append(tag)
      }
    }
    return open.isEmpty ? nil : "\(open) does not end"
  }

  private static func name(_ tag: String) -> String {
    tag.split(whereSeparator: \.isWhitespace).first.map(String.init) ?? ""
  }

  private static func unescaped(_ text: String) -> String {
    text.replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
      .replacing("&#39;", with: "'").replacing("&amp;", with: "&")
  }
}

extension String {
  /// The parts between occurrences of some bytes.
  func components(of separator: String) -> [String] {
    if separator.utf8.count == 1 {
      return utf8.split(separator: separator.utf8.first!, omittingEmptySubsequences: false)
        .map { String(Substring($0)) }
    }
    var parts: [String] = []
    var rest = Array(utf8)[...]
    let wanted = Array(separator.utf8)
    while let range = rest.firstRange(of: wanted) {
      parts.append(String(decoding: rest[..<range.lowerBound], as: UTF8.self))
      rest = rest[range.upperBound...]
    }
    return parts + [String(decoding: rest, as: UTF8.self)]
  }
}
