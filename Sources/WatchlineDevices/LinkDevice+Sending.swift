import Foundation
import Wire

/// What an app sends to its counterpart as it is now: messages, and its context.
extension LinkDevice {
  // MARK: Messages

  /// - Returns: the message's number, which its reply or its error has.
  package func sendMessage(_ payload: [UInt8], isData: Bool, expectsReply: Bool) -> UInt64 {
    locked {
      outbox.lastMessage += 1
      let number = outbox.lastMessage
      let place = note(.message, payload)
      outbox.awaiting[number] = place
      link.trace.add(name, .message, flag: expectsReply, payload: payload)
      if let error = link.takeFailure() {
        fail(number, error)
        return number
      }
      guard shown.activationState == 2 else {
        fail(number, shown.activationState == 1 ? Self.inactive : Self.notActivated)
        return number
      }
      guard isOnline else {
        fail(
          number, DeviceError(.notReachable, "the counterpart is not reachable: \(name) is offline")
        )
        return number
      }
      var line: [UInt8] = []
      line.reserveCapacity(payload.count + 100)
      line.append(
        isData
          ? #"{"type":"sendMessageData","data":"#
          : #"{"type":"sendMessage","payload":"#
            as StaticString)
      line += payload
      if expectsReply { line.append(#","expectsReply":true"# as StaticString) }
      guard !expectsReply else {
        link.post(line, id: "m", number, from: self)
        return number
      }
      link.send(line, id: "m", number, from: self)
      // Who expects no reply hears of a failure alone, and before the answer to what is asked next.
      if !link.carrier.isInstant { ping() }
      if let place = outbox.awaiting.removeValue(forKey: number) {
        link.history.end(place, .delivered)
      }
      return number
    }
  }

  /// Answers a message.
  package func reply(to message: DeviceEvent.MessageID, _ payload: [UInt8], isData: Bool) {
    locked {
      guard isOnline else { return }
      link.trace.brought(link.devices)
      link.trace.add(name, .reply)
      var line = Array("{\"type\":\"reply\",\"re\":\(quoted(message.text)),".utf8)
      line += Array("\"\(isData ? "data" : "payload")\":".utf8) + payload
      link.post(line + [0x7D], from: self)
    }
  }

  /// A message has come to nothing; told once.
  func fail(_ number: UInt64, _ error: DeviceError) {
    guard let place = outbox.awaiting.removeValue(forKey: number) else { return }
    link.history.end(place, .failed(error))
    tell(.reply(to: number, .failure(error)))
  }

  static let notActivated = DeviceError(
    .sessionNotActivated, "the session is not activated: call activate() and wait for its callback")
  static let inactive = DeviceError(
    .sessionInactive, "the watch is being switched: activate again after sessionDidDeactivate")

  /// A message that cannot be sent is told as one that has failed.
  package func messageFailed(_ error: DeviceError) -> UInt64 {
    locked {
      outbox.lastMessage += 1
      let place = note(.message, Array("{…}".utf8))
      outbox.awaiting[outbox.lastMessage] = place
      fail(outbox.lastMessage, error)
      return outbox.lastMessage
    }
  }

  /// The app has no method for a message that expects a reply.
  package func failMessage(_ message: DeviceEvent.MessageID) {
    locked { _ = request("reply", "\"re\":\(quoted(message.text)),\"code\":7014") }
  }

  /// A reply cannot be encoded: the sender is told 7011, as the relay refuses it.
  package func failReply(_ message: DeviceEvent.MessageID) {
    locked {
      _ = request("reply", "\"re\":\(quoted(message.text)),\"payload\":{\"unsupported\":null}")
    }
  }

  // MARK: Context

  /// - Throws: what the relay says against it.
  package func updateApplicationContext(_ payload: [UInt8]) throws(DeviceError) {
    let failure = locked { () -> DeviceError? in
      guard shown.activationState == 2 else {
        return shown.activationState == 1 ? Self.inactive : Self.notActivated
      }
      if let error = link.takeFailure() { return error }
      if isOnline {
        store?.note(unsentContext: payload)
        let answer = request(
          Array("{\"type\":\"updateApplicationContext\",\"payload\":".utf8) + payload)
        // Without an answer it is sent again.
        outbox.hasContext = answer == nil
        if answer != nil { store?.note(unsentContext: nil) }
        if let error = answer?.error { return error }
      } else {
        outbox.hasContext = true
        store?.note(unsentContext: payload)
      }
      set(applicationContext: payload)
      link.history.end(outbox.context, .replaced)
      outbox.lastContext += 1
      outbox.context = note(.context, payload)
      link.trace.add(name, .context, count: Int(outbox.lastContext), payload: payload)
      return nil
    }
    if let failure { throw failure }
  }
}
