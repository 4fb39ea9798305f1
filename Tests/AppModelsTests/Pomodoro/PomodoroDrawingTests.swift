import AppModels
import Foundation
import Testing

@Suite struct PomodoroDrawingTests {
  @Test(arguments: [
    (PomodoroState.work, ["#FF6B6B", "#FA5252", "#F03E3E"]),
    (.shortBreak, ["#4DABF7", "#339AF0", "#228BE6"]),
    (.longBreak, ["#51CF66", "#40C057", "#2F9E44"]),
  ])
  func colours(_ state: PomodoroState, _ hex: [String]) {
    let stops = PomodoroColors(state).stops(progress: 0.25)
    #expect(stops.map(\.color.hex) == hex)
    #expect(stops.map(\.location) == [0, 0.5, 1])
    #expect(stops.map(\.opacity) == [1, 0.25, 0.25])
  }

  @Test(arguments: [(-1.0, 0.0), (0, 0), (1, 1), (7, 1), (.nan, 0)])
  func opacityStaysInItsRange(_ progress: Double, _ opacity: Double) {
    #expect(PomodoroColors(.work).stops(progress: progress)[2].opacity == opacity)
  }

  @Test(arguments: [
    (0.0, "#000000"), (0.5, "#804020"), (1, "#FF8040"), (-3, "#000000"), (2, "#FF8040"),
    (.nan, "#000000"),
  ])
  func interpolation(_ fraction: Double, _ hex: String) {
    #expect(RGB(0x000000).mixed(with: RGB(0xFF8040), fraction).hex == hex)
  }

  @Test func coloursBetweenStates() {
    let half = PomodoroColors.between(.work, .shortBreak, 0.5, reduceMotion: false)
    #expect([half.start, half.middle, half.end].map(\.hex) == ["#A68BB1", "#9776A1", "#896592"])
    let from = PomodoroColors.between(.work, .longBreak, 0, reduceMotion: false)
    #expect(from == PomodoroColors(.work))
    let to = PomodoroColors.between(.work, .longBreak, 1, reduceMotion: false)
    #expect(to == PomodoroColors(.longBreak))
    let instant = PomodoroColors.between(.work, .longBreak, 0, reduceMotion: true)
    #expect(instant == PomodoroColors(.longBreak))
  }

  @Test(arguments: [
    (0.0, -90.0, 0.0), (0.25, 0, -90), (0.5, 90, -180), (1, 270, -360), (2, 270, -360),
    (-1, -90, 0), (.nan, -90, 0),
  ])
  func angles(_ progress: Double, _ sweep: Double, _ rotation: Double) {
    #expect(PomodoroShape.sweepAngle(progress: progress) == sweep)
    #expect(PomodoroShape.rotation(progress: progress, reduceMotion: false) == rotation)
    #expect(PomodoroShape.rotation(progress: progress, reduceMotion: true) == 0)
  }

  @Test func thePathIsThatOfAPie() {
    let path = PomodoroShape.path(progress: 0.25, width: 200, height: 100)
    let center = PomodoroShape.Point(x: 100, y: 50)
    #expect(
      path == [
        .move(center), .line(PomodoroShape.Point(x: 100, y: 0)),
        .arc(center: center, radius: 50, start: -90, end: 0), .close,
      ])
  }

  @Test func theArcStartsAtTwelve() {
    let center = PomodoroShape.Point(x: 10, y: 10)
    let points = PomodoroShape.arc(progress: 1, center: center, radius: 10, count: 5)
    let expected = [(10.0, 0.0), (20, 10), (10, 20), (0, 10), (10, 0)]
    #expect(points.count == 5)
    for (point, (x, y)) in zip(points, expected) { #expect((point.x, point.y) == (x, y)) }
    #expect(PomodoroShape.arc(progress: 0, center: center, radius: 10, count: 0).count == 2)
  }

  @Test func sinesAreThoseOfTheLibrary() {
    for tenth in stride(from: -7200, through: 7200, by: 7) {
      let degrees = Double(tenth) / 10
      let (sine, cosine) = PomodoroShape.sineAndCosine(degrees: degrees)
      #expect(abs(sine - sin(degrees * .pi / 180)) < 1e-14)
      #expect(abs(cosine - cos(degrees * .pi / 180)) < 1e-14)
    }
  }

  @Test func animations() {
    #expect(
      PomodoroAnimation.transition(reduceMotion: false)
        == .spring(response: 0.3, dampingFraction: 0.6, blendDuration: 0.1))
    #expect(PomodoroAnimation.transition(reduceMotion: true) == .none)
    #expect(PomodoroAnimation.rotation(reduceMotion: false) == .linear(duration: 0.1))
    #expect(PomodoroAnimation.rotation(reduceMotion: true) == .none)
    #expect(PomodoroAnimation.progress(remaining: 90) == .linear(duration: 90))
    #expect(PomodoroAnimation.progress(remaining: -1) == .linear(duration: 0))
  }

  @Test(arguments: [(0.0, "0"), (1.5, "1.5"), (-0.25, "-0.25"), (2.999, "3"), (10.05, "10.05")])
  func shortNumbers(_ number: Double, _ text: String) { #expect(number.short == text) }

  @Test func accessibility() {
    let words = PomodoroAccessibility(
      timeString: "25:00", stateTitle: "Work", isRunning: false)
    #expect(words.label == "Timer 25:00")
    #expect(words.value == "Work")
    #expect(words.hint == "Double tap to start")
    let running = PomodoroAccessibility(
      timeString: "04:59", stateTitle: "Short Break", isRunning: true)
    #expect(running.label == "Timer 04:59")
    #expect(running.value == "Short Break")
    #expect(running.hint == "Double tap to pause")
  }

  @Test(arguments: [
    (0, "00:00"), (59, "00:59"), (1500, "25:00"), (3600, "1:00:00"), (86_400, "24:00:00"),
    (-4, "00:00"),
  ])
  func clocks(_ seconds: Int, _ text: String) {
    #expect(PomodoroText.clock(seconds: seconds) == text)
  }

  @Test func whatIsUnderWayCounts() {
    #expect(PomodoroText.clock(remaining: 1_000) == "00:01")
    #expect(PomodoroText.clock(remaining: 1_001) == "00:02")
    #expect(PomodoroText.clock(remaining: 0) == "00:00")
  }

  @Test(
    arguments: [
      ("25", 1500), ("25:00", 1500), ("1:00:00", 3600), ("90s", 90), ("0", 0), ("-5", -300),
      ("90000s", 90_000), ("", nil), ("x", nil), ("1:60", nil), ("1:2:3:4", nil), ("1:30s", nil),
      ("1:", nil), ("٣", nil), ("99999999999999999999", nil),
    ] as [(String, Int?)])
  func durationsAreRead(_ text: String, _ seconds: Int?) {
    #expect(PomodoroText.seconds(text) == seconds)
  }
}
