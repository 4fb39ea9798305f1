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
      outbox.awaiting[number] = expectsReply
      note(.message, payload, number)
      link.trace.add(name, .message, flag: expectsReply, payload: payload)
      if let error = link.takeFailure() {
        fail(number, error)
        return number
      }
      guard facts.activationState == 2 else {
        fail(number, facts.activationState == 1 ? Self.inactive : Self.notActivated)
        return number
      }
      guard isOnline else {
        fail(
          number, DeviceError(.notReachable, "the counterpart is not reachable: \(name) is offline")
        )
        return number
      }
      var line = Array("{\"type\":\"\(isData ? "sendMessageData" : "sendMessage")\",".utf8)
      line += Array("\"\(isData ? "data" : "payload")\":".utf8) + payload
      if expectsReply { line += Array(",\"expectsReply\":true".utf8) }
      line += Array(",\"id\":\"m\(number)\"}".utf8)
      guard !expectsReply else {
        link.post(line, from: self)
        return number
      }
      link.send(line, from: self)
      // Who expects no reply hears of a failure alone, and before the answer to what is asked next.
      if !link.carrier.isInstant { ping() }
      if outbox.awaiting.removeValue(forKey: number) != nil {
        link.ledger.end(name, .message, number, .delivered)
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
    link.ledger.end(name, .message, number, .failed(error))
    guard outbox.awaiting.removeValue(forKey: number) != nil else { return }
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
      note(.message, Array("{…}".utf8), outbox.lastMessage)
      outbox.awaiting[outbox.lastMessage] = true
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
      guard facts.activationState == 2 else {
        return facts.activationState == 1 ? Self.inactive : Self.notActivated
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
      link.ledger.end(name, .context, outbox.lastContext, .replaced)
      outbox.lastContext += 1
      note(.context, payload, outbox.lastContext)
      link.trace.add(name, .context, count: Int(outbox.lastContext), payload: payload)
      return nil
    }
    if let failure { throw failure }
  }
}
