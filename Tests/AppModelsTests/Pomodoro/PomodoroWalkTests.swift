import Seeded
import AppModels
import Merge
import Testing
import Wire

/// Anything is typed on two devices: nothing stops them, frames are straight, and what they share
/// is in the end the same.
@Suite struct PomodoroWalkTests {
  private static let arguments = [
    "", "25", "0", "-1", "90s", "24:00:01", "declared", "every4", "moon", "reduced", "full", "x",
  ]

  @Test(arguments: 0..<8)
  func anythingMayBeTyped(_ seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed))
    let phone = PomodoroDevice(.phone)
    let watch = PomodoroDevice(
      .watch, keeper: LocalKeeper("pomodoro", device: "watch", isPhone: false))
    var devices = [phone, watch]
    for _ in 0..<200 {
      let index = random.below(2)
      let device = devices[index]
      let step = Double(random.below(4) == 0 ? random.below(4000) : random.below(10))
      for device in devices { device.now += Int64(step * 1000) }
      switch random.below(12) {
      case 0:
        try phone.keeper.exchange(with: watch.keeper)
        for device in devices { device.app.recordsDidChange(now: device.now) }
      case 1: devices[index] = try device.restarted()
      case 2: device.app.tick(now: device.now)
      default:
        let words = device.app.commands.map(\.word) + ["zz"]
        let line = "\(random.pick(words)) \(random.pick(Self.arguments))"
        if let wrong = error({ try device.type(line) }) {
          #expect([.malformedJSON, .invalidField].contains(wrong.code), "\(line)")
        }
      }
      let shown = devices[index]
      let lines = shown.app.screen(now: shown.now).lines(columns: shown.idiom.columns)
      for line in lines { #expect(line.columns == shown.idiom.columns + 2) }
      #expect((0...1).contains(shown.progress))
      #expect(shown.remaining >= 0)
      #expect((shown.app.nextTick(now: shown.now) ?? .max) >= shown.now)
    }
    try phone.keeper.exchange(with: watch.keeper)
    let views = devices.map { $0.keeper.fold.view($0.keeper.schema).canonical.canonical }
    #expect(views[0] == views[1])
    for session in phone.sessions {
      #expect((session.int("duration") ?? -1) >= 0)
      #expect(session.flag("isCompleted") == false || session.int("duration") != nil)
    }
  }
}
