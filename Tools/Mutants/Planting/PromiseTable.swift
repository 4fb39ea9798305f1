/// What the protocol says, sentence by sentence, and what fails where a promise is broken; the file
/// `PROMISES.txt`.
///
/// ```
/// # a remark
/// 5.7 Every dictionary arrives, in order.
///   judge lost-transfer
///   test RelayTests/exactlyOnce
///   dialogue 5.7-order
///   fault M48
/// 6 A turn is one look at all connections.
///   none term
/// ```
/// The rows of a clause, one after the other, are all of its text (``clauses(_:)``). So a sentence that is new
/// in the document, or changed, has to be looked at here.
package struct PromiseTable: Equatable {
  package enum Evidence: Hashable {
    /// A finding's word, raised by the simulator.
    case judge(String)
    /// A test by target and function.
    case test(String)
    /// A transcript's name.
    case dialogue(String)
    /// A planted fault that is found by one of the others.
    case fault(String)
  }

  /// Why a row promises nothing.
  package enum Reason: String, CaseIterable {
    /// It says what a word means.
    case term
    /// It says why something is so, or what follows from it.
    case reason
    /// It says what a device has to do, or may do for itself.
    case device
    /// It is about something outside, such as a terminal.
    case world
    /// It leads over to what is said elsewhere.
    case lead
  }

  package struct Row: Equatable {
    package var clause: String
    /// Its place among the rows of its clause, from 1.
    package var number: Int
    package var words: String
    package var evidence: [Evidence] = []
    /// Of a row that promises nothing.
    package var reason: Reason?

    /// `4.1 s3`
    package var name: String { "\(clause) s\(number)" }
  }

  package private(set) var rows: [Row] = []

  package var promises: [Row] { rows.filter { $0.reason == nil } }

  /// - Throws: where a line cannot be read.
  package init(_ text: String) throws(MutantFault) {
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let words = line.split(separator: " ")
      guard let first = words.first, !first.hasPrefix("#") else { continue }
      let rest = words.dropFirst().joined(separator: " ")
      guard !rest.isEmpty else {
        throw MutantFault("line \(index + 1) of the promises ends after \"\(first)\"")
      }
      guard line.first == " " else {
        let number = 1 + rows.count { $0.clause == first }
        rows.append(Row(clause: String(first), number: number, words: rest))
        continue
      }
      guard let last = rows.indices.last else {
        throw MutantFault("line \(index + 1) of the promises: what is \"\(first)\" here?")
      }
      if first == "none", let reason = Reason(rawValue: rest) {
        rows[last].reason = reason
      } else if let evidence = Evidence(String(first), rest) {
        rows[last].evidence.append(evidence)
      } else {
        throw MutantFault("line \(index + 1) of the promises: what is \"\(first) \(rest)\" here?")
      }
    }
  }

  /// What is wrong with the table, a sentence each.
  ///
  /// - Parameters:
  ///   - document: the protocol, in Markdown with numbered headings.
  ///   - faults: the faults that are planted; each is to be against a promise.
  ///   - exists: whether there is such a judge, test or dialogue.
  package func complaints(
    of document: String, faults: [String], exists: (Evidence) -> Bool
  ) -> [String] {
    let clauses = Self.clauses(document)
    var complaints: [String] = []
    for clause in clauses {
      let said = rows.filter { $0.clause == clause.number }
        .flatMap { $0.words.split(separator: " ") }
      let same = zip(clause.words, said).prefix { $0 == $1 }.count
      guard same < max(clause.words.count, said.count) else { continue }
      complaints.append(
        "clause \(clause.number) goes on \(Self.quote(clause.words[same...])) and the table "
          + Self.quote(said[same...]))
    }
    for row in rows {
      if !clauses.contains(where: { $0.number == row.clause }) {
        complaints.append("there is no clause \(row.clause)")
      } else if row.reason != nil, !row.evidence.isEmpty {
        complaints.append("\(row.name) promises nothing, and has what fails: \(row.words)")
      } else if row.reason == nil, row.evidence.allSatisfy(\.isFault) {
        complaints.append("\(row.name): nothing fails where this is broken: \(row.words)")
      }
      for evidence in row.evidence {
        if case .fault(let fault) = evidence, faults.contains(fault) { continue }
        if !evidence.isFault, exists(evidence) { continue }
        complaints.append("\(row.name): there is no \(evidence)")
      }
    }
    let named = Set(rows.flatMap(\.evidence))
    for fault in faults where !named.contains(.fault(fault)) {
      complaints.append("fault \(fault) is against no promise")
    }
    return complaints
  }

  private static func quote(_ words: ArraySlice<Substring>) -> String {
    words.isEmpty ? "to its end" : "\"\(words.prefix(12).joined(separator: " "))\""
  }

  /// The numbered clauses of a document with the words of their text: of paragraphs, items of lists, and rows
  /// of tables but for their heads. Blocks of code are left out; dialogues and drawings are there.
  static func clauses(_ document: String) -> [(number: String, words: [Substring])] {
    var clauses: [(number: String, words: [Substring])] = []
    var isCode = false
    // Where the line before begins, for heads of tables.
    var before = 0
    for line in document.split(separator: "\n") {
      if line.hasPrefix("```") { isCode.toggle() }
      if isCode || line.hasPrefix("```") { continue }
      var words = line.split(whereSeparator: \.isWhitespace)
      let isHeading = words.first == "##" || words.first == "###"
      if isHeading, let number = words.dropFirst().first, number.first?.isNumber == true {
        clauses.append((String(number), []))
        continue
      }
      guard let last = clauses.indices.last else { continue }
      if line.hasPrefix("| ---") {
        clauses[last].words.removeSubrange(before...)
        continue
      }
      if line.hasPrefix("|") { words.removeAll { $0 == "|" } }
      if isItem(line) { words.removeFirst() }
      before = clauses[last].words.count
      clauses[last].words += words
    }
    return clauses
  }

  /// Whether a line begins an item of a list: `- ` or `1. `.
  private static func isItem(_ line: Substring) -> Bool {
    let number = line.prefix { $0.isNumber }
    return line.hasPrefix("- ") || !number.isEmpty && line.dropFirst(number.count).hasPrefix(". ")
  }
}

extension PromiseTable.Evidence: CustomStringConvertible {
  init?(_ kind: String, _ name: String) {
    switch kind {
    case "judge": self = .judge(name)
    case "test": self = .test(name)
    case "dialogue": self = .dialogue(name)
    case "fault": self = .fault(name)
    default: return nil
    }
  }

  package var description: String { "\(kind) \(name)" }

  var kind: String {
    switch self {
    case .judge: "judge"
    case .test: "test"
    case .dialogue: "dialogue"
    case .fault: "fault"
    }
  }

  var name: String {
    switch self {
    case .judge(let name), .test(let name), .dialogue(let name), .fault(let name): name
    }
  }

  var isFault: Bool { kind == "fault" }
}
