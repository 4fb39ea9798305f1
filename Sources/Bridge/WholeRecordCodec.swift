package import Merge
package import Wire

/// How an app's devices say and are told whole records, in the app's own payloads: all that a bridge knows of
/// an app.
package protocol WholeRecordCodec: Sendable {
  /// The schema whose records the payloads carry.
  var schema: Name { get }
  /// By kind: the fields that the payloads carry; nil for all. Nothing else is sent whole.
  var fields: [Name: Set<Name>]? { get }

  /// Reads a payload, without judging what it says.
  ///
  /// - Parameter envelope: how the device's payload before was put; 0 where there was none.
  /// - Returns: nil where it is not for the hub, but for the counterpart.
  /// - Throws: 4001, 4003 or 4004 where it is for the hub and cannot be read.
  func read(
    _ payload: Value, _ line: UnsafeRawBufferPointer, after envelope: UInt64
  ) throws(WireError) -> (any SaidRecords)?

  /// A payload that tells a device something.
  ///
  /// - Parameters:
  ///   - envelope: how the device's own payloads are put.
  ///   - now: seconds since 2001-01-01 UTC.
  func payload(_ message: Outgoing.Message, envelope: UInt64, now: Double) -> [UInt8]
}

/// What a device says of its whole records.
package protocol SaidRecords {
  var message: Incoming { get }
  /// How the payload was put: the codec's affair. What is sent to the device is put likewise.
  var envelope: UInt64 { get }

  /// Whether it can be carried out. Nothing fails after that.
  ///
  /// - Returns: the records of a list that cannot, each by itself. The others are taken.
  /// - Throws: 4004 and the codes of the app's rules, 4020 to 4039, where nothing of it can.
  func check(_ known: KnownRecords) throws(WireError) -> [RefusedRecord]
}

/// A record of a list that is not taken, and why.
package struct RefusedRecord {
  package let target: Target
  package let error: WireError

  package init(_ target: Target, _ error: WireError) {
    self.target = target
    self.error = error
  }
}

/// What a device says, without its app's payload.
package enum Incoming {
  /// It wants to be sent everything.
  case request
  /// A list of all that it has, and when that was made.
  case all([WholeRecord], madeAt: Double)
  /// - Parameter isMade: it says that it has made the record, and had none.
  case copy(WholeRecord, isMade: Bool)
  /// With the copy that some devices send along.
  case deleted(Target, held: WholeRecord?)
  /// One field was changed, without a date; `root` is the record that is sent with it.
  case acted(WholeRecord.Field, Datum, root: Target)

  /// How many records it is about, at least one.
  package var records: Int {
    guard case .all(let records, _) = self else { return 1 }
    return max(1, records.count)
  }
}

/// What payloads are checked against: what the hub shows, and what the device may hold.
package struct KnownRecords {
  private let device: BridgedDevice
  private let fold: Fold
  private let schema: Schema
  private let shape: RecordShape
  private let isInOrder: Bool

  /// - Parameter isInOrder: what is said came in the device's lane of transfers, with a number.
  package init(
    _ device: BridgedDevice, _ fold: Fold, _ schema: Schema, _ shape: RecordShape, isInOrder: Bool
  ) {
    self.device = device
    self.fold = fold
    self.schema = schema
    self.shape = shape
    self.isInOrder = isInOrder
  }

  package func isKnown(_ target: Target) -> Bool { fold.isKnown(target) }
  package func isCreated(_ target: Target) -> Bool { fold.isCreated(target) }
  /// The record that is sent with a record in it; nil where that stands nowhere.
  package func root(of target: Target) -> Target? {
    shape.root(of: target) { fold.container(of: $0, schema) }
  }

  /// The copies of a record that the device may have.
  package func copies(of target: Target) -> [WholeRecord] {
    guard let track = device[target] else { return [] }
    return [track.held].compactMap { $0 } + track.inFlight.compactMap(\.record)
  }

  /// Whether the device may have a copy from before it came here.
  package func isUnknown(_ target: Target) -> Bool { device[target]?.base == .unknown }

  /// Whether the device holds what it was sent last, so that it can only act on what the hub knows. Else a copy of
  /// its may have been left out with what was new in it, and what it did to that follows.
  package func isInStep(_ target: Target) -> Bool {
    guard let track = device[target], case .held = track.base else { return false }
    return !track.isOwed && track.undated == nil
      && track.inFlight.allSatisfy { $0.seq <= device.processed }
  }

  /// Whether a copy is older than the newest that came, so that it changes nothing.
  package func isLate(_ copy: WholeRecord) -> Bool {
    device[copy.target]?.isLate(copy, isInOrder: isInOrder) == true
  }
}
