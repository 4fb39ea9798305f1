import Seeded
import AppModels
import Merge
import Testing
import Wire

/// Whatever is typed on two devices that sync now and then: nothing crashes, frames stay straight,
/// what is listed is known, and in the end both show the same records.
@Suite struct TimersFuzzTests {
  private static let arguments = [
    "", "", "1", "2", "3", "1 2", "3 1", "2 1", "Tea", "Tea 0:03", "Bread 5:00", "0:00", "59", "on",
    "off", "Buy milk", "👨‍👩‍👧‍👦 \u{202E}é", #"one\ntwo"#, "RESTART_TIMER", "MARK_COMPLETE", "DISMISS",
    String(repeating: "long ", count: 40), "99999999999999999999", "-1",
  ]

  @Test(arguments: 0..<12)
  func anything(_ seed: UInt64) throws {
    var numbers = SplitMix64(seed: seed)
    let phone = TimersDevice(seed % 3 == 0 ? .pad : .phone)
    let watch = TimersDevice(.watch)
    for step in 0..<250 {
      let device = Bool.random(using: &numbers) ? phone : watch
      let command = device.app.commands.randomElement(using: &numbers)!
      let line = "\(command.word) \(Self.arguments.randomElement(using: &numbers)!)"
      if let refusal = device.refusal(line) {
        #expect(refusal.code == .invalidField, "\(line): \(refusal.message)")
      }
      device.wait(Double.random(in: 0..<3, using: &numbers))
      check(device)
      if step % 17 == 0 { try device.kill(for: Double.random(in: 0..<9, using: &numbers)) }
      if step % 5 == 0 {
        let other = device === phone ? watch : phone
        try device.receive(from: other)
        for event in other.app.takeEvents() {
          guard case .message(let message) = event else { continue }
          device.app.didReceive(message: message, now: device.now)
        }
        check(device)
      }
    }
    try phone.receive(from: watch)
    try watch.receive(from: phone)
    #expect(phone.app.library.timers == watch.app.library.timers)
  }

  private func check(_ device: TimersDevice) {
    let widths = Set(device.lines.map(\.columns))
    #expect(widths == [device.idiom.columns + 2])
    #expect(device.app.countdowns.all.values.count(where: \.isRunning) <= 1)
    #expect(!device.app.spoken(device.now).isEmpty)
    if let next = device.app.nextTick(now: device.now) { #expect(next >= device.now) }
  }
}
