extension PromiseTable {
  /// The table for people to read.
  package var markdown: String {
    let promises = promises
    let judged = promises.filter(\.isJudged)
    let planted = promises.filter { $0.evidence.contains(where: \.isFault) }
    var text = """
      # What the protocol promises, and what fails where it is broken

      Made by `watchline mutants --promises` from PROMISES.txt, which has each sentence of PROTOCOL.md. A test fails
      where the two do not say the same, where a promise has nothing that fails, and where a judge, test or fault
      is not there.

      Of \(promises.count) promises \(judged.count) have a judge in the simulator, and \
      \(promises.count - judged.count) a test alone. For \(planted.count) a fault is planted that breaks them; how \
      soon it is found says MATRIX.md.

      | sentence | promise | judge | test or dialogue | planted fault |
      | --- | --- | --- | --- | --- |

      """
    for row in promises {
      let cells = [
        row.name, row.words, Self.cell(row, of: ["judge"]),
        Self.cell(row, of: ["test", "dialogue"]), Self.cell(row, of: ["fault"]),
      ]
      text += "| \(cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ")) |\n"
    }
    text += """

      ## How many sentences each clause has

      What promises nothing is a term that is defined, a reason, what a device has to do or may do for itself,
      something outside, or leads over to what is said elsewhere.

      | clause | promises | of them judged | promise nothing |
      | --- | --- | --- | --- |

      """
    var clauses: [String] = []
    for row in rows where !clauses.contains(row.clause) { clauses.append(row.clause) }
    for clause in clauses {
      let all = rows.filter { $0.clause == clause }
      let kept = all.filter { $0.reason == nil }
      text += "| \(clause) | \(kept.count) | \(kept.count(where: \.isJudged)) "
      text += "| \(all.count - kept.count) |\n"
    }
    return text
  }

  private static func cell(_ row: Row, of kinds: [String]) -> String {
    let names = row.evidence.filter { kinds.contains($0.kind) }
      .map { $0.isFault ? $0.name : "`\($0.name)`" }
    return names.isEmpty ? "–" : names.joined(separator: " ")
  }
}

extension PromiseTable.Row {
  var isJudged: Bool { evidence.contains { $0.kind == "judge" } }
}
