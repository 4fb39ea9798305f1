import Wire

/// `index.html` of a folder of findings: one line each, with the way to its page.
package struct FindingIndex {
  private var entries: [Entry] = []

  private struct Entry {
    var folder: String
    var slug: String
    var seed: String
    var headline: String
    var events: Int64?
    var command: String
  }

  package init() {}

  package var isEmpty: Bool { entries.isEmpty }

  /// - Parameters:
  ///   - folder: the name of the finding's folder, beside the index.
  ///   - json: its `finding.json`; passed over where it is none.
  package mutating func add(_ folder: String, _ json: [UInt8]) {
    guard let finding = try? Members(json), let slug = finding.string("slug"),
      let headline = finding.string("headline")
    else { return }
    entries.append(
      Entry(
        folder: folder, slug: slug, seed: finding.string("seed") ?? "", headline: headline,
        events: finding.object("shrinking")?.integer("to"), command: finding.string("command") ?? ""
      ))
  }

  /// A page that needs nothing but the folders.
  package var page: String {
    let sorted = entries.sorted { ($0.slug, $0.folder) < ($1.slug, $1.folder) }
    let rows: [HTML] = sorted.map { entry in
      let folder = HTML.raw(Self.encoded(entry.folder))
      return """
        <tr><td><a href="\(folder)/report.html">\(entry.headline)</a></td><td>\(entry.slug)</td>\
        <td>\(entry.seed)</td><td>\(entry.events.map { "\($0)" } ?? "")</td>\
        <td><a href="\(folder)/trace.ndjson">trace</a> <a href="\(folder)/Reproduce.swift">test</a></td>\
        <td><code>\(entry.command)</code></td></tr>

        """
    }
    return HTML.document(
      title: "Findings", style: Self.style,
      body: """
        <h1>\(entries.count) finding\(entries.count == 1 ? "" : "s")</h1>
        <table>
        <thead><tr><th>What</th><th>Sort</th><th>Seed</th><th>Events</th><th>Files</th><th>Again</th></tr></thead>
        <tbody>
        \(rows)</tbody>
        </table>
        """
    ).markup
  }

  private static let style = """
    :root { color-scheme: light dark; }
    body { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem; }
    table { border-collapse: collapse; }
    th, td { text-align: start; vertical-align: top; padding: .4rem .8rem; border-bottom: 1px solid #8884; }
    code { overflow-wrap: anywhere; }
    """

  /// A name as part of an address (RFC 3986 section 2.3).
  private static func encoded(_ name: String) -> String {
    name.utf8.map { byte in
      let isPlain =
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
        || (0x61...0x7A).contains(byte) || [0x2D, 0x2E, 0x5F, 0x7E].contains(byte)
      if isPlain { return String(UnicodeScalar(byte)) }
      let digits = String(byte, radix: 16, uppercase: true)
      return "%" + (digits.count == 1 ? "0" : "") + digits
    }.joined()
  }
}
