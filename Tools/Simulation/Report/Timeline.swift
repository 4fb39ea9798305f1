/// A run for the terminal: edits, faults and what leads to the finding, with who came to have an
/// edit and what its writer had not seen.
struct Timeline {
  private let finding: Finding
  private let recording: Recording
  private let changes: [[Holdings.Holding]]
  private let clock: Clock
  private let ink: Ink

  /// More lines than these are cut to what matters.
  private static let mostLines = 30

  init(_ report: FindingReport, _ ink: Ink) {
    finding = report.finding
    recording = report.recording
    changes = Holdings(report.recording).changes
    clock = Clock(report.recording)
    self.ink = ink
  }

  var lines: [String] {
    let steps = recording.steps
    let path = Set(finding.path)
    let writes = Set(finding.field?.writes.map(\.step) ?? [])
    func isTold(_ index: Int) -> Bool {
      let kind = steps[index].kind
      return kind == .edit || kind == .fault || kind == .note || path.contains(index)
    }
    var shown = steps.indices.filter(isTold)
    if isOfLanes {
      let all = steps.indices.filter { isTold($0) || isDelivery(steps[$0]) }
      if all.count <= Self.mostLines { shown = all }
    } else if shown.count > Self.mostLines {
      let last = shown.suffix(3)
      shown = shown.filter { path.contains($0) || writes.contains($0) || last.contains($0) }
    }
    // Where even the path is longer, its end tells the most.
    shown = Array(shown.suffix(Self.mostLines))
    let notes = shown.map(note)
    let texts = shown.map { Visible.text(steps[$0].text) }
    let noted = zip(texts, notes).filter { !$1.isEmpty }.map(\.0.count)
    let places = shown.map { Visible.text(steps[$0].place).count }.max() ?? 0
    let start = 5 + clock.text(0).count + 2 + places + 2
    // Where the notes stand, if they fit there.
    let column = start + min(noted.max() ?? 0, 38) + 4
    var lines: [String] = []
    var next = 0
    for (place, index) in shown.enumerated() {
      lines += gap(index - next, next)
      next = index + 1
      let step = steps[index]
      let head =
        "     \(clock.text(step.at))  "
        + TextLayout.padded(Visible.text(step.place), to: places) + "  "
      var body = TextLayout.wrapped(texts[place], indentation: start + 2, first: start)
      body[0] = String(body[0].dropFirst(start))
      let isOnPath = path.contains(index)
      var written = body.enumerated().map { number, line in
        (number == 0 ? head : "") + (isOnPath ? ink.loss(line) : line)
      }
      add(notes[place], to: &written, start: start, column: column, body.last!.count, body.count)
      lines += written
    }
    return lines + gap(steps.count - next, next)
  }

  /// Nothing was edited: the finding is about what passes between the devices.
  private var isOfLanes: Bool { !recording.steps.contains { $0.kind == .edit } }

  /// Whether a device is given something, or told what became of it.
  private func isDelivery(_ step: Recording.Step) -> Bool {
    step.kind == .receive && step.place != "server"
      && ["didReceive", "didFinish", "error"].contains { step.text.contains($0) }
  }

  /// Says that steps are left out where one of them would have been worth a line.
  private func gap(_ count: Int, _ from: Int) -> [String] {
    let hidden = recording.steps[from..<from + count].count {
      $0.kind != .send && $0.kind != .receive
    }
    return hidden == 0 ? [] : [ink.quiet("     …  \(count) more steps, which the page has")]
  }

  private func add(
    _ note: String, to lines: inout [String], start: Int, column: Int, _ last: Int, _ count: Int
  ) {
    guard !note.isEmpty else { return }
    let end = count == 1 ? start + last : last
    let begin = max(column, end + 2)
    if begin + note.count <= TextLayout.width {
      lines[lines.count - 1] += String(repeating: " ", count: begin - end) + ink.quiet(note)
    } else {
      lines += TextLayout.wrapped(note, indentation: start + 2).map(ink.quiet)
    }
  }

  private func note(_ index: Int) -> String {
    guard recording.steps[index].kind == .edit else { return "" }
    var notes: [String] = []
    let unseen = unseen(index)
    if !unseen.isEmpty { notes.append("(had not seen \(unseen.joined(separator: ", ")))") }
    let having = others(having: index)
    if !having.isEmpty { notes.append("→ \(having.joined(separator: ", "))") }
    return notes.joined(separator: "  ")
  }

  /// The values of the writes before this one that its writer had not seen.
  private func unseen(_ index: Int) -> [String] {
    let writes = finding.field?.writes ?? []
    guard let own = writes.firstIndex(where: { $0.step == index }) else { return [] }
    return writes.indices.filter { other in
      other < own && !writes[own].seen.contains(other)
        && !writes[own].device.isIdentical(to: writes[other].device)
    }.map { other in
      let value = writes[other].value
      // A word stands for what was done to the record.
      return value.utf8.allSatisfy { (0x61...0x7A).contains($0) }
        && !["true", "false", "null"].contains(value)
        ? "it \(value)" : Visible.value(value)
    }
  }

  /// Who shows all that an edit changed, as `watch has it at 00.200`.
  private func others(having index: Int) -> [String] {
    let author = recording.steps[index].place
    guard !changes[index].isEmpty else { return [] }
    let before = changes[..<index].indices.filter {
      recording.steps[$0].place.isIdentical(to: author)
    }
    // The fields that the edit gave another value; a record that went has none.
    let edited = changes[index].map { now in
      let old = before.last { step in
        changes[step].contains { $0.isOf(now.kind, now.record) }
      }.flatMap { step in changes[step].first { $0.isOf(now.kind, now.record) } }
      let fields = now.fields.filter { field in
        old?.value(field.name).map { !$0.isIdentical(to: field.value) } ?? true
      }
      return Holdings.Holding(kind: now.kind, record: now.record, fields: fields)
    }
    return recording.places.filter { !$0.isIdentical(to: author) }.compactMap { place in
      let step = recording.steps.indices.dropFirst(index + 1).first { step in
        guard recording.steps[step].place.isIdentical(to: place) else { return false }
        return edited.allSatisfy { edit in
          changes[step].contains { now in
            now.isOf(edit.kind, edit.record) && now.fields.isEmpty == edit.fields.isEmpty
              && edit.fields.allSatisfy { now.value($0.name)?.isIdentical(to: $0.value) ?? false }
          }
        }
      }
      return step.map { "\(Visible.text(place)) has it at \(clock.text(recording.steps[$0].at))" }
    }
  }
}
