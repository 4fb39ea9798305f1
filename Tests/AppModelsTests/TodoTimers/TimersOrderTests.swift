import AppModels
import Merge
import Testing
import Wire

@Suite struct TimersOrderTests {
  private func phone() throws -> TimersDevice {
    let device = TimersDevice()
    for name in ["A", "B", "C"] {
      try device.type("new \(name) 1:00")
      device.now += 1000
    }
    return device
  }

  @Test func newestFirst() throws {
    let device = try phone()
    #expect(device.names == ["C", "B", "A"])
    #expect(!device.app.library.isMergedOrder)
  }

  @Test func moved() throws {
    let device = try phone()
    try device.type("move 3 1")
    #expect(device.names == ["A", "C", "B"])
    #expect(device.app.library.isMergedOrder)
    try device.type("move 1 2")
    #expect(device.names == ["C", "A", "B"])
    try device.type("new D 1:00")
    #expect(device.names == ["D", "C", "A", "B"], "new ones come first all the same")
    #expect(device.app.library.timers.map(\.place) == [0, 1, 2, 3])
    device.app.order = .newestFirst
    #expect(device.names == ["D", "C", "B", "A"])
    device.app.order = .merged
    #expect(device.names == ["D", "C", "A", "B"])
  }

  @Test func notAnOrderAnyMore() throws {
    let device = try phone()
    try device.type("move 3 1", "delete 1", "delete")
    #expect(!device.app.library.isMergedOrder, "the one that was moved is gone")
    #expect(device.names == ["C", "B"])
  }

  /// Records made by something that appends, as upstream does.
  @Test func madeAtTheEnd() throws {
    let device = TimersDevice()
    for name in ["A", "B", "C"] {
      try device.write { edit throws(WireError) in
        try edit.create("timer", ["name": .string(name), "durationInSeconds": .int(60)])
      }
      device.now += 1000
    }
    #expect(device.names == ["C", "B", "A"])
    try device.type("move 3 2")
    #expect(device.names == ["C", "A", "B"])
    #expect(device.app.library.timers.map(\.place) == [0, 1, 2])
    try device.type("move 1 3")
    #expect(device.names == ["A", "B", "C"])
  }

  @Test func merged() throws {
    let phone = try phone()
    let watch = TimersDevice(.watch)
    try watch.receive(from: phone)
    #expect(watch.names == ["C", "B", "A"])
    try phone.type("move 3 1")
    try watch.type("new W 1:00", "delete 3", "delete")
    try watch.receive(from: phone)
    try phone.receive(from: watch)
    #expect(phone.names == watch.names)
    #expect(Set(phone.names) == ["W", "C", "A"], "the move had not seen the delete, nor undone it")
  }

  @Test func refused() throws {
    let device = try phone()
    #expect(
      device.refusal("move 1")?.message
        == "move takes the number of a timer and its new one, both from 1 to 3")
    #expect(device.refusal("move a b")?.code == .invalidField)
    #expect(device.refusal("move 1 99")?.code == .invalidField)
    #expect(TimersDevice().refusal("move 1 2")?.message == "there is no timer here")
  }
}
