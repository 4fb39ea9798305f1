import AppModels
import Merge

/// Devices that edit and hand each other what they hold, and a judge of how that ends.
package final class ExchangeHarness: Harness {
  private let subject: any MergeUnderTest
  private let level: LossLevel
  private let network: ExchangeSettings.Network?
  private let phoneWinsTies: Bool
  /// By the schema's digest.
  private var templates: [[UInt8]: [EditTemplate]] = [:]
  /// Kinds of edits that the merge said it does not know, in any run so far.
  package private(set) var unsupported: Set<String> = []
  /// What the merge said of itself at the last start.
  package private(set) var started: Started?

  /// Our own merge, judged by everything that there is.
  package convenience init() {
    self.init(OurMerge(), level: .everything, network: nil, phoneWinsTies: true)
  }

  /// - Parameters:
  ///   - level: what counts as loss.
  ///   - network: which promises lanes keep; drawn where nil.
  ///   - phoneWinsTies: whether of two edits in one millisecond the phone's has to win.
  package init(
    _ subject: any MergeUnderTest, level: LossLevel,
    network: ExchangeSettings.Network? = .watchConnectivity, phoneWinsTies: Bool = false
  ) {
    self.subject = subject
    self.level = level
    self.network = network
    self.phoneWinsTies = phoneWinsTies
  }

  package var rareEvents: [String] {
    var events = ["tie", "concurrentSameField", "duplicate"]
    let isOurs = subject is OurMerge
    func add(_ event: String, _ ability: Started.Ability) {
      if isOurs || started?.can.contains(ability) == true { events.append(event) }
    }
    add("deleteAgainstEdit", .delete)
    add("deleteAgainstEdit3", .delete)
    add("moveToOneSlot", .move)
    add("concurrentText", .text)
    add("restart", .restart)
    if isOurs { events += ["revive", "staleForm", "counterOverflow"] }
    return events
  }

  /// The last lines that the subject wrote to its standard error.
  package var complaints: [String] { subject.complaints }

  // MARK: Running

  package func run(_ plan: Plan) throws(HarnessFailure) -> Outcome {
    let isOurs = subject is OurMerge
    let lanes: [Lane]? = plan.schema == "none" ? Lane.allCases : isOurs ? nil : [.context]
    let settings = ExchangeSettings(plan, lanes: lanes, network: network)
    let trace = trace(plan, settings)
    return try outcome(trace, settings, isRecorded: false) { world, outcome throws(MergeFailure) in
      var generator = ExchangeGenerator(world, trace, self.edits(trace))
      generator.witness = plan.witness
      defer { outcome.trace = generator.trace }
      try generator.run()
      return try world.settle(generator.trace.events.count)
    }
  }

  package func play(_ trace: Trace, isRecorded: Bool) throws(HarnessFailure) -> Outcome {
    var settings = ExchangeSettings(trace)
    settings.keepsTranscript = isRecorded
    return try outcome(
      trace, settings, isRecorded: isRecorded
    ) { world, outcome throws(MergeFailure) in
      outcome.trace.events = []
      for (number, event) in trace.events.enumerated() {
        outcome.trace.events.append(event)
        if try !world.perform(event, number) { outcome.trace.events.removeLast() }
      }
      return try world.settle(trace.events.count)
    }
  }

  /// A trace without events yet.
  func trace(_ plan: Plan, _ settings: ExchangeSettings) -> Trace {
    let names = ["phone"] + (1..<max(2, settings.devices)).map { $0 == 1 ? "watch" : "watch\($0)" }
    return Trace(
      world: .exchange, seed: plan.seed, schema: settings.schema, own: settings.own,
      options: settings.options,
      devices: names.enumerated().map { Trace.Device($1, isPhone: $0 == 0) })
  }

  func edits(_ trace: Trace) -> [EditTemplate] {
    guard let schema = trace.recordSchema else { return [] }
    if let known = templates[schema.digest] { return known }
    let made = schema.kinds.map { EditTemplate($0) }
    templates[schema.digest] = made
    return made
  }

  private func outcome(
    _ trace: Trace, _ settings: ExchangeSettings, isRecorded: Bool,
    _ body: (ExchangeWorld, inout Outcome) throws(MergeFailure) -> Settlement
  ) throws(HarnessFailure) -> Outcome {
    var outcome = Outcome(trace: trace)
    var world: ExchangeWorld?
    do throws(MergeFailure) {
      let made = try ExchangeWorld(subject, trace, settings, isRecorded: isRecorded)
      world = made
      started = made.started
      made.unsupported = unsupported
      let settlement = try body(made, &outcome)
      outcome.findings = made.findings
      if let schema = made.schema {
        var judge = Judge(
          made, settlement, schema, level: level, phoneWinsTies: phoneWinsTies)
        outcome.findings += judge.judge()
        if let ours = subject as? OurMerge {
          var check = OracleCheck(made, ours, settlement)
          outcome.findings += check.check()
        }
      }
    } catch {
      switch error {
      case .fault(let finding): outcome.findings = [finding]
      case .unavailable(let reason): throw HarnessFailure(reason)
      }
    }
    guard let world else { return outcome }
    unsupported.formUnion(world.unsupported)
    if let ours = subject as? OurMerge, ours.overflows > 0 {
      world.coverage.note("counterOverflow", ours.overflows)
    }
    outcome.coverage = world.coverage
    outcome.deviceMilliseconds = world.at * Int64(world.places.count)
    outcome.behaviour = subject.behaviour
    if isRecorded {
      outcome.recording = world.recording
      outcome.lines = subject.transcript
    }
    return outcome
  }
}
