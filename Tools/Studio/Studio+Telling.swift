internal import Dispatch
internal import Pages
internal import Simulation
internal import Wire

// What pages are told.
extension Studio {
  /// Lines in one message at most: of more the newest.
  private static let mostLines = 500

  func tellAll() { for client in told.keys.sorted() { tell(client) } }

  func tell(_ client: UInt64) {
    guard var told = told[client] else { return }
    if told.world != worlds { told = Told(world: worlds) }
    var json = JSONWriter()
    json.object { json in
      json.member("type", "state")
      json.member("world", worlds)
      json.member("title", title)
      json.raw("isRunning", isRunning ? "true" : "false")
      json.raw("flows", flows ? "true" : "false")
      if let recording { recording.write(&json) } else { world.write(&json) }
      writeLines(&told, &json)
      writeSteps(&told, &json)
    }
    self.told[client] = told
    pages.send(json.bytes, to: client)
  }

  private func writeLines(_ told: inout Told, _ json: inout JSONWriter) {
    let all = recording?.lines ?? world.lines
    let dropped = recording == nil ? world.droppedLines : 0
    let first = max(told.lines, dropped, dropped + all.count - Self.mostLines)
    json.member("linesSkipped", first - told.lines)
    json.array("lines", Array(all[(first - dropped)...])) { json, line in
      json.object { json in
        json.member("at", line.at)
        json.member("from", line.from)
        json.member("to", line.to)
        json.member("step", line.step)
        json.member("text", line.text)
      }
    }
    told.lines = dropped + all.count
  }

  private func writeSteps(_ told: inout Told, _ json: inout JSONWriter) {
    let count = recording?.count ?? world.steps.count
    json.member("historyFrom", min(told.steps, count))
    if let recording {
      recording.writeSteps(from: told.steps, &json)
    } else {
      world.writeSteps(from: told.steps, &json)
    }
    told.steps = count
  }

  // MARK: Judgements

  /// Everything is played anew for that. In memory a thread does so, and nobody waits for it.
  func judge(for client: UInt64) {
    if let recording {
      return pages.send(Self.judged { recording.writeJudgement(&$0) }, to: client)
    }
    let trace = world.trace
    if let target {
      pages.send(Self.judgement(of: trace, on: target), to: client)
    } else {
      judgements.append((client, Later(on: .global()) { Self.judgement(of: trace, on: nil) }))
    }
  }

  func tellJudgements() {
    judgements.removeAll { client, later in
      guard let json = later.value else { return false }
      if told[client] != nil { pages.send(json, to: client) }
      return true
    }
  }

  private static func judgement(of trace: Trace, on target: (any ServerTarget)?) -> [UInt8] {
    do throws(HarnessFailure) {
      let judgement = try StudioWorld.judged(trace, on: target)
      return judged { StudioWorld.write(judgement, &$0) }
    } catch {
      return refusal(error.description)
    }
  }

  private static func judged(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.member("type", "judged")
      write(&json)
    }
    return json.bytes
  }

  private static func refusal(_ message: String) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.member("type", "error")
      json.member("message", message)
    }
    return json.bytes
  }

  func refuse(_ client: UInt64, _ message: String) {
    pages.send(Self.refusal(message), to: client)
  }
}
