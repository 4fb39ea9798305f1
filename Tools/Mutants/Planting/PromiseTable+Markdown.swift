extension PromiseTable {
  /// The table for people to read.
  ///
  /// - Parameter document: the protocol; how much of it is quoted is told, so that a sentence that is new there
  ///   makes the table another one.
  package func markdown(of document: String) -> String {
    let kept = promises.filter { !$0.isNone }
    let judged = kept.filter { $0.evidence.contains(where: \.isJudge) }
    let planted = kept.filter { $0.evidence.contains(where: \.isFault) }
    var text = """
      # What the protocol promises, and what fails where it is broken

      Made by `watchline mutants --promises` from PROMISES.txt; a test fails where a clause of PROTOCOL.md has
      no row, where the words do not stand there any more, or where a judge, test or fault is not there.

      Of \(kept.count) promises \(judged.count) have a judge in the simulator, and \(kept.count - judged.count) \
      a test alone. For \(planted.count) a fault is planted that breaks them; how soon it is found says MATRIX.md.
      What is not quoted here is said of nothing but in the document.

      | clause | promise | judge | test or dialogue | planted fault |
      | --- | --- | --- | --- | --- |

      """
    for promise in promises {
      let words = promise.isNone ? "*none: \(promise.words)*" : promise.words
      let cells = [
        promise.clause, words, Self.cell(promise.evidence, of: ["judge"]),
        Self.cell(promise.evidence, of: ["test", "dialogue"]),
        Self.cell(promise.evidence, of: ["fault"]),
      ]
      text += "| \(cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ")) |\n"
    }
    text += """

      ## How much of each clause is quoted

      Words of the clause that a promise quotes, of all its words, tables and dialogues included. The rest explains,
      defines, or has nothing yet that fails where it is broken.

      | clause | quoted | words |
      | --- | --- | --- |

      """
    for clause in Self.clauses(document) {
      let quoted = kept.filter { $0.clause == clause.number }
        .reduce(0) { $0 + $1.words.split(separator: " ").count }
      text += "| \(clause.number) | \(quoted) | \(clause.text.split(separator: " ").count) |\n"
    }
    return text
  }

  private static func cell(_ evidence: [Evidence], of kinds: [String]) -> String {
    let names = evidence.compactMap { evidence -> String? in
      let words = evidence.description.split(separator: " ")
      guard kinds.contains(String(words[0])) else { return nil }
      return words[0] == "fault" ? String(words[1]) : "`\(words[1])`"
    }
    return names.isEmpty ? "–" : names.joined(separator: " ")
  }
}
