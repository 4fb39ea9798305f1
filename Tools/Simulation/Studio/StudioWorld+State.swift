import AppModels
import Device
import LaneModel
import Merge
package import Wire

// What a page shows of the world.
extension StudioWorld {
  /// Members of an object: where the world stands, its devices, server, queues and records.
  package func write(_ json: inout JSONWriter) {
    json.member("step", position)
    json.member("steps", steps.count)
    json.member("at", at)
    json.member("now", run.now)
    json.member("refusal", refusal)
    json.member("schema", trace.schema)
    json.member("caption", position > 0 ? steps[position - 1].caption : nil)
    json.member("next", position < steps.count ? steps[position].caption : nil)
    Self.write(findings, &json)
    json.object("server") { json in
      json.raw("isFailing", run.site.isFailing ? "true" : "false")
      json.member("uncommitted", run.site.uncommitted)
      json.raw("isReal", isReal ? "true" : "false")
      let verbs: [TraceEvent.Verb] = [.kill, .stop, .fail, .commit]
      json.array("can", verbs.filter { !(target?.impossible.contains($0) ?? false) }) {
        $0.string($1.rawValue)
      }
    }
    json.array("devices", run.nodes) { json, node in json.object { write(node, &$0) } }
    json.array("queues", Array(run.lanes.transfers.suffix(200))) { json, transfer in
      json.object { write(transfer, &$0) }
    }
    StudioRecords(run).write(&json)
  }

  /// What a judge says: the member `findings`, and what the devices show where all was carried.
  package static func write(_ judgement: Judgement, _ json: inout JSONWriter) {
    write(judgement.findings, &json)
    judgement.end.write(&json)
  }

  /// The member `findings`.
  static func write(_ findings: [Finding], _ json: inout JSONWriter) {
    json.array("findings", findings) { json, finding in
      json.object { json in
        json.member("slug", finding.slug)
        json.member("headline", finding.headline)
        json.array("story", finding.story) { $0.string($1) }
      }
    }
  }

  /// The steps from one on, as a person would call them.
  package func writeSteps(from first: Int, _ json: inout JSONWriter) {
    json.array("history", Array(steps[min(first, steps.count)...])) { json, step in
      json.string(Self.title(step.intent))
    }
  }

  private static func title(_ intent: Intent) -> String {
    switch intent {
    case .type(let device, let line): return "\(device): \(line)"
    case .wait(let milliseconds):
      return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s pass" : "\(milliseconds) ms pass"
    case .event(let event):
      if let edit = event.edit { return "\(event.device): \(edit.spelled)" }
      let parts = [event.lane, event.to, event.count.map(String.init), event.flag.map { "\($0)" }]
      return "\(event.device): "
        + ([event.verb.rawValue] + parts.compactMap(\.self)).joined(separator: " ")
    }
  }

  // MARK: Devices

  private func write(_ node: ServerNode, _ json: inout JSONWriter) {
    json.member("name", node.name)
    json.raw("isConnected", node.isActive ? "true" : "false")
    json.raw("isWanted", wanted.contains(node.name) ? "true" : "false")
    json.raw("isReachable", node.isActive && node.lanes.isReachable ? "true" : "false")
    json.raw("isHolding", node.lanes.isHolding ? "true" : "false")
    json.member("skew", node.skew)
    json.member("pending", node.sync?.pendingCount ?? 0)
    guard let screen = screens.first(where: { $0.name == node.name }) else {
      return json.member("kind", node.app != nil ? "whole records" : "typed")
    }
    json.member("kind", "\(screen.idiom)")
    let commands = screen.app.commands
    json.array("commands", commands) { json, command in
      json.object { json in
        json.member("word", command.word)
        json.member("arguments", command.arguments)
        json.member("summary", command.summary)
      }
    }
    json.array("told", screen.told) { $0.string($1) }
    var description = JSONWriter()
    screen.app.screen(now: screen.now).write(&description, commands)
    json.raw("screen", String(decoding: description.bytes, as: UTF8.self))
  }

  // MARK: Queues

  private func write(_ transfer: DeliveryChecker.Transfer, _ json: inout JSONWriter) {
    json.member("id", transfer.id)
    json.member("from", transfer.sender)
    json.member("lane", "\(transfer.kind)")
    json.member("state", Self.state(transfer))
    json.member("deliveries", transfer.deliveries)
    json.member("receiver", transfer.place?.receiver)
    json.member("seq", transfer.place.map { "\($0.lane) \($0.seq)" })
    json.member("content", Self.content(transfer))
    json.member("for", receiver(transfer))
    json.raw("isParked", isParked(transfer) ? "true" : "false")
  }

  /// Whom a transfer is for, where that is known.
  private func receiver(_ transfer: DeliveryChecker.Transfer) -> String? {
    guard transfer.isFromPhone else { return run.nodes.first { $0.device.isPhone }?.name }
    return transfer.receivers.flatMap { $0.count == 1 ? $0.first : nil }
  }

  /// Whether it comes from a watch, or goes to one, that is not the active one.
  private func isParked(_ transfer: DeliveryChecker.Transfer) -> Bool {
    guard let watch = transfer.isFromPhone ? receiver(transfer) : transfer.sender,
      let active = run.nodes.first(where: { $0.device.isPhone })?.lanes.attached
    else { return false }
    return watch != active
  }

  /// What it carries, for people to look at.
  private static func content(_ transfer: DeliveryChecker.Transfer) -> String {
    let text = String(decoding: transfer.content.prefix(200), as: UTF8.self)
    return transfer.kind == .file ? "\(transfer.content.count) bytes" : text
  }

  private static func state(_ transfer: DeliveryChecker.Transfer) -> String {
    if transfer.isCancelled { return "cancelled" }
    if let result = transfer.result { return result == 0 ? "finished" : "failed with \(result)" }
    if transfer.isRefused { return "refused" }
    if transfer.place != nil { return "delivered" }
    if transfer.isHandedOut { return "handed out" }
    return transfer.isAccepted ? "waiting at the server" : "at the device"
  }
}
