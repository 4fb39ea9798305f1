import Foundation
import Relay
import Wire

extension LinkDevice {
  // MARK: Requests

  /// Sends a request and takes its answer; nil where there is no connection.
  ///
  /// - Parameter members: JSON members, commas between.
  @discardableResult
  func request(_ type: String, _ members: String) -> Answer? {
    request(Array("{\"type\":\"\(type)\",\(members)".utf8))
  }

  /// - Parameter line: the line without an `id` and without its end.
  @discardableResult
  func request(_ line: [UInt8]) -> Answer? {
    guard isOnline else { return nil }
    acknowledge()
    let call = nextCall
    let id = "c\(call)"
    nextCall += 1
    asked.insert(id)
    defer { asked.remove(id) }
    link.send(line, id: "c", call, from: self)
    guard link.wait(for: self, until: { answers[id] != nil }) else {
      if !link.carrier.isInstant { connectionIsLost() }
      return nil
    }
    return answers.removeValue(forKey: id)
  }

  /// Waits until the server has carried out all that was sent.
  func ping() { request(Array("{\"type\":\"ping\"".utf8)) }

  /// What `getState` says, once the server has committed all that was sent; nil without a connection.
  func state() -> Members? { request(Array("{\"type\":\"getState\"".utf8))?.members }

  /// A device's lanes as the server has them.
  struct Lanes: Equatable {
    var text: [UInt8] = []
    /// Whether something is about to be handed out.
    var isMoving = false
  }

  /// What the lanes are once the server has committed all that was sent. Of a device without a session there is nothing.
  func lanes() -> Lanes {
    guard let state = state(),
      let lanes = state.object("lanes")
    else { return Lanes() }
    let isAwake = ["foreground", "background"].contains(state.string("appState"))
    let isMoving = lanes.all.contains { name, _ in
      guard let lane = lanes.object(name), lane.flag("isHeld") == false else { return false }
      let acknowledged = lane.count("acknowledged") ?? 0
      return (lane.count("waiting") ?? 0) + acknowledged > lane.count("handedOut") ?? 0
    }
    return Lanes(text: state.raw("lanes") ?? [], isMoving: isAwake && isMoving)
  }

  /// A line of the relay's.
  func receive(_ line: [UInt8]) {
    guard let members = try? Members(line, &link.envelope), let type = members.string("type") else {
      return
    }
    if ingest(members, type) {
      // A request that is made again is answered so where its transfer has ended.
      if let id = members.string("re"), asked.contains(id), type.hasPrefix("didFinish") {
        answers[id] = Answer(members: members, error: nil)
      }
      return
    }
    if let id = members.string("re") {
      let error = type == "error" ? Self.error(members) : nil
      switch id.utf8.first {
      case UInt8(ascii: "c"): answers[id] = Answer(members: members, error: error)
      case UInt8(ascii: "t"):
        if let number = UInt64(id.dropFirst()) {
          answered(number, Answer(members: members, error: error))
        }
      case UInt8(ascii: "m"):
        if let error, let number = UInt64(id.dropFirst()) { fail(number, error) }
      default: break
      }
    }
  }

  static func error(_ members: Members) -> DeviceError {
    let code = members.integer("code").flatMap { ErrorCode(rawValue: Int($0)) } ?? .genericError
    return DeviceError(code, members.string("message") ?? "")
  }

  /// - Returns: whether it was an event.
  func ingest(_ members: Members, _ type: String) -> Bool {
    switch type {
    case "didReceiveMessage", "didReceiveMessageData":
      guard !link.takeDrop(.message) else {
        let text = members.raw("payload") ?? Array(quoted(members.string("data") ?? "").utf8)
        link.history.drop(message: text, from: members.string("from") ?? "")
        break
      }
      let reply = members.string("id").map { DeviceEvent.MessageID(text: $0) }
      if type == "didReceiveMessage" {
        tell(.message(members.raw("payload") ?? [], reply: reply))
      } else {
        let data = Data(base64Encoded: members.string("data") ?? "") ?? Data()
        tell(.messageData(data, reply: reply))
      }
    case "didReceiveApplicationContext":
      let context = members.raw("payload") ?? []
      latest.receivedApplicationContext = context
      tell(.applicationContext(context), members, lane: .context)
    case "didReceiveUserInfo":
      let isComplication = members.flag("isCurrentComplicationInfo") == true
      tell(
        .userInfo(members.raw("payload") ?? []), members,
        lane: isComplication ? .complication : .userInfo)
    case "didReceiveFile": begin(members)
    case "fileChunk": append(chunk: members)
    case "didReceiveReply":
      guard let id = members.string("re"), let number = UInt64(id.dropFirst()) else { return true }
      guard let place = outbox.awaiting.removeValue(forKey: number) else { return true }
      link.history.end(place, .delivered)
      if let payload = members.raw("payload") {
        tell(.reply(to: number, .success(.payload(payload))))
      } else {
        let data = Data(base64Encoded: members.string("data") ?? "") ?? Data()
        tell(.reply(to: number, .success(.data(data))))
      }
    case "didFinishUserInfoTransfer", "didFinishFileTransfer": finished(members)
    case "isCurrentComplicationInfoDidChange":
      if let number = members.string("transfer").flatMap(outbox.number(of:)) { untag(number) }
    case "transferProgress":
      guard let transfer = members.string("transfer"), let number = outbox.number(of: transfer),
        let offset = members.integer("offset")
      else { return true }
      tell(.progress(number, sent: offset))
    case "sessionReachabilityDidChange": setReachable(members.flag("isReachable") ?? false)
    case "sessionWatchStateDidChange":
      read(members)
      if hasActivated { tell(.watchStateDidChange) }
    case "sessionCompanionAppInstalledDidChange":
      read(members)
      if hasActivated { tell(.companionAppDidChange) }
    case "sessionDidBecomeInactive":
      latest.activationState = 1
      if hasActivated { tell(.didBecomeInactive) }
    case "sessionDidDeactivate":
      isBound = false
      if members.string("reason") == "replaced" {
        isReplaced = true
        complain("\(name) of pair \(link.name) was activated elsewhere, which has its session now")
      }
      latest.activationState = 0
      setReachable(false)
      if hasActivated { tell(.didDeactivate) }
    case "hasContentPendingDidChange": if hasActivated { tell(.contentIsDrained) }
    case "appStateDidChange": stateChanged(members)
    default: return false
    }
    return true
  }
}
