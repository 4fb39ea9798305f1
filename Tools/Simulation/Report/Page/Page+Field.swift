/// What the finding is about: every write, who had seen what, and where it ended.
extension Page {
  var fieldTable: HTML? {
    guard let field = report.finding.field else { return nil }
    let name: HTML = field.name.map { "<bdi>\($0)</bdi>" } ?? "whether it exists"
    return """
      <section aria-labelledby=field>
      <h2 id=field><bdi>\(RecordLabel.text(field.kind, field.record))</bdi><span class=sep>·</span>\(name)</h2>
      \(ends(field))
      \(writes(field))
      </section>
      """
  }

  private func ends(_ field: Finding.Field) -> HTML {
    let verdict = Verdict(field)
    let acceptable: [HTML] = verdict.acceptable.enumerated().map { index, value in
      "\(index > 0 ? "<span class=or> or </span>" : nil as HTML?)\(HTML.value(value))"
    }
    let rows: [HTML] = field.ends.map { end in
      """
      <div\(mood(verdict.isRight(end.value)))><dt>\(HTML.place(end.device, recording)) ends with</dt>\
      <dd>\(HTML.value(end.value))\(mark(verdict.isRight(end.value)))</dd></div>

      """
    }
    let none: HTML? = verdict.acceptable.isEmpty ? "no value is known" : nil
    return """
      <dl class=ends>
      \(rows)<div class=wanted><dt>acceptable</dt><dd>\(acceptable)\(none)</dd></div>
      </dl>
      """
  }

  private func mood(_ isRight: Bool?) -> HTML {
    isRight.map { $0 ? " class=good" : " class=bad" } ?? " class=open"
  }

  private func mark(_ isRight: Bool?) -> HTML? {
    isRight.map { isRight in
      isRight
        ? "<span class=mark>✓<span class=unseen>acceptable</span></span>"
        : "<span class=mark>✗<span class=unseen>not acceptable</span></span>"
    }
  }

  private func writes(_ field: Finding.Field) -> HTML? {
    guard !field.writes.isEmpty else { return nil }
    let rows: [HTML] = field.writes.enumerated().map { index, write in
      let seen: [HTML] = write.seen.filter(field.writes.indices.contains).map { number in
        "<span class=ref>\(number + 1)</span>"
      }
      let steps = recording.steps
      let time = steps.indices.contains(write.step) ? clock.text(steps[write.step].at) : ""
      let others = index == 0 ? "–" : "none"
      let fate = fateClass(write.fate)
      return """
        <tr class=\(.raw(fate))><td class=n data-label="Write"><span class=ref>\(index + 1)</span></td>\
        <td class=t data-label="At">\(time)</td>\
        <td data-label="By">\(HTML.place(write.device, recording))</td>\
        <td data-label="Wrote">\(HTML.value(write.value))</td>\
        <td data-label="Had seen">\(seen)\(seen.isEmpty ? "<span class=quiet>\(others)</span>" : nil as HTML?)</td>\
        <td data-label="Became"><span class=fate>\(write.fate)</span></td></tr>

        """
    }
    return """
      <table class=writes>
      <thead><tr><th scope=col class=n>Write</th><th scope=col class=t>At</th><th scope=col>By</th>\
      <th scope=col>Wrote</th><th scope=col>Had seen</th><th scope=col>What became of it</th></tr></thead>
      <tbody>
      \(rows)</tbody>
      </table>
      """
  }

  private func fateClass(_ fate: String) -> String {
    if fate.hasPrefix("shown") { return "shown" }
    return fate.contains("lost") || fate.contains("gone") ? "gone" : "past"
  }
}
