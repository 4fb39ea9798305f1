internal import Wire

/// What each place holds after each step: as data for the slider, and as a table for paper and for
/// readers without scripts.
extension Page {
  var states: HTML? {
    let changes = Holdings(recording).changes
    let rows: [HTML] = recording.steps.indices.filter { !changes[$0].isEmpty }.map { index in
      let step = recording.steps[index]
      let records: [HTML] = changes[index].map { holding in
        let fields: [HTML] = holding.fields.map { field in
          "<span class=f><bdi>\(field.name)</bdi> \(HTML.value(field.value))</span> "
        }
        return """
          <p><b><bdi>\(RecordLabel.text(holding.kind, holding.record))</bdi></b> \
          \(fields)\(fields.isEmpty ? "<em>none</em>" : nil as HTML?)</p>
          """
      }
      return """
        <tr><td class=t>\(clock.text(step.at))</td><td>\(HTML.place(step.place, recording))</td>\
        <td>\(records)</td></tr>

        """
    }
    guard !rows.isEmpty else { return nil }
    return """
      <div class=states>
      <h3>What each place held, whenever that changed</h3>
      <table><thead><tr><th scope=col>At</th><th scope=col>Place</th><th scope=col>Held from then on</th></tr></thead>
      <tbody>
      \(rows)</tbody></table>
      </div>
      """
  }

  /// JSON that may stand in a `script` element: it has no `<`.
  ///
  /// `places`: name and colour; `steps`: time, place, text, and the records that changed, each as
  /// its name and its fields; `focus`: record and field of the finding.
  var data: String {
    var text = Array("{\"places\":[".utf8)
    for (index, place) in recording.places.enumerated() {
      if index > 0 { text.append(0x2C) }
      text.strings([place, HTML.laneClass(place, recording)])
    }
    text.append(text: "],\"steps\":[")
    let changes = Holdings(recording).changes
    for (index, step) in recording.steps.enumerated() {
      if index > 0 { text.append(0x2C) }
      text.append(text: "{\"at\":\"\(clock.text(step.at))\",\"place\":")
      text.append(text: "\(recording.index(of: step.place) ?? 0),\"text\":")
      text.shown(step.text)
      text.append(text: ",\"records\":[")
      for (index, record) in changes[index].enumerated() {
        if index > 0 { text.append(0x2C) }
        text.append(0x5B)
        text.shown(RecordLabel.text(record.kind, record.record))
        text.append(text: ",[")
        for (index, field) in record.fields.enumerated() {
          if index > 0 { text.append(0x2C) }
          text.strings([field.name, Visible.value(field.value)])
        }
        text.append(text: "]]")
      }
      text.append(text: "]}")
    }
    text.append(text: "],\"focus\":")
    let field = report.finding.field
    text.strings(
      field.map { [RecordLabel.text($0.kind, $0.record), $0.name ?? ""] } ?? [])
    text.append(0x7D)
    // `<` is in strings only.
    var safe: [UInt8] = []
    safe.reserveCapacity(text.count)
    for byte in text {
      if byte == 0x3C { safe.append("\\u003C" as StaticString) } else { safe.append(byte) }
    }
    return String(decoding: safe, as: UTF8.self)
  }
}

extension [UInt8] {
  fileprivate mutating func shown(_ text: String) { append(jsonString: Visible.text(text)) }

  fileprivate mutating func strings(_ texts: [String]) {
    append(0x5B)
    for (index, text) in texts.enumerated() {
      if index > 0 { append(0x2C) }
      shown(text)
    }
    append(0x5D)
  }
}
