import Bridge
import Foundation
import Hub
import Merge
import Relay
import RelaySupport
import Testing
import Wire

/// Whole records of a schema that nobody has written a line of code for: its payloads follow from it (clause 13.3).
@Suite("The bridge for schemas of one's own")
struct OwnSchemaTests {
  /// Every type, a group, two kinds in a record, a text, a field that only a create writes.
  private static let text = """
    {"schema":"trips","kinds":[
    {"kind":"trip","order":"place","fields":[
    {"field":"title","type":"string","rules":[{"notBlank":true,"code":4021,"message":"A trip needs a title"}]},
    {"field":"country","type":"string","fixed":true},
    {"field":"budget","type":"decimal","optional":true},
    {"field":"about","type":"text","optional":true},
    {"group":"span","fields":[{"field":"from","type":"date","optional":true},
    {"field":"to","type":"date","optional":true,"rules":[{"notBefore":"from","code":4028,"message":"It ends before it begins"}]}]},
    {"field":"createdAt","type":"date","default":"now","fixed":true}],
    "derived":[{"field":"updatedAt","is":"touched"}]},
    {"kind":"item","order":"place","container":{"kind":"trip","field":"trip"},"fields":[
    {"field":"label","type":"string"},{"field":"count","type":"int","default":1},{"field":"isPacked","type":"bool","default":false}],
    "derived":[{"field":"updatedAt","is":"touched"}]},
    {"kind":"leg","order":"place","container":{"kind":"trip","field":"trip"},"fields":[
    {"field":"miles","type":"double"},{"field":"ticket","type":"uuid","optional":true}],
    "derived":[{"field":"updatedAt","is":"touched"}]}]}
    """

  private let world: World
  private let schema: Schema
  private let codec: RecordCodec

  init() throws {
    schema = try Schema(json: Array(Self.text.utf8))
    codec = RecordCodec(schema)
    var options = Relay.Options()
    options.hubs = Hubs.keeping([schema])
    world = try World(options)
    world.now = 1_763_719_200_000_000
  }

  private static let id = "6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F"
  private static let item = "A0000000-0000-4000-8000-000000000001"
  private static let leg = "A0000000-0000-4000-8000-000000000002"

  private static let trip = """
    {"contains":{"item":[{"createdAt":785412000,"fields":{"count":2,"isPacked":false,"label":"socks"},"id":"\(item)","place":0,"updatedAt":785412000}],\
    "leg":[{"createdAt":785412000,"fields":{"miles":12.5,"ticket":"\(id)"},"id":"\(leg)","place":0,"updatedAt":785412000}]},\
    "createdAt":785412000,"fields":{"about":"by \\"train\\"","budget":112.5,"country":"IT","from":785412000,"title":"Rome","to":785498400},\
    "id":"\(id)","kind":"trip","place":0,"updatedAt":785412000}
    """

  private static func update(_ type: String, _ record: String) -> String {
    "{\"type\":\"recordUpdate\",\"payload\":{\"id\":\"\(id)\",\"kind\":\"trip\",\"record\":\(record),\"type\":\"\(type)\"}}"
  }

  private func ask(_ line: String, on name: String) -> [String] {
    world.send(line, on: name)
    world.settle()
    return world.client(name).takeLines()
  }

  private func send(_ payload: String) -> [String] {
    ask("{\"type\":\"transferUserInfo\",\"payload\":\(payload)}", on: "phone")
  }

  /// A phone with whole records, and a watch that types.
  private func begin() {
    _ = ask("activate pair=p role=phone bridge=trips", on: "phone")
    _ = ask("acknowledge", on: "phone")
    _ = ask("activate pair=p role=watch", on: "watch")
    _ = ask("sync.open schema=trips", on: "watch")
    _ = ask("acknowledge", on: "phone")
  }

  private func changed(_ old: String, _ new: String) -> String {
    Self.trip.replacingOccurrences(of: old, with: new)
  }

  @Test func recordsGoThereAndBack() throws {
    begin()
    #expect(send(Self.update("created", Self.trip)).contains { $0.contains("didFinish") })
    let view = ask("sync.view", on: "watch").joined()
    for part in [
      "\"title\":\"Rome\"", "\"country\":\"IT\"", "\"budget\":112.5",
      "\"about\":\"by \\\"train\\\"\"",
      "\"from\":785412000", "\"label\":\"socks\"", "\"count\":2", "\"miles\":12.5",
      "\"ticket\":\"\(Self.id)\"",
    ] {
      #expect(view.contains(part), "\(part) is not in \(view)")
    }
    // A field, one of a group, and one in a record of the other's are edited, each by itself.
    _ = ask("sync.edit kind=trip record=\(Self.id) set={\"title\":\"Roma\"}", on: "watch")
    _ = ask("sync.edit kind=item record=\(Self.item) set={\"isPacked\":true}", on: "watch")
    world.pass(seconds: 1)
    let told = world.client("phone").takeLines()
    let expected =
      "\"fields\":{\"about\":\"by \\\"train\\\"\",\"budget\":112.5,\"country\":\"IT\",\"from\":785412000,\"title\":\"Roma\",\"to\":785498400}"
    #expect(
      told.contains { $0.contains(expected) && $0.contains("\"type\":\"updated\"") }, "\(told)")
    #expect(told.contains { $0.contains("\"item\":[{\"createdAt\":0,") }, "\(told)")
    // What the phone changes meanwhile does not overwrite that.
    let later = changed("\"budget\":112.5", "\"budget\":99").replacingOccurrences(
      of: "785412000}", with: "785412009}")
    #expect(send(Self.update("updated", later)).contains { $0.contains("didFinish") })
    let merged = ask("sync.view", on: "watch").joined()
    for part in ["\"title\":\"Roma\"", "\"budget\":99", "\"isPacked\":true"] {
      #expect(merged.contains(part), "\(part) is not in \(merged)")
    }
    #expect(
      send(
        "{\"type\":\"recordUpdate\",\"payload\":{\"type\":\"deleted\",\"kind\":\"trip\",\"id\":\"\(Self.id)\"}}"
      )
      .contains { $0.contains("didFinish") })
  }

  /// What a codec writes it reads, in each of the encodings.
  @Test(arguments: PayloadEncoding.allCases) func roundTrips(_ encoding: PayloadEncoding) throws {
    let given = try #require(try read(Self.update("created", Self.trip)))
    guard case .copy(let record, isMade: true) = given.message else {
      Issue.record("\(given.message)")
      return
    }
    let bytes = codec.payload(.created(record), envelope: UInt64(encoding.rawValue), now: 1)
    let known = try #require(try read(String(decoding: bytes, as: UTF8.self)))
    #expect(known.envelope == UInt64(encoding.rawValue))
    guard case .copy(record, isMade: true) = known.message else {
      Issue.record("\(known.message)")
      return
    }
    if encoding == .object {
      #expect(String(decoding: bytes, as: UTF8.self) == Self.update("created", Self.trip))
    }
    let all = codec.payload(.all([record]), envelope: UInt64(encoding.rawValue), now: 7.5)
    guard
      case .all([record], madeAt: 7.5)? = try read(String(decoding: all, as: UTF8.self))?.message
    else {
      Issue.record("\(String(decoding: all, as: UTF8.self))")
      return
    }
  }

  private func read(_ payload: String) throws -> (any SaidRecords)? {
    let line = Array("{\"payload\":\(payload)}".utf8)
    return try line.withUnsafeBytes { bytes in
      var envelope = Envelope()
      try envelope.scan(bytes)
      return try codec.read(envelope[.payload]!, bytes, after: 0)
    }
  }

  @Test(arguments: [
    (
      "\"title\":\"Rome\"", "\"titel\":\"Rome\"", "4004",
      "record.fields.titel is not known here; did you mean title?"
    ),
    ("\"title\":\"Rome\",", "", "4003", "title of trip \(id) is missing; it must be a string"),
    ("\"title\":\"Rome\"", "\"title\":\" \"", "4021", "A trip needs a title"),
    ("\"to\":785498400", "\"to\":1", "4028", "It ends before it begins"),
    (
      "\"count\":2", "\"count\":2.5", "4004",
      "record.contains.item[0].fields.count must be a whole number"
    ),
    (
      "\"count\":2", "\"count\":\"2\"", "4004",
      "record.contains.item[0].fields.count must be a whole number"
    ),
    ("\"budget\":112.5", "\"budget\":true", "4004", "record.fields.budget must be a number"),
    (
      "\"ticket\":\"\(id)\"", "\"ticket\":\"x\"", "4004",
      "record.contains.leg[0].fields.ticket must be a UUID"
    ),
    (
      "\"leg\":[", "\"legs\":[", "4004", "record.contains.legs is not known here; did you mean leg?"
    ),
    (leg, item, "4004", ""),
    (
      "\"kind\":\"trip\",\"place\":0", "\"kind\":\"trip\",\"place\":-1", "4004",
      "place of trip \(id) is -1"
    ),
    (
      "\"updatedAt\":785412000}],\"leg\"", "\"updatedAt\":-1}],\"leg\"", "4004",
      "updatedAt of item \(item) is before 2001"
    ),
    ("\"contains\":{", "\"contents\":{", "4004", "record.contents is not known here"),
    (
      "\"createdAt\":785412000,\"fields\":{\"about\"", "\"fields\":{\"about\"", "4003",
      "record.createdAt is missing"
    ),
  ])
  func refuses(_ old: String, _ new: String, _ code: String, _ reason: String) {
    begin()
    let answer = send(Self.update("created", changed(old, new))).last ?? ""
    // Two kinds may share an id: their records are two.
    guard !reason.isEmpty else { return #expect(answer.contains("didFinish"), "\(answer)") }
    #expect(answer.contains("\"code\":\(code)"), "\(answer)")
    #expect(answer.replacingOccurrences(of: "\\\"", with: "\"").contains(reason), "\(answer)")
    #expect(!ask("sync.view", on: "watch").joined().contains("Rome"))
  }

  @Test func whatOnlyACreateWritesStays() {
    begin()
    _ = send(Self.update("created", Self.trip))
    let other = changed("\"IT\"", "\"FR\"").replacingOccurrences(
      of: "785412000}", with: "785412009}")
    let answer = send(Self.update("updated", other))
    #expect(answer.contains { $0.contains("didFinish") }, "\(answer)")
    world.pass(seconds: 1)
    let told = answer + world.client("phone").takeLines()
    #expect(told.contains { $0.contains("\"updated\"") && $0.contains("\"IT\"") }, "\(told)")
    #expect(ask("sync.view", on: "watch").joined().contains("\"country\":\"IT\""))
  }

  /// Of a list what cannot be taken is refused by itself.
  @Test func oneOfAList() {
    begin()
    let other = "00000000-0000-0009-0000-000000000009"
    let wrong =
      "{\"contains\":{\"item\":[],\"leg\":[]},\"createdAt\":1,\"fields\":{\"country\":\"IT\"},\"id\":\"\(other)\",\"kind\":\"trip\",\"updatedAt\":1}"
    let answer =
      send(
        "{\"type\":\"fullSync\",\"payload\":{\"records\":[\(Self.trip),\(wrong)],\"syncTimestamp\":785412000}}"
      ).first { $0.contains("refused") } ?? ""
    #expect(answer.contains("\"kind\":\"trip\",\"record\":\"\(other)\",\"code\":4003"), "\(answer)")
    #expect(ask("sync.view", on: "watch").joined().contains("Rome"))
  }

  /// What is about no record goes to the counterpart.
  @Test func othersGoOn() {
    begin()
    _ = send("{\"type\":\"hello\",\"payload\":{}}")
    #expect(world.client("watch").takeLines().contains { $0.contains("\"hello\"") })
    let asked = send("{\"type\":\"syncRequest\"}")
    #expect(asked.contains { $0.contains("fullSync") })
    #expect(world.client("watch").takeLines().allSatisfy { !$0.contains("syncRequest") })
  }
}
