import Merge
import Testing
import Wire

/// Exchange with the replicas of devices.
extension Hub {
  static func clock(_ ms: Int64 = 0) -> Int64 { Int64(now) + ms }

  /// Pushes what is pending, so many at most; true where it was taken.
  @discardableResult
  func push(_ device: DeviceReplica, _ count: Int = .max, told: Bool = true) throws -> Bool {
    let items = try device.pending.prefix(count).map { try OperationText(json: $0.bytes) }
    do throws(PushRefusal) {
      try push(texts: items, from: device.id, rank: device.rank)
    } catch {
      guard case .retime = error else { throw error }
      return false
    }
    if told { #expect(device.accepted(replica.chain(device.id).head) == .inStep) }
    return true
  }

  func pull(_ device: DeviceReplica) throws {
    let items = try replica.log.compactMap(\.operation).map { try OperationText(json: $0.bytes) }
    try device.receive(items, through: replica.position)
  }

  func expectAgreement(_ devices: DeviceReplica...) {
    for device in devices {
      #expect(device.fold.vector == replica.vector)
      #expect(device.fold.view(Hub.schema).canonical == replica.fold.view(Hub.schema).canonical)
      #expect(device.fold.feed() == replica.fold.feed())
      for id in replica.replicas {
        #expect(device.replica.chain(id) == replica.chain(id))
      }
    }
  }

  static func make(_ device: DeviceReplica, _ edits: Int = 3) throws {
    try device.write([Hub.create(), Hub.name()], clock: clock())
    for number in 1..<edits {
      try device.write([Hub.name("n\(number)")], clock: clock(Int64(number)))
    }
  }
}
