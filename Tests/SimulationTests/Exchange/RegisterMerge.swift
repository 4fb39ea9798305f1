import Merge

@testable import Simulation

/// A merge as people write it: last write wins, of whole records or of fields, with stamps that are
/// above all that was seen.
final class RegisterMerge: MergeUnderTest {
  enum Rule {
    case wholeRecord, fields
    /// Fields, and whatever was said last wins, whoever hears it last.
    case arrival
    /// Fields, with the clock as it is.
    case wallClock
    /// Fields, and the watch wins ties.
    case watchFirst
    /// Fields, and what a device has it keeps.
    case own
  }

  struct Stamp: Comparable {
    var ms: Int64
    var rank: Int

    static func < (left: Stamp, right: Stamp) -> Bool {
      (left.ms, left.rank) < (right.ms, right.rank)
    }
  }

  struct Record {
    var fields: [Name: (value: [UInt8], stamp: Stamp)] = [:]
    var updated: Stamp
    var deleted: Stamp?

    var isVisible: Bool { deleted.map { $0 < updated } ?? true }
  }

  let rule: Rule
  let behaviour: UInt64 = 0
  private var devices: [[Target: Record]] = []
  private var phones: [Bool] = []
  private var clocks: [Int64] = []
  private var bodies: [[Target: Record]] = []

  init(_ rule: Rule) { self.rule = rule }

  func start(
    _ devices: [Trace.Device], _ settings: ExchangeSettings, random: UInt64
  ) throws(MergeFailure) -> Started {
    phones = devices.map(\.isPhone)
    self.devices = devices.map { _ in [:] }
    clocks = devices.map { _ in 0 }
    bodies = []
    return Started(.state, can: [.delete])
  }

  func edit(
    _ device: Int, _ edit: Edit, now: Int64, since moment: Int?
  ) throws(MergeFailure) -> Answer {
    clocks[device] = rule == .wallClock ? now : max(now, clocks[device] + 1)
    let isFirst = phones[device] != (rule == .watchFirst)
    let stamp = Stamp(ms: clocks[device], rank: isFirst ? 10 + device : device)
    let target = Target(edit.kind, edit.record)
    switch edit.change {
    case .create(let json), .set(let json):
      var record = devices[device][target] ?? Record(updated: stamp)
      for field in Spelling.fields(json) { record.fields[field.name] = (field.value, stamp) }
      record.updated = max(record.updated, stamp)
      devices[device][target] = record
    case .delete: devices[device][target]?.deleted = stamp
    default: return .unsupported
    }
    return .done([])
  }

  func snapshot(_ device: Int, to: Int, now: Int64) throws(MergeFailure) -> Body {
    bodies.append(devices[device])
    return .json(Array("\(bodies.count - 1)".utf8))
  }

  func receive(
    _ device: Int, from: Int, _ lane: Lane, _ body: Body, now: Int64
  ) throws(MergeFailure) -> Answer {
    guard case .json(let text) = body else { return .done([]) }
    for (target, theirs) in bodies[Int(String(decoding: text, as: UTF8.self))!] {
      devices[device][target] = merged(devices[device][target], theirs)
      let newest = max(theirs.updated.ms, theirs.deleted?.ms ?? 0)
      if rule != .wallClock { clocks[device] = max(clocks[device], newest) }
    }
    return .done([])
  }

  private func merged(_ own: Record?, _ theirs: Record) -> Record {
    guard var own else { return theirs }
    let deleted = [own.deleted, theirs.deleted].compactMap { $0 }.max()
    if rule == .wholeRecord {
      if own.updated < theirs.updated { own = theirs }
    } else {
      for (name, field) in theirs.fields where rule != .own || own.fields[name] == nil {
        if rule == .arrival || own.fields[name].map({ $0.stamp < field.stamp }) ?? true {
          own.fields[name] = field
        }
      }
      own.updated = max(own.updated, theirs.updated)
    }
    own.deleted = deleted
    return own
  }

  func state(_ device: Int, withKept: Bool) throws(MergeFailure) -> Shown {
    Shown(
      records: devices[device].filter { $0.value.isVisible }.sorted { $0.key < $1.key }.map {
        Shown.Record(
          $0.key,
          $0.value.fields.sorted { $0.key < $1.key }.map { Shown.Field($0.key, $0.value.value) })
      })
  }

  func restart(_ device: Int, now: Int64) throws(MergeFailure) -> Answer { .done([]) }
}
