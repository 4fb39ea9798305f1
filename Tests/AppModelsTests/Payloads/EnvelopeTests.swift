import Bridge
import Merge
import Testing
import Wire

@testable import AppModels

@Suite("Payloads' envelopes")
struct TodoTimersEnvelopeTests {
  private static let deleted = TodoTimersMessage.timerUpdate(
    TimerUpdateMessage(deleted: Identifier("A1B2C3D4-0000-4000-8000-00000000C0DE".utf8)!))

  private func read(
    _ text: String
  ) throws -> (message: TodoTimersMessage, envelope: TodoTimersEnvelope)? {
    let line = Array("{\"payload\":\(text)}".utf8)
    return try line.withUnsafeBytes { bytes in
      var envelope = Envelope()
      try envelope.scan(bytes)
      return try TodoTimersEnvelope.read(envelope[.payload]!, bytes)
    }
  }

  private func refusal(_ text: String) -> String? {
    do {
      _ = try read(text)
      return nil
    } catch {
      return (error as? WireError)?.message
    }
  }

  @Test func knownLine() throws {
    let text =
      "{\"type\":\"timerUpdate\",\"payload\":{\"$data\":\"eyJ0aW1lcklEIjoiQTFCMkMzRDQtMDAwMC00MDAwLTgwMDAtMDAwMDAwMDBDMERFIiwidHlwZSI6ImRlbGV0ZWQifQ==\"}}"
    let known = try #require(try read(text))
    #expect(known.message == Self.deleted)
    #expect(known.envelope == TodoTimersEnvelope())
    #expect(String(decoding: TodoTimersEnvelope().dictionary(Self.deleted), as: UTF8.self) == text)
  }

  @Test func allStylesAndEncodingsRoundTrip() throws {
    let sync = TodoTimersMessage.fullSync(TimerSyncPayload(timers: [], syncTimestamp: 1.5))
    let id = Identifier(high: 1, low: 2)
    let quick = TodoTimersMessage.quickAction(
      QuickActionMessage(.todoToggled(id, isCompleted: true), timerID: id))
    for style in TodoTimersEnvelope.Style.allCases {
      for encoding in PayloadEncoding.allCases {
        let envelope = TodoTimersEnvelope(style, encoding)
        for message in [Self.deleted, sync, quick] {
          let text = String(decoding: envelope.dictionary(message), as: UTF8.self)
          let known = try #require(try read(text), "\(text)")
          #expect(known.message == message)
          #expect(known.envelope == envelope)
        }
      }
    }
    #expect(try read("{\"type\":\"syncRequest\"}")?.message == .syncRequest)
  }

  @Test(arguments: ["{}", "{\"type\":\"hello\"}", "{\"a\":1}", "{\"type\":7,\"payload\":{}}"])
  func othersAreNotTheApps(_ text: String) throws { #expect(try read(text) == nil) }

  @Test(arguments: [
    ("{\"type\":\"timerUpdate\"}", "payload is missing"),
    ("{\"type\":\"syncRequest\",\"payload\":{}}", "a syncRequest has no payload"),
    ("{\"type\":\"timerUpdate\",\"payload\":7}", "payload must be {\"$data\""),
    ("{\"type\":\"timerUpdate\",\"payload\":\"e=\"}", "payload must be a padded base64 string"),
    ("{\"type\":\"timerUpdate\",\"payload\":{\"$data\":\"\"}}", "expected '{'"),
    ("{\"timersData\":{},\"quickAction\":{}}", "\"quickAction\" does not belong beside timersData"),
    ("{\"type\":\"fullSync\",\"payload\":{\"timers\":{}}}", "timers must be a list"),
    ("{\"quickAction\":{\"action\":\"noteUpdated\"}}", "timerID is missing"),
  ])
  func refuses(_ text: String, _ reason: String) {
    #expect(refusal(text)?.hasPrefix(reason) == true, "\(refusal(text) ?? "taken")")
  }
}
