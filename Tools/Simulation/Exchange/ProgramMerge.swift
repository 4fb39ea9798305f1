import Merge
import Wire

/// The other end of a merge under test that is a program of somebody's: requests and answers, a line
/// of JSON each (`Protocol/MERGE-UNDER-TEST.md`).
package protocol MergeProgram: AnyObject {
  /// Starts what is not running yet.
  ///
  /// - Parameter processes: how many are needed.
  func start(_ processes: Int) throws(MergeFailure)

  /// Writes a line and waits for the answer.
  ///
  /// - Parameters:
  ///   - line: without its end.
  ///   - isStart: there is more time for the answer.
  func ask(_ line: [UInt8], of process: Int, isStart: Bool) throws(ProgramFault) -> [UInt8]

  /// Ends all processes: the next schedule starts afresh.
  func stop()

  /// The last lines of the standard error.
  var complaints: [String] { get }
}

/// A program did not answer as it should.
package struct ProgramFault: Error {
  package enum Kind: String, Sendable {
    case noAnswer = "no-answer"
    case ended = "program-ended"
    case badAnswer = "bad-answer"
    /// There is no such program, or it may not be run.
    case notStarted = "not-started"
  }

  package var kind: Kind
  package var message: String

  package init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }
}

/// A merge that a program does.
package final class ProgramMerge: MergeUnderTest {
  let program: any MergeProgram
  let isProcessPerDevice: Bool
  private(set) var names: [String] = []
  private(set) var settings = ExchangeSettings()
  private(set) var number = 0
  package internal(set) var behaviour: UInt64 = 0
  package internal(set) var transcript: [String] = []

  package init(_ program: any MergeProgram, isProcessPerDevice: Bool) {
    self.program = program
    self.isProcessPerDevice = isProcessPerDevice
  }

  package var complaints: [String] { program.complaints }

  // MARK: Requests

  package func start(
    _ devices: [Trace.Device], _ settings: ExchangeSettings, random: UInt64
  ) throws(MergeFailure) -> Started {
    names = devices.map(\.name)
    self.settings = settings
    behaviour = 0xCBF2_9CE4_8422_2325
    transcript = []
    number = 0
    let processes = isProcessPerDevice ? devices.count : 1
    try program.start(processes)
    var all: Started?
    for process in 0..<processes {
      var line = request("start")
      line.append(text: ",\"protocol\":1,\"devices\":[")
      for (index, device) in devices.enumerated() {
        if index > 0 { line.append(0x2C) }
        line.append(text: "{\"device\":")
        line.append(jsonString: device.name)
        line.append(text: ",\"role\":\"\(device.isPhone ? "phone" : "watch")\"}")
      }
      line.append(text: "],\"schema\":")
      line.append(jsonString: settings.schema)
      if let own = settings.own {
        line.append(text: ",\"definition\":")
        line += own.canonical
      }
      line.append(text: ",\"random\":\"\(String(random, radix: 16))\"")
      if isProcessPerDevice {
        line.append(text: ",\"only\":")
        line.append(jsonString: names[process])
      }
      let started = try read(started: try ask(line, process, expecting: ["started"]), line)
      all = Started(started.sync, can: (all?.can ?? started.can).intersection(started.can))
    }
    return all!
  }

  package func edit(
    _ device: Int, _ edit: Edit, now: Int64, since moment: Int?
  ) throws(MergeFailure) -> Answer {
    var line = request("edit", device, now: now)
    var edit = edit
    edit.since = nil
    line.append(edit)
    let answer = try ask(line, device, expecting: ["done", "refused", "unsupported"])
    switch answer.string("type") {
    case "refused": return .refused(answer.string("message") ?? "")
    case "unsupported": return .unsupported
    default: return .done(try dispatches(answer, line))
    }
  }

  package func snapshot(_ device: Int, to: Int, now: Int64) throws(MergeFailure) -> Body {
    let line = request("snapshot", device, to: to, now: now)
    let answer = try ask(line, device, expecting: ["snapshot"])
    guard let body = answer.raw("body") else { throw bad(line, answer, "it has no body") }
    return .json(body)
  }

  package func receive(
    _ device: Int, from: Int, _ lane: Lane, _ body: Body, now: Int64
  ) throws(MergeFailure) -> Answer {
    var line = request("receive", device, from: from, now: now)
    line.append(text: ",\"lane\":\"\(lane.rawValue)\"")
    append(body, to: &line)
    return try done(line, device)
  }

  package func reachability(
    _ device: Int, of other: Int, _ isReachable: Bool, now: Int64
  ) throws(MergeFailure) -> Answer {
    var line = request("reachability", device, to: other, now: now)
    line.append(text: ",\"reachable\":\(isReachable)")
    return try done(line, device)
  }

  package func undelivered(
    _ device: Int, to: Int, _ body: Body, now: Int64
  ) throws(MergeFailure) -> Answer {
    var line = request("undelivered", device, to: to, now: now)
    append(body, to: &line)
    return try done(line, device)
  }

  package func restart(_ device: Int, now: Int64) throws(MergeFailure) -> Answer {
    try done(request("restart", device, now: now), device)
  }

  package func state(_ device: Int, withKept: Bool) throws(MergeFailure) -> Shown {
    let line = request("state", device)
    let answer = try ask(line, device, expecting: ["state"])
    guard let records = answer.object("records") else {
      throw bad(line, answer, "it has no records")
    }
    var shown = Shown()
    for (kind, value) in records.all {
      guard value.kind == .array else { throw bad(line, answer, "\(kind) is no list of records") }
      for record in records.objects(kind) ?? [] {
        guard let id = record.string("id") else { throw bad(line, answer, "a \(kind) has no id") }
        shown.records.append(
          Shown.Record(
            Target(Name(kind), Name(id)), Self.fields(record).filter { $0.name != "id" }))
      }
    }
    for kept in answer.objects("kept") ?? [] {
      guard let kind = kept.string("kind"), let record = kept.string("record"),
        let field = kept.string("field"),
        let value = Self.fields(kept).first(where: { $0.name == "value" })?.value
      else { throw bad(line, answer, "an entry of kept needs kind, record, field and value") }
      shown.kept.append(Shown.Kept(Target(Name(kind), Name(record)), Name(field), value))
    }
    return shown
  }

  // MARK: Writing

  private func request(
    _ type: String, _ device: Int? = nil, from: Int? = nil, to: Int? = nil, now: Int64? = nil
  ) -> [UInt8] {
    number += 1
    var line = Array("{\"type\":\"\(type)\",\"id\":\(number)".utf8)
    for (name, value) in [("device", device), ("from", from), ("to", to)] {
      guard let value else { continue }
      line.append(text: ",\"\(name)\":")
      line.append(jsonString: names[value])
    }
    if let now { line.append(text: ",\"now\":\(now)") }
    return line
  }

  private func append(_ body: Body, to line: inout [UInt8]) {
    guard case .json(let json) = body else { return }
    line.append(text: ",\"body\":")
    line += json
  }
}
