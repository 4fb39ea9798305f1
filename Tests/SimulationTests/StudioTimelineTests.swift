import AppModels
import Testing
import Wire

@testable import Simulation

/// A story is the same from whichever world it is looked at.
@Suite struct StudioTimelineTests {
  private func story(_ count: Int, _ app: ShippedApp = .todoTimers) throws -> StudioWorld {
    let world = try StudioWorld(app, watches: 1)
    for number in 0..<count {
      let device = number % 3 == 0 ? "watch" : "phone"
      var event = TraceEvent(at: 0, device, number % 5 == 4 ? .acknowledge : .transfer)
      event.lane = "userInfo"
      world.perform(.event(event), flows: number % 2 == 0)
    }
    return world
  }

  /// What is shown of it, the lines' numbers apart.
  private func shown(_ world: StudioWorld) -> String {
    var json = JSONWriter()
    json.object { world.write(&$0) }
    let lines = world.lines.suffix(20).map { "\($0.at) \($0.from) \($0.to) \($0.step) \($0.text)" }
    return String(decoding: json.bytes, as: UTF8.self) + lines.joined(separator: "\n")
  }

  private func prepare(_ timeline: inout StudioTimeline) {
    for errand in timeline.errands() {
      errand.run()
      timeline.adopt(errand)
    }
    #expect(timeline.errands().isEmpty)
  }

  @Test(arguments: [false, true]) func everyStepIsAsItWas(isPrepared: Bool) throws {
    let count = 1_200
    var timeline = StudioTimeline(try story(count))
    let plain = try story(count)
    for step in [1_100, 599, 600, 1_202, 0, 450, 449, 1_000, 151] {
      if isPrepared { prepare(&timeline) }
      let before = timeline.world
      let isOther = timeline.seek(to: step)
      plain.seek(to: 0)
      plain.seek(to: step)
      #expect(timeline.world.position == step && shown(timeline.world) == shown(plain))
      #expect(isOther || timeline.world === before)
    }
  }

  /// A prepared seek begins with a world that was parked, and that has dropped its oldest lines, not with a fresh one.
  @Test func aPreparedSeekIsShort() throws {
    var timeline = StudioTimeline(try story(1_600))
    for step in [1_399, 900] {
      prepare(&timeline)
      #expect(timeline.seek(to: step) && timeline.world.droppedLines > 0)
    }
  }

  /// What was on its way for another timeline is not shown in this one.
  @Test func anotherStorysWorldsAreNotTaken() throws {
    var first = StudioTimeline(try story(1_200))
    var second = StudioTimeline(try story(1_200, .pomodoro))
    for errand in first.errands() {
      errand.run()
      second.adopt(errand)
    }
    _ = second.seek(to: 700)
    #expect(second.world.app == .pomodoro)
  }

  /// What is done in the place of what was to come counts in all of them.
  @Test func whatIsChangedIsChangedInAll() throws {
    var timeline = StudioTimeline(try story(1_200))
    prepare(&timeline)
    _ = timeline.seek(to: 800)
    prepare(&timeline)
    timeline.change { $0.perform(.type(device: "phone", line: "new Oolong 5:00"), flows: true) }
    #expect(timeline.world.steps.count == 801)
    _ = timeline.seek(to: 400)
    #expect(timeline.world.steps.count == 801 && !shown(timeline.world).contains("Oolong"))
    _ = timeline.seek(to: 801)
    #expect(shown(timeline.world).contains("Oolong"))
    // What was on its way meanwhile is of another story.
    let late = timeline.errands()
    timeline.change { _ in }
    for errand in late { timeline.adopt(errand) }
    // Time that passes makes the last step longer.
    timeline.change { $0.pass(1_000) }
    timeline.change { $0.pass(1_000) }
    _ = timeline.seek(to: 801)
    _ = timeline.seek(to: 802)
    #expect(timeline.world.at == 2_000)
  }
}
