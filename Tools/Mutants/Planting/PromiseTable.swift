/// What the protocol promises, and what fails where a promise is broken; the file `PROMISES.txt`.
///
/// ```
/// # a remark
/// 5.7 Every dictionary arrives, in order.
///   judge lost-transfer
///   test RelayTests/exactlyOnce
///   dialogue 5.7-order
///   fault M48
/// 12 none its parts are 12.1 to 12.12
/// ```
/// The words stand so in that clause of the document, blanks apart; a sentence that is changed there has to
/// be looked at here.
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

  package struct Promise: Equatable {
    package var clause: String
    /// What is promised; of a clause that promises nothing the reason.
    package var words: String
    package var isNone: Bool
    package var evidence: [Evidence] = []
  }

  package private(set) var promises: [Promise] = []

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
        let isNone = rest.hasPrefix("none ")
        promises.append(
          Promise(
            clause: String(first), words: isNone ? String(rest.dropFirst(5)) : rest, isNone: isNone)
        )
        continue
      }
      guard !promises.isEmpty, let evidence = Evidence(String(first), rest) else {
        throw MutantFault("line \(index + 1) of the promises: what is \"\(first)\" here?")
      }
      promises[promises.count - 1].evidence.append(evidence)
    }
  }

  /// What is wrong with the table, a sentence each.
  ///
  /// - Parameters:
  ///   - document: the protocol, in Markdown with numbered headings.
  ///   - exists: whether there is such a judge, test, dialogue or fault.
  package func complaints(of document: String, exists: (Evidence) -> Bool) -> [String] {
    let clauses = Self.clauses(document)
    var complaints: [String] = []
    for clause in clauses where !promises.contains(where: { $0.clause == clause.number }) {
      complaints.append("clause \(clause.number) has no row")
    }
    for promise in promises {
      guard let clause = clauses.first(where: { $0.number == promise.clause }) else {
        complaints.append("there is no clause \(promise.clause)")
        continue
      }
      if promise.isNone { continue }
      if !clause.text.contains(promise.words) {
        complaints.append("clause \(promise.clause) does not say: \(promise.words)")
      }
      if promise.evidence.allSatisfy(\.isFault) {
        complaints.append("nothing fails where this is broken: \(promise.words)")
      }
      for evidence in promise.evidence where !exists(evidence) {
        complaints.append("there is no \(evidence) (clause \(promise.clause))")
      }
    }
    return complaints
  }

  /// The numbered clauses of a document, with their text on one line each.
  static func clauses(_ document: String) -> [(number: String, text: String)] {
    var clauses: [(number: String, words: [Substring])] = []
    for line in document.split(separator: "\n") {
      let words = line.split(whereSeparator: \.isWhitespace)
      let isHeading = words.first == "##" || words.first == "###"
      if isHeading, let number = words.dropFirst().first, number.first?.isNumber == true {
        clauses.append((String(number), []))
      } else if !clauses.isEmpty {
        clauses[clauses.count - 1].words += words
      }
    }
    return clauses.map { ($0.number, $0.words.joined(separator: " ")) }
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

  package var description: String {
    switch self {
    case .judge(let name): "judge \(name)"
    case .test(let name): "test \(name)"
    case .dialogue(let name): "dialogue \(name)"
    case .fault(let name): "fault \(name)"
    }
  }

  var isFault: Bool {
    if case .fault = self { return true }
    return false
  }

  var isJudge: Bool {
    if case .judge = self { return true }
    return false
  }
}
