import AppModels
import Merge
import Seeded

/// The world of the server: the real relay, hub and devices, with simulated connections, disk and
/// clocks; or the same devices at a server that is a process of its own, or at several with one log.
package final class ServerHarness: Harness {
  private let target: (any ServerTarget)?
  private let world: Trace.World

  /// - Parameter world: `server` or `cluster`.
  package init(_ world: Trace.World = .server) {
    target = nil
    self.world = world
  }

  /// - Parameter target: where the server is. Its time is real, so no two runs are alike to the byte.
  package init(_ target: any ServerTarget) {
    self.target = target
    world = .server
  }

  /// The last lines of a real server's standard error.
  package var complaints: [String] { target?.complaints ?? [] }

  package var isReproducible: Bool { target == nil }

  package var rareEvents: [String] {
    if let target {
      let network = ["takeover", "slice", "oneWay", "halfOpen", "duplicate", "delay"]
      return network + ["staleForm", "cancel", "select"]
        + (target.faults.contains(.crash) ? ["kill", "stop"] : [])
    }
    if world == .cluster {
      return [
        "takeOver", "followed", "thawedOwner", "killedOwner", "fenced", "withdrew", "released",
        "restored",
        "oldOwner",
        "logSilent", "logLoses", "logRepeats", "logLags", "logReorders", "takeover", "zombie",
        "select", "cancel",
        "slice",
      ]
    }
    return [
      "tie", "revive", "retime", "fork", "snapshotJoin", "takeover", "zombie", "select", "kill",
      "writtenAndNotTold", "commitLost", "fail", "goBack", "putBackAfterIssuedAnew", "reinstall",
      "staleForm", "cancel", "slice", "sameMillisecond", "oneWay", "halfOpen",
      "evicted", "copied", "aside", "newerVersion", "wholeRecordEdit", "wholeRecordConflict",
      "automatic",
    ]
  }

  package func run(_ plan: Plan) throws(HarnessFailure) -> Outcome {
    var draw = SplitMix64(seed: plan.seed, stream: 0)
    var options = ServerOptions(plan, &draw, possible: target?.faults)
    if plan.wholeRecords ?? 0 > 0, options.devices > 1, options.wholeRecords.names.isEmpty {
      throw HarnessFailure(
        "whole records cannot be made of schema \(options.schema) (PROTOCOL.md clause 13.6)")
    }
    if world == .cluster { options.cluster(&draw) }
    var trace = Trace(
      world: world, seed: plan.seed, schema: options.schema, own: plan.own,
      options: options.trace,
      devices: options.nodes)
    let run = try ServerRun(trace, on: target, isRecorded: target != nil)
    if target != nil { trace.start = run.start }
    var workload = ServerWorkload(options, run.schema, draw)
    let late = options.wholeRecords.firstEdits > 0 ? options.wholeRecords.names : []
    let others = trace.devices.filter { !late.contains($0.name) }
    for device in others.prefix(max(2, options.wholeRecords.names.count + 1)) {
      let event = TraceEvent(at: 0, device.name, .connect)
      run.perform(event)
      trace.events.append(event)
      let flow = TraceEvent(at: 0, device.name, .flow)
      run.perform(flow)
      trace.events.append(flow)
    }
    // Much of what is drawn makes no sense where it comes.
    for _ in 0..<options.events * 3 {
      guard trace.events.count < options.events + 4, run.findings.isEmpty else { break }
      let event = workload.event(run)
      if late.contains(event.device), run.coverage["edit"] < options.wholeRecords.firstEdits {
        continue
      }
      if let witness = plan.witness {
        var draft = trace
        draft.events.append(event)
        witness(draft)
      }
      // Also what the server did not survive.
      if run.perform(event) || !run.findings.isEmpty {
        trace.events.append(event)
      } else if world == .cluster, event.at > trace.events.last?.at ?? 0 {
        // Several servers have looked what is due by then.
        trace.events.append(TraceEvent(at: event.at, "server", .commit, count: 0))
      }
    }
    return finish(run, trace)
  }

  package func play(_ trace: Trace, isRecorded: Bool) throws(HarnessFailure) -> Outcome {
    let run = try ServerRun(trace, on: target, isRecorded: isRecorded || target != nil)
    return play(trace, in: run)
  }

  /// Plays a trace in a fresh run of it.
  func play(_ trace: Trace, in run: ServerRun) -> Outcome {
    for event in trace.events where run.findings.isEmpty { run.perform(event) }
    return finish(run, trace)
  }

  private func finish(_ run: ServerRun, _ trace: Trace) -> Outcome {
    if run.findings.isEmpty { run.end() }
    var outcome = Outcome(trace: trace)
    outcome.findings = run.findings
    outcome.coverage = run.coverage
    if target == nil { outcome.behaviour = run.recorder.behaviour }
    outcome.deviceMilliseconds = (run.now - run.start) * Int64(run.nodes.count)
    if run.recorder.isRecorded {
      outcome.recording = run.recorder.recording
      outcome.lines = run.recorder.lines
    }
    return outcome
  }
}
