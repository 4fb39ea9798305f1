import Wire

/// Somebody who carries what devices send, and decides what comes when: `watchline fuzz` (MERGE-UNDER-TEST.md).
///
/// It answers as the relay does, keeps what a device sends until that is taken, and hands over what it is told to.
package final class MergeCarrier: Carrier {
  /// Something that a device sends.
  package struct Parcel {
    /// `context`, `userInfo` or `message`.
    package var lane: String
    /// JSON, for `receive` on another device.
    package var body: [UInt8]
    /// nil for all that the device talks to.
    package var to: String?
  }

  private var lines: [String: LineQueue] = [:]
  private var sent: [String: [Parcel]] = [:]
  private var contexts: [String: String] = [:]
  private var reachable: [String: Set<String>] = [:]
  /// Transfers that each device has made, and deliveries that each has had.
  private var transfers: [String: Int] = [:]
  private var deliveries: [String: Int] = [:]

  package init() {}

  var isInstant: Bool { true }
  func open(_ device: LinkDevice) -> Bool { true }
  func close(_ device: LinkDevice) {}
  func wait(for device: LinkDevice) -> Bool { false }

  func takeLine(of device: LinkDevice) -> [UInt8]? { lines[device.name]?.dequeue() }

  private func tell(_ device: String, _ line: String) {
    lines[device, default: LineQueue()].append([Array(line.utf8)])
  }

  // MARK: What a device sends

  func send(_ line: [UInt8], of device: LinkDevice) {
    guard let members = try? Members(line), let type = members.string("type") else { return }
    let id = members.string("id").map { ",\"re\":\(quoted($0))" } ?? ""
    let payload = (members.raw("payload") ?? members.raw("data")).map {
      String(decoding: $0, as: UTF8.self)
    }
    switch type {
    case "activate": tell(device.name, activation(of: device) + id + "}")
    case "getState": tell(device.name, "{\"type\":\"state\",\(facts(of: device))\(id)}")
    case "outstandingTransfers":
      tell(device.name, "{\"type\":\"outstandingTransfers\",\"transfers\":[]\(id)}")
    case "transferUserInfo", "transferCurrentComplicationUserInfo":
      let number = transfers[device.name, default: 0] + 1
      transfers[device.name] = number
      tell(device.name, "{\"type\":\"accepted\",\"transfer\":\"\(number)\"\(id)}")
      put(device, "userInfo", "{\"userInfo\":\(payload ?? "{}"),\"number\":\(number)}")
    case "updateApplicationContext":
      tell(device.name, "{\"type\":\"accepted\"\(id)}")
      // As on a device: the same once more is not sent.
      guard contexts[device.name] != payload else { return }
      contexts[device.name] = payload
      put(device, "context", "{\"context\":\(payload ?? "{}")}")
    case "sendMessage", "sendMessageData":
      let kind = type == "sendMessage" ? "message" : "data"
      let expectsReply = members.flag("expectsReply") == true
      let name = members.string("id").map {
        ",\"id\":\(quoted($0)),\"expectsReply\":\(expectsReply)"
      }
      put(device, "message", "{\"\(kind)\":\(payload ?? "{}")\(name ?? "")}")
    case "reply":
      tell(device.name, "{\"type\":\"accepted\"\(id)}")
      // The name says whose message it answers.
      let parts = (members.string("re") ?? "").split(separator: " ", maxSplits: 1)
      guard parts.count == 2 else { return }
      let kind = members.has("data") ? "replyData" : "reply"
      let answer =
        members.integer("code").map { "\"failure\":\($0)" } ?? "\"\(kind)\":\(payload ?? "{}")"
      put(
        device, "message", "{\(answer),\"id\":\(quoted(String(parts[0])))}", to: String(parts[1]))
    case "transferFile", "cancelTransfer":
      tell(
        device.name,
        "{\"type\":\"error\",\"code\":7017,\"message\":\"\(type) is not carried here\"\(id)}")
    default: tell(device.name, "{\"type\":\"accepted\"\(id)}")
    }
  }

  private func put(_ device: LinkDevice, _ lane: String, _ body: String, to: String? = nil) {
    sent[device.name, default: []].append(Parcel(lane: lane, body: Array(body.utf8), to: to))
  }

  private func facts(of device: LinkDevice) -> String {
    let isReachable = reachable[device.name]?.isEmpty == false
    return "\"isReachable\":\(isReachable),\"isPaired\":true,\"isWatchAppInstalled\":true,"
      + "\"isComplicationEnabled\":true,\"isCompanionAppInstalled\":true,"
      + "\"remainingComplicationUserInfoTransfers\":50"
  }

  private func activation(of device: LinkDevice) -> String {
    "{\"type\":\"activationDidComplete\",\"store\":\"fuzz\",\"n\":0,\(facts(of: device))"
  }

  package func takeSent(by device: String) -> [Parcel] { sent.removeValue(forKey: device) ?? [] }

  // MARK: What comes

  /// A device is handed what another one has sent.
  ///
  /// - Parameter body: of a parcel's.
  package func receive(_ body: [UInt8], on device: String, from sender: String) {
    guard let members = try? Members(body) else { return }
    func text(_ name: String) -> String? {
      members.raw(name).map { String(decoding: $0, as: UTF8.self) }
    }
    let seq = deliveries[device, default: 0] + 1
    deliveries[device] = seq
    let from = "\"from\":\(quoted(sender))"
    if let payload = text("userInfo") {
      tell(
        device, "{\"type\":\"didReceiveUserInfo\",\(from),\"payload\":\(payload),\"seq\":\(seq)}")
      if let number = members.integer("number") {
        tell(sender, "{\"type\":\"didFinishUserInfoTransfer\",\"transfer\":\"\(number)\"}")
      }
    } else if let payload = text("context") {
      tell(
        device,
        "{\"type\":\"didReceiveApplicationContext\",\(from),\"payload\":\(payload),\"seq\":\(seq)}")
    } else if let id = members.string("id") {
      receive(members, id, on: device, from: sender, text)
    }
  }

  private func receive(
    _ members: Members, _ id: String, on device: String, from sender: String,
    _ text: (String) -> String?
  ) {
    let name = members.flag("expectsReply") == true ? ",\"id\":\(quoted("\(id) \(sender)"))" : ""
    let re = "\"re\":\(quoted(id))"
    if let message = text("message") {
      tell(
        device,
        "{\"type\":\"didReceiveMessage\",\"from\":\(quoted(sender)),\"payload\":\(message)\(name)}")
    } else if let data = text("data") {
      tell(
        device,
        "{\"type\":\"didReceiveMessageData\",\"from\":\(quoted(sender)),\"data\":\(data)\(name)}")
    } else if let reply = text("reply") {
      tell(device, "{\"type\":\"didReceiveReply\",\(re),\"payload\":\(reply)}")
    } else if let data = text("replyData") {
      tell(device, "{\"type\":\"didReceiveReply\",\(re),\"data\":\(data)}")
    } else if let code = members.integer("failure") {
      tell(
        device,
        "{\"type\":\"error\",\(re),\"code\":\(code),\"message\":\"the app does not take it\"}")
    }
  }

  /// A live message of a device's did not arrive.
  package func undelivered(_ body: [UInt8], of device: String) {
    guard let members = try? Members(body), let id = members.string("id") else { return }
    guard members.has("message") || members.has("data") else { return }
    tell(
      device,
      "{\"type\":\"error\",\"re\":\(quoted(id)),\"code\":7007,\"message\":\"the counterpart is not reachable\"}"
    )
  }

  package func setReachable(_ isReachable: Bool, _ other: String, of device: String) {
    if isReachable {
      reachable[device, default: []].insert(other)
    } else {
      reachable[device]?.remove(other)
    }
    tell(
      device,
      "{\"type\":\"sessionReachabilityDidChange\",\"isReachable\":\(reachable[device]?.isEmpty == false)}"
    )
  }
}
