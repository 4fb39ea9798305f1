import AppModels
import Bridge
import Merge
import Wire

/// What an app that knows whole records only has stored on a device, what its person can do, and how it says that.
protocol RecordModel {
  /// Records that are sent by themselves, each behind what contains it, and as lists show them.
  var ordered: [WholeRecord] { get }
  /// Those of them that its person sees: one whose container is gone is hidden.
  var shown: [WholeRecord] { get }
  /// Fields that it changes by an action without a date.
  var undated: Set<Name> { get }
  /// It asks for everything.
  var request: Said { get }

  /// All that it has.
  func fullSync(now: Double) -> Said
  /// A copy that is sent once more.
  func late(_ copy: WholeRecord) -> Said
  /// What a dictionary of the hub's says; nil where it cannot be read.
  func read(_ dictionary: [UInt8]) -> Incoming?
  /// Takes in a dictionary that can be read. Returns what it answers.
  mutating func apply(_ dictionary: [UInt8], now: Double) -> [Said]
  /// Returns what it sends; nil where it cannot do that. It may have changed even so.
  mutating func perform(_ edit: Edit, now: Double) -> [Said]?
  /// Puts all lists into another order: those of a list of so many, by their present places.
  mutating func rearrange(now: Double, _ order: (Int) -> [Int]) -> [Said]
  /// Everything that it had stored is gone.
  mutating func reset()
}

/// What a device says, and the dictionary that carries it.
struct Said {
  var message: Incoming
  var dictionary: [UInt8]
}

extension [WholeRecord] {
  /// The record that is or contains another.
  func root(of target: Target) -> WholeRecord? {
    first { $0.target == target || $0.child(target) != nil }
  }
}

/// A value of a line that carries a dictionary.
private func withPayload<Result>(
  _ dictionary: [UInt8], _ body: (Value, UnsafeRawBufferPointer) -> Result?
) -> Result? {
  let line = Array("{\"type\":\"didReceiveUserInfo\",\"payload\":".utf8) + dictionary + [0x7D]
  return line.withUnsafeBytes { bytes in
    var envelope = Envelope()
    guard (try? envelope.scan(bytes)) != nil, let value = envelope[.payload] else { return nil }
    return body(value, bytes)
  }
}

/// The to-do app's.
struct TodoTimersModel: RecordModel {
  private var device: WholeRecordDevice
  private let envelope: TodoTimersEnvelope

  init(isPhone: Bool, isKeyed: Bool) {
    device = WholeRecordDevice(isPhone ? .phone : .watch)
    envelope = isKeyed ? TodoTimersEnvelope(.keyed, .text) : .init()
  }

  var ordered: [WholeRecord] { device.ordered.map(\.whole) }
  var shown: [WholeRecord] { ordered }
  let undated: Set<Name> = ["isCompleted"]
  var request: Said { said(.syncRequest) }

  func fullSync(now: Double) -> Said { said(device.fullSync(now: now)) }

  func late(_ copy: WholeRecord) -> Said {
    said(.timerUpdate(TimerUpdateMessage(.updated, TimerDTO(copy))))
  }

  func read(_ dictionary: [UInt8]) -> Incoming? { message(dictionary)?.incoming }

  mutating func apply(_ dictionary: [UInt8], now: Double) -> [Said] {
    message(dictionary).map { device.apply($0, now: now).map(said) } ?? []
  }

  mutating func perform(_ edit: Edit, now: Double) -> [Said]? {
    device.perform(edit, now: now)?.map(said)
  }

  mutating func rearrange(now: Double, _ order: (Int) -> [Int]) -> [Said] {
    device.rearrange(now: now, order).map(said)
  }

  mutating func reset() { device = WholeRecordDevice(device.role) }

  private func said(_ message: TodoTimersMessage) -> Said {
    Said(message: message.incoming, dictionary: envelope.dictionary(message))
  }

  private func message(_ dictionary: [UInt8]) -> TodoTimersMessage? {
    withPayload(dictionary) { value, line in
      (try? TodoTimersEnvelope.read(value, line))?.message
    }
  }
}

/// An app's of any schema, in payloads that follow from it (clause 13.6).
struct SchemaModel: RecordModel {
  private var device: RecordDevice
  private let codec: RecordCodec
  private let encoding: PayloadEncoding

  init(isPhone: Bool, _ schema: Schema, _ shape: RecordShape, _ encoding: PayloadEncoding) {
    device = RecordDevice(isPhone: isPhone, schema, shape)
    codec = RecordCodec(schema)
    self.encoding = encoding
  }

  var ordered: [WholeRecord] { device.ordered }
  var shown: [WholeRecord] { device.shown }
  let undated: Set<Name> = []
  let request = Said(message: .request, dictionary: Array("{\"type\":\"syncRequest\"}".utf8))

  func fullSync(now: Double) -> Said { said(.all(device.ordered), now) }
  func late(_ copy: WholeRecord) -> Said { said(.updated(copy), 0) }

  func read(_ dictionary: [UInt8]) -> Incoming? {
    withPayload(dictionary) { value, line in
      (try? codec.read(value, line, after: 0))?.message
    }
  }

  mutating func apply(_ dictionary: [UInt8], now: Double) -> [Said] {
    read(dictionary).map { device.apply($0, now: now).map { said($0, now) } } ?? []
  }

  mutating func perform(_ edit: Edit, now: Double) -> [Said]? {
    device.perform(edit, now: now)?.map { said($0, now) }
  }

  mutating func rearrange(now: Double, _ order: (Int) -> [Int]) -> [Said] {
    device.rearrange(now: now, order).map { said($0, now) }
  }

  mutating func reset() {
    device = RecordDevice(isPhone: device.isPhone, device.schema, device.shape)
  }

  private func said(_ message: Outgoing.Message, _ now: Double) -> Said {
    let incoming: Incoming =
      switch message {
      case .all(let records): .all(records, madeAt: now)
      case .created(let record): .copy(record, isMade: true)
      case .updated(let record): .copy(record, isMade: false)
      case .deleted(let target): .deleted(target, held: nil)
      }
    return Said(
      message: incoming,
      dictionary: codec.payload(message, envelope: UInt64(encoding.rawValue), now: now))
  }
}
