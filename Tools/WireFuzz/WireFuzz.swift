/// A session of random lines with a server in memory, in kill and restart, and what was wrong with it.
package struct WireFuzz {
  /// What was done, the last step being the one that showed it.
  package struct Run {
    package var setting: Setting
    package var steps: [Step] = []
    package var lines = 0
    /// CPU time that the bystander had to wait most, in nanoseconds.
    package var longestWait = 0
    package var finding: Finding?
    /// How often each kind of line was sent: `accepted`, `error 4004`.
    package var heard: [String: Int] = [:]
  }

  /// CPU time that another pair's ping may wait, in nanoseconds.
  package var budget: Int
  /// Each session's server asks for tokens, not one in five.
  package var asksForTokens = false
  /// Steps of each session; nil for as many as its seed makes it.
  package var steps: Int?
  /// Told each step before it is done, the setting being the first.
  package var narrates: (([UInt8]) -> Void)?

  package init(budget: Int) { self.budget = budget }

  /// The session of a seed.
  package func run(seed: UInt64) -> Run { run(seed, Choices(seed: seed)) }

  /// The session that these bytes decide.
  package func run(bytes: [UInt8]) -> Run { run(0, Choices(bytes: bytes)) }

  private func run(_ seed: UInt64, _ choices: Choices) -> Run {
    var choices = choices
    var setting = Setting(seed: seed, &choices)
    if asksForTokens { setting.askForTokens() }
    let drawn = choices.one(of: [60, 200, 400, 1_000])
    let count = steps ?? drawn
    var run = Run(setting: setting)
    narrates?(setting.json.bytes)
    do throws(Finding) {
      let stage = try stage(setting)
      defer {
        run.lines = stage.lines
        run.longestWait = stage.longestWait
      }
      var author = Author(setting, choices)
      for _ in 0..<count where !author.choices.isExhausted {
        let step = author.next(stage.isOpen)
        try perform(step, on: stage, &run)
        // What is of others is not repeated, or it would be the author who has told it.
        for (name, line) in stage.heard where !Stage.isOperators(line) {
          author.hear(line, on: name)
        }
      }
      for step in author.ending() { try perform(step, on: stage, &run) }
    } catch {
      run.finding = confirmed(error, run)
    }
    return run
  }

  private func perform(_ step: Step, on stage: Stage, _ run: inout Run) throws(Finding) {
    run.steps.append(step)
    narrates?(step.json.bytes)
    try stage.perform(step)
    for (_, line) in stage.heard {
      let code = line["code"]?.number.map { " \($0)" } ?? ""
      run.heard[(line["type"]?.text ?? "?") + code, default: 0] += 1
    }
  }

  private func stage(_ setting: Setting) throws(Finding) -> Stage {
    do {
      return try Stage(setting, budget: budget)
    } catch {
      throw Finding("store", "an empty store cannot be opened: \(error)")
    }
  }

  /// Does the steps of a run again.
  package func replay(_ setting: Setting, _ steps: [Step]) -> Finding? {
    do throws(Finding) {
      let stage = try stage(setting)
      for step in steps { try stage.perform(step) }
    } catch {
      return error
    }
    return nil
  }

  /// Time is what the machine makes it: what is slow once only, of three times, is not the server's.
  private func confirmed(_ finding: Finding, _ run: Run) -> Finding? {
    guard finding.slug == "slow-ping" else { return finding }
    for _ in 0..<2 where replay(run.setting, run.steps)?.slug != finding.slug { return nil }
    return finding
  }
}
