/// The page of a finding: one file that needs nothing else.
struct Page {
  let report: FindingReport
  let clock: Clock

  init(_ report: FindingReport) {
    self.report = report
    clock = Clock(report.recording)
  }

  var recording: Recording { report.recording }

  var html: HTML {
    .document(
      title: report.finding.headline, style: Self.style,
      body: """
        <main>
        \(header)
        \(fieldTable)
        \(difference)
        \(run)
        \(again)
        \(details)
        </main>
        <script type="application/json" id=data>\(.raw(data))</script>
        <script>
        \(.raw(Self.script))
        </script>
        """)
  }

  private var header: HTML {
    let story: [HTML] = report.finding.story.map { "<p><bdi>\($0)</bdi></p>\n" }
    let events = report.trace.events.count
    let length = "\(events) event\(events == 1 ? "" : "s")"
    let run =
      report.shrinking == nil
      ? "In this one, of \(length), something went wrong."
      : "This is the shortest that was found to go wrong: \(length)."
    return """
      <header>
      <p class=about>Watchline plays devices that edit, exchange and fail, by schedules drawn at random. \(run)</p>
      <h1>\(report.finding.headline)</h1>
      <div class=story>
      \(story)</div>
      </header>
      """
  }

  /// Where two runs of one schedule differ.
  private var difference: HTML? {
    guard let difference = report.difference else { return nil }
    let lines = [("first run", difference.first), ("second run", difference.second)]
    let rows: [HTML] = lines.map { name, line in
      "<dt>\(name)</dt><dd>\(line.map { "<code>\($0)</code>" } ?? "<em>had ended</em>" as HTML)</dd>\n"
    }
    return """
      <section aria-labelledby=difference>
      <h2 id=difference>Two runs of the same schedule differ in line \(difference.line)</h2>
      <dl class=difference>
      \(rows)</dl>
      </section>
      """
  }

  private var run: HTML? {
    guard !recording.steps.isEmpty else { return nil }
    let path: HTML? =
      report.finding.path.isEmpty ? nil : " <span class=key><i></i>leads to it</span>"
    return """
      <section class=run aria-labelledby=run>
      <h2 id=run>What happened</h2>
      <p class=legend><span class="key edit"><i></i>edit</span> <span class="key send"><i></i>sent</span>\
       <span class="key receive"><i></i>arrived</span> <span class="key fault"><i></i>fault</span>\(path)</p>
      <div class=board>
      <div class=picture>
      \(diagram)
      </div>
      <div class=panel hidden>
      <div class=stepper><button type=button id=back aria-label="Step back">◂</button>\
      <input type=range id=step min=0 max=\(recording.steps.count - 1) value=\(recording.steps.count - 1) aria-label="Step">\
      <button type=button id=on aria-label="Step on">▸</button></div>
      <p id=caption aria-live=polite></p>
      <div id=states></div>
      </div>
      </div>
      \(states)
      </section>
      """
  }

  private var again: HTML {
    let log: HTML? = report.commandFromLog.map {
      "<p class=quiet>Without the trace’s file:</p>\n\(commandBox($0, "log"))"
    }
    return """
      <section aria-labelledby=again>
      <h2 id=again>Play it again</h2>
      \(commandBox(report.command, "command"))
      <p class=quiet>Step by step, in a browser:</p>
      \(commandBox(report.studioCommand, "studio"))
      <details><summary>From a log, as a test</summary>
      \(log)
      <p class=quiet>As a test that fails until this is fixed:</p>
      \(commandBox(report.path("Reproduce.swift"), "test"))
      </details>
      </section>
      """
  }

  private func commandBox(_ command: String, _ name: String) -> HTML {
    """
    <div class=command><pre tabindex=0><code id=\(.raw(name))>\(command)</code></pre>\
    <button type=button class=copy data-copy=\(.raw(name)) hidden>Copy</button></div>
    """
  }
}
