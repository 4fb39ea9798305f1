import Merge
import Wire

/// How many deliveries are in flight at most, and what is known of those that had to go.
extension Track {
  /// Deliveries that have made room: what they said stays known, though not which of them said it.
  package struct Room: Equatable {
    /// The number of the first of them, and its date.
    package var seq: UInt64
    package var earliest: Double
    /// The latest date of them.
    package var latest: Double
    /// The position of the log that the first of them shows.
    package var position: UInt64
    /// Digests of their values and of the records in them.
    package var said: Set<UInt64> = []

    package init(seq: UInt64, earliest: Double, latest: Double, position: UInt64) {
      self.seq = seq
      self.earliest = earliest
      self.latest = latest
      self.position = position
    }

    /// Most digests: 64 KiB of them.
    static let limit = 8192

    /// Whether one of them had a value in a field.
    func says(_ value: Datum, in field: WholeRecord.Field) -> Bool {
      said.contains(Self.digest(value, in: field))
    }

    /// Whether one of them contained a record.
    func says(_ target: Target) -> Bool { said.contains(Self.digest(target)) }

    /// Adds what a delivery says.
    mutating func add(_ record: WholeRecord) {
      for part in [record] + record.children {
        said.insert(Self.digest(part.target))
        for (name, value) in part.values {
          said.insert(Self.digest(value, in: WholeRecord.Field(target: part.target, name: name)))
        }
      }
    }

    private static func digest(_ target: Target) -> UInt64 {
      Identifier(digestOf: target.kind.text, target.record.text).high
    }

    private static func digest(_ value: Datum, in field: WholeRecord.Field) -> UInt64 {
      Identifier(
        digestOf: field.target.kind.text, field.target.record.text, field.name.text,
        String(decoding: value.canonical, as: UTF8.self)
      ).high
    }
  }

  package var hasRoom: Bool { inFlight.count < Self.limit }

  /// Makes room, where a delivery has been acknowledged in a way that proves nothing: of what the device may have
  /// started from the oldest stays.
  package mutating func makeRoom(processed: UInt64) {
    guard !hasRoom, let first = inFlight.first, first.seq <= processed else { return }
    guard let index = inFlight.indices.dropFirst().first(where: { inFlight[$0].record != nil }),
      let record = inFlight[index].record, inFlight[index].seq <= processed
    else { return }
    let delivery = inFlight[index]
    var room =
      madeRoom
      ?? Room(
        seq: delivery.seq, earliest: record.updatedAt, latest: record.updatedAt,
        position: delivery.position)
    room.latest = record.updatedAt
    room.add(record)
    guard room.said.count <= Room.limit else { return }
    inFlight.remove(at: index)
    madeRoom = room
  }

  /// The deliveries that made room, where a copy may be one of them or made upon one: what is dated below the base was
  /// taken before that, or is refused while it is held.
  package func room(of copy: WholeRecord) -> Room? {
    madeRoom.flatMap { room in
      copy.updatedAt >= room.earliest && room.latest > held?.updatedAt ?? -1 ? room : nil
    }
  }
}
