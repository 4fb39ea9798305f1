import AppModels
import Merge
import Wire

/// The device's session with a server.
extension HeadlessDevice {
  /// A connection is open.
  package func didConnect(now: Int64) {
    session = .activating
    var line: [UInt8] = []
    line.append("{\"type\":\"activate\",\"id\":\"activate\",\"pair\":", quoted: profile.pair)
    line.append(",\"role\":", quoted: profile.isPhone ? "phone" : "watch")
    line.append(",\"device\":", quoted: profile.name)
    line.append(",\"acknowledge\":\"automatic\"}" as StaticString)
    send(line)
    finish(now: now)
  }

  /// The connection has gone; what was to be sent on it goes with it, but no edit.
  package func didDisconnect(now: Int64) {
    guard session != .none else { return }
    _ = takeOutput()
    session = .none
    sync.disconnected()
    status.isConnected = false
    status.isReachable = false
    finish(now: now)
  }

  /// A line has come from the server, without its LF.
  package func didReceive(_ bytes: [UInt8], now: Int64) {
    sync.clock = now
    do {
      let line = try Members(bytes)
      if line.type.hasPrefix("sync.") || line.type == "error" {
        try received(records: line, now: now)
      } else {
        received(line, now: now)
      }
    } catch let error as WireError {
      breakOff("the server's line makes no sense: \(error.message)")
    } catch {
      breakOff("\(error)")
    }
    finish(now: now)
  }

  private func received(records line: Members, now: Int64) throws {
    if line.type == "error", let re = line.string("re"), re == "activate" || re == "message" {
      return refused(line, re)
    }
    let before = sync.vector
    let wasFilledUp = sync.isDrained
    try sync.received(line.bytes)
    if sync.vector != before { app.recordsDidChange(now: now) }
    if sync.isDrained, !wasFilledUp { status.error = nil }
  }

  private func refused(_ line: Members, _ request: String) {
    let message = line.string("message") ?? "no reason was given"
    if request == "activate" {
      refusal = "the server does not take this device: \(message)"
      return breakOff(refusal!)
    }
    tell(.info("a live message was not received: \(message)"))
  }

  private func received(_ line: Members, now: Int64) {
    switch line.type {
    case "activationDidComplete":
      session = .active
      status.isConnected = true
      status.isReachable = line.isTrue("isReachable")
      sync.open()
      tell(.info("online as the \(profile.isPhone ? "phone" : "watch") of \(profile.pair)"))
    case "sessionReachabilityDidChange":
      status.isReachable = line.isTrue("isReachable")
      let counterpart = profile.isPhone ? "watch" : "phone"
      tell(.info("the \(counterpart) is \(status.isReachable ? "" : "not ")reachable"))
    case "didReceiveMessage":
      app.didReceive(message: line.raw("payload") ?? [], now: now)
      guard let id = line.raw("id") else { return }
      send(Array(#"{"type":"reply","payload":{},"re":"#.utf8) + id + [0x7D])
    case "didReceiveUserInfo", "didReceiveApplicationContext":
      let payload = String(decoding: line.raw("payload") ?? [], as: UTF8.self)
      tell(.info("\(line.type) \(payload.prefix(200))"))
    case "sessionDidDeactivate":
      guard line.string("reason") == "replaced" else { return }
      breakOff("another connection has taken this device's session over; online takes it back")
    default: break
    }
  }

  /// Goes offline for a reason that another attempt at once would not remove.
  private func breakOff(_ reason: String) {
    wantsConnection = false
    status.error = reason
    tell(.error(reason))
  }
}
