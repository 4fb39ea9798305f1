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
    if let token = profile.token { line.append(",\"token\":", quoted: token) }
    line += sync.activation + [0x7D]
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
      if line.type == "error", line.string("re") == "activate" {
        refused(line)
      } else {
        let vector = sync.vector
        let wasDrained = sync.isDrained
        let isForApp = try sync.ingest(line)
        if sync.vector != vector { app.recordsDidChange(now: now) }
        if sync.isDrained, !wasDrained { status.error = nil }
        if isForApp { received(line, now: now) }
      }
    } catch let error as WireError {
      breakOff("the server's line makes no sense: \(error.message)")
    } catch {
      breakOff("\(error)")
    }
    finish(now: now)
  }

  private func refused(_ line: Members) {
    refusal = "the server does not take this device: \(line.reason)"
    breakOff(refusal!)
  }

  private func received(_ line: Members, now: Int64) {
    switch line.type {
    case "activationDidComplete":
      session = .active
      status.isConnected = true
      status.isReachable = line.isTrue("isReachable")
      tell(.info("online as the \(profile.isPhone ? "phone" : "watch") of \(profile.pair)"))
    case "sessionReachabilityDidChange":
      status.isReachable = line.isTrue("isReachable")
      let counterpart = profile.isPhone ? "watch" : "phone"
      tell(.info("the \(counterpart) is \(status.isReachable ? "" : "not ")reachable"))
    case "error": tell(.info("a live message was not received: \(line.reason)"))
    case "didReceiveMessage":
      lastLive = line.raw("payload") ?? []
      app.didReceive(message: lastLive, now: now)
      guard let id = line.raw("id") else { return }
      send(Array(#"{"type":"reply","payload":{},"re":"#.utf8) + id + [0x7D])
    case "didReceiveUserInfo", "didReceiveApplicationContext":
      let payload = line.raw("payload") ?? []
      tell(.info("\(line.type) \(String(decoding: payload, as: UTF8.self).prefix(200))"))
      guard payload != lastLive else { return }
      guard let state = try? TimerStateMessage(live: payload) else {
        return app.didReceive(message: payload, now: now)
      }
      if let state = state.later(now) { app.didReceive(message: state.live, now: now) }
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

extension Members {
  /// Why something was refused, as errors tell it.
  var reason: String { string("message") ?? "no reason was given" }
}
