import Wire

extension FindingReport {
  /// `finding.json`: one object in one line.
  ///
  /// | member | what it is |
  /// | --- | --- |
  /// | `finding` | 1, the version of this format |
  /// | `slug`, `invariant` | what sort of finding it is, as a word and as the checked property |
  /// | `headline`, `story` | a sentence, and an array of sentences |
  /// | `field` | left out where it is about none: `kind`, `record`, `name` (null: whether it exists), `writes` (`step`, `device`, `value`, `seen`: indices of writes, `fate`), `ends` (`device`, `value`), `acceptable`. Values are JSON text or a word such as `deleted` |
  /// | `path` | indices of the steps that lead to it |
  /// | `places`, `steps` | the run: `at` (milliseconds since `start`), `place`, `kind` (`edit`, `send`, `receive`, `fault`, `note`), `text`, `from` (the step in which what arrives was sent) |
  /// | `start` | milliseconds since 1970 |
  /// | `seed`, `world`, `schema`, `options`, `faults` | what the run was drawn from; the seed is a string, since it may have 64 bits |
  /// | `schedules` | how many had been run when it was found |
  /// | `shrinking` | left out where it was not made shorter: `from` and `to` in events, `tries` |
  /// | `difference` | where two runs of one schedule differed: `line`, `first`, `second` (null: had ended) |
  /// | `trace`, `command`, `log` | the trace's file; the command that plays it again; the same without the file, left out where the trace is too long |
  /// | `errors` | the last lines of the subject's standard error |
  /// | `version` | of the program |
  package var json: [UInt8] {
    var writer = JSONWriter()
    writer.object {
      $0.member("finding", 1)
      $0.member("slug", finding.slug)
      $0.member("invariant", finding.invariant)
      $0.member("headline", finding.headline)
      $0.array("story", finding.story) { $0.string($1) }
      if let field = finding.field { $0.object("field") { Self.write(field, &$0) } }
      $0.array("path", finding.path) { $0.number($1) }
      $0.array("places", recording.places) { $0.string($1) }
      $0.array("steps", recording.steps) { writer, step in
        writer.object { Self.write(step, &$0) }
      }
      $0.member("start", recording.start)
      writeOrigin(&$0)
    }
    return writer.bytes + [0x0A]
  }

  private func writeOrigin(_ writer: inout JSONWriter) {
    writer.member("seed", "\(trace.seed)")
    writer.member("world", trace.world.rawValue)
    writer.member("schema", trace.schema)
    writer.object("options") {
      for option in trace.options { $0.member(option.name, option.value) }
    }
    writer.array("faults", faults.map(\.rawValue).sorted()) { $0.string($1) }
    writer.member("schedules", schedules)
    if let shrinking {
      writer.object("shrinking") {
        $0.member("from", shrinking.from)
        $0.member("to", shrinking.to)
        $0.member("tries", shrinking.tries)
      }
    }
    if let difference {
      writer.object("difference") {
        $0.member("line", difference.line)
        $0.member("first", difference.first)
        $0.member("second", difference.second)
      }
    }
    writer.member("trace", "trace.ndjson")
    writer.member("command", command)
    if let commandFromLog { writer.member("log", commandFromLog) }
    writer.array("errors", errors) { $0.string($1) }
    writer.member("version", version)
  }

  private static func write(_ field: Finding.Field, _ writer: inout JSONWriter) {
    writer.member("kind", field.kind)
    writer.member("record", field.record)
    writer.member("name", field.name)
    writer.array("writes", field.writes) { writer, write in
      writer.object {
        $0.member("step", write.step)
        $0.member("device", write.device)
        $0.member("value", write.value)
        $0.array("seen", write.seen) { $0.number($1) }
        $0.member("fate", write.fate)
      }
    }
    writer.array("ends", field.ends) { writer, end in
      writer.object {
        $0.member("device", end.device)
        $0.member("value", end.value)
      }
    }
    writer.array("acceptable", field.acceptable) { $0.string($1) }
  }

  private static func write(_ step: Recording.Step, _ writer: inout JSONWriter) {
    writer.member("at", step.at)
    writer.member("place", step.place)
    writer.member("kind", step.kind.rawValue)
    writer.member("text", step.text)
    if let from = step.from { writer.member("from", from) }
  }
}
