internal import Merge
package import Wire

/// A trace of devices alone, as its harness has played it, to be looked at step by step.
///
/// Nothing can be done in it: what the merge of the devices would do then is not known.
package struct StudioRecording {
  package let trace: Trace
  private let recording: Recording
  private let findings: [Finding]
  /// How many of its steps have been done.
  package private(set) var position: Int

  /// Stands at the last step.
  ///
  /// - Parameter harness: who plays the trace: our merge, or somebody else's.
  package init(_ trace: Trace, by harness: any Harness) throws(HarnessFailure) {
    let outcome = try harness.play(trace, isRecorded: true)
    self.trace = outcome.trace
    findings = outcome.findings
    recording = outcome.recording ?? Recording(places: [], start: trace.start)
    position = recording.steps.count
  }

  package var count: Int { recording.steps.count }

  package mutating func seek(to step: Int) { position = max(0, min(step, recording.steps.count)) }

  private var steps: ArraySlice<Recording.Step> { recording.steps[..<position] }

  // MARK: As JSON

  /// The same members as a world has.
  package func write(_ json: inout JSONWriter) {
    let at = steps.last?.at ?? 0
    let isEnd = position == recording.steps.count
    json.member("step", position)
    json.member("steps", recording.steps.count)
    json.member("at", at)
    json.member("now", recording.start + at)
    json.member("refusal", nil as String?)
    json.member("schema", trace.schema)
    json.member("caption", steps.last.map(Self.title))
    json.member("next", nil as String?)
    json.raw("isRecorded", "true")
    StudioWorld.write(isEnd ? findings : [], &json)
    json.array("path", findings.first?.path ?? []) { $0.number($1) }
    json.array("writes", findings.first?.field?.writes ?? []) { json, write in
      json.object { json in
        json.member("step", write.step)
        json.member("device", write.device)
        json.member("value", write.value)
        json.member("fate", write.fate)
      }
    }
    json.array("devices", recording.places) { json, place in
      json.object { json in
        json.member("name", place)
        json.member("kind", "recorded")
        let own = steps.enumerated().filter { $0.element.place == place }.suffix(Self.mostTold)
        json.array("told", Array(own)) { json, step in
          json.string("\(step.offset + 1): \(step.element.text)")
        }
      }
    }
    json.array("queues", [Int]()) { $0.number($1) }
    writeRecords(&json)
  }

  /// What a judge says of its end: the members `findings` and `records`.
  package func writeJudgement(_ json: inout JSONWriter) {
    var end = self
    end.seek(to: count)
    StudioWorld.write(findings, &json)
    end.writeRecords(&json)
  }

  /// Steps of a device that are shown at it.
  private static let mostTold = 5

  private static func title(_ step: Recording.Step) -> String { "\(step.place): \(step.text)" }

  package func writeSteps(from first: Int, _ json: inout JSONWriter) {
    let steps = recording.steps
    json.array("history", Array(steps[min(first, steps.count)...])) { $0.string(Self.title($1)) }
  }

  /// What was sent and what arrived so far.
  package var lines: [StudioWorld.Line] {
    steps.enumerated().filter { [.send, .receive].contains($0.element.kind) }.map { index, step in
      let from = step.from.map { recording.steps[$0].place }
      return StudioWorld.Line(
        at: step.at, from: from ?? step.place, to: from == nil ? "" : step.place, text: step.text,
        step: index)
    }
  }

  /// What is no JSON text is shown as it is.
  private static func json(_ value: String) -> String {
    if (try? Datum(json: Array(value.utf8))) != nil { return value }
    var json = JSONWriter()
    json.string(value)
    return String(decoding: json.bytes, as: UTF8.self)
  }

  /// What each device shows, put together of what has changed.
  private func writeRecords(_ json: inout JSONWriter) {
    var order: [String] = []
    var known:
      [String: (record: Recording.Record, values: [String: [(name: String, value: String)]])] =
        [:]
    for step in steps {
      for record in step.records ?? [] {
        let key = "\(record.kind)/\(record.record)"
        if known[key] == nil {
          order.append(key)
          known[key] = (record, [:])
        }
        known[key]!.values[step.place] = record.fields.isEmpty ? nil : record.fields
      }
    }
    json.array("records", order.compactMap { known[$0] }) { json, entry in
      let shown = recording.places.compactMap { place in
        entry.values[place].map { (place: place, fields: $0) }
      }
      var names: [String] = []
      for field in shown.flatMap(\.fields) where !names.contains(field.name) {
        names.append(field.name)
      }
      StudioRecords.writeRecord(
        entry.record.kind, entry.record.record, fields: names, at: shown.map(\.place), &json,
        value: { place, name in
          shown[place].fields.first { $0.name == name }.map { Self.json($0.value) }
        })
    }
    json.array("lost", [Int]()) { $0.number($1) }
  }
}
