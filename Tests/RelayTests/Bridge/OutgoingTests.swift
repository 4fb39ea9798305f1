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
  func whatHasNoRoomComesLater(isOwnWord: Bool) throws {
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
      device.touch([shown.target], at: number)
      #expect(export(at: number) == 1)
    }
    #expect(sent.count == Track.limit)
    #expect(export(at: 21) == 0, "nothing has changed")
    device.acknowledge(2, isOwnWord: isOwnWord)
    #expect(export(at: 22) == 1)
    #expect(sent.count == Track.limit + 1)
    #expect(sent.last??.values["name"] == .string("20"))
  }
}
