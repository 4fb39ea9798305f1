import AppModels
import Bridge
import Merge
import Testing

/// What a bridged device is sent, and when.
@Suite("What whole-record devices are sent")
struct OutgoingTests {
  /// A device that reads nothing has sixteen copies of a record on their way. The next comes once it has read some, also
  /// where it has not said so itself, which proves nothing of what it holds.
  @Test(arguments: [false, true])
  func whatHasNoRoomComesLater(isExplicit: Bool) throws {
    let id = try #require(Identifier("6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F".utf8))
    let device = BridgedDevice(device: 0)
    device.begin(BridgedDevice.Session(start: 1), isReset: false, now: 1)
    device.session.isBeginning = false
    var shown = TimerDTO(id: id, name: "", durationInSeconds: 1, createdAt: 0, updatedAt: 0).whole
    var sent: [WholeRecord?] = []
    func export(at position: UInt64) -> Int {
      let outgoing = Outgoing(
        device, position: position, now: position, present: { _ in shown }, all: { [shown] },
        deliver: { message in
          if case .updated(let record) = message { sent.append(record) } else { sent.append(nil) }
          return UInt64(sent.count)
        },
        takeBack: { _ in false })
      return outgoing.send(atMost: 10)
    }
    for number in 1...20 as ClosedRange<UInt64> {
      shown.values["name"] = .string(Name("\(number)"))
      device.markDue([shown.target], at: number)
      #expect(export(at: number) == 1)
    }
    #expect(sent.count == Track.limit)
    #expect(export(at: 21) == 0, "nothing has changed")
    device.acknowledge(2, isExplicit: isExplicit, accepted: 0)
    #expect(export(at: 22) == 1)
    #expect(sent.count == Track.limit + 1)
    #expect(sent.last??.values["name"] == .string("20"))
  }

  @Test func whatWasRefusedHoldsBackWhatWasAcknowledgedBehindIt() {
    let device = BridgedDevice(device: 0)
    device.session = BridgedDevice.Session(start: 1)
    device.session.isBeginning = false
    device.acknowledge(1, isExplicit: true, accepted: 0)
    #expect(device.proven == 1)
    device.refuse(2)
    device.acknowledge(2, isExplicit: true, accepted: 0)
    device.refuse(3)
    device.acknowledge(3, isExplicit: true, accepted: 0)
    device.acknowledge(4, isExplicit: true, accepted: 0)
    device.accept(1)
    #expect(device.proven == 1 && device.processed == 4)
    device.accept(2)
    #expect(device.proven == 2)
    device.accept(3)
    #expect(device.proven == 4)
    device.acknowledge(5, isExplicit: true, accepted: 3)
    #expect(device.proven == 5, "all is here")
  }

  @Test func whatIsNotGivenAgainLeavesNothingProven() {
    let device = BridgedDevice(device: 0)
    device.session = BridgedDevice.Session(start: 1)
    device.session.isBeginning = false
    device.refuse(7)
    device.acknowledge(1, isExplicit: true, accepted: 6)
    device.refuse(nil)
    device.acknowledge(2, isExplicit: true, accepted: 6)
    device.accept(7)
    #expect(device.proven == 1, "what was acknowledged before is proven")
    device.acknowledge(3, isExplicit: true, accepted: 7)
    #expect(device.proven == 1)
  }

  @Test func whatWaitsForRefusedTransfersIsBounded() {
    let device = BridgedDevice(device: 0)
    device.session = BridgedDevice.Session(start: 1)
    device.session.isBeginning = false
    for n in 1...1_000 as ClosedRange<UInt64> {
      device.refuse(n)
      device.acknowledge(n, isExplicit: true, accepted: 0)
    }
    #expect(device.session.unproven.count == BridgedDevice.unprovenLimit)
    device.accept(255)
    #expect(device.proven == 255)
    device.accept(999)
    #expect(device.proven == 255)
    device.accept(1_000)
    #expect(device.proven == 1_000)
  }
}
