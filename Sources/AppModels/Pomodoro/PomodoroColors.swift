/// The three colours that the timer's gradient runs through.
package struct PomodoroColors: Hashable, Sendable {
  package var start: RGB
  package var middle: RGB
  package var end: RGB

  package init(start: RGB, middle: RGB, end: RGB) {
    (self.start, self.middle, self.end) = (start, middle, end)
  }

  /// Those of a state.
  package init(_ state: PomodoroState) {
    switch state {
    case .work: self.init(start: RGB(0xFF6B6B), middle: RGB(0xFA5252), end: RGB(0xF03E3E))
    case .shortBreak: self.init(start: RGB(0x4DABF7), middle: RGB(0x339AF0), end: RGB(0x228BE6))
    case .longBreak: self.init(start: RGB(0x51CF66), middle: RGB(0x40C057), end: RGB(0x2F9E44))
    }
  }

  /// The colours while one state goes over into another.
  ///
  /// - Parameters:
  ///   - fraction: of the transition, from 0 to 1.
  ///   - reduceMotion: the new colours are there at once.
  package static func between(
    _ from: PomodoroState, _ to: PomodoroState, _ fraction: Double, reduceMotion: Bool
  ) -> PomodoroColors {
    let (one, other) = (PomodoroColors(from), PomodoroColors(to))
    guard !reduceMotion else { return other }
    return PomodoroColors(
      start: one.start.mixed(with: other.start, fraction),
      middle: one.middle.mixed(with: other.middle, fraction),
      end: one.end.mixed(with: other.end, fraction))
  }

  /// A colour of the gradient.
  package struct Stop: Hashable, Sendable {
    /// From 0 to 1.
    package var location: Double
    package var color: RGB
    /// From 0 to 1.
    package var opacity: Double
  }

  /// The gradient at 0, 0.5 and 1; the later two show as far as the timer has come.
  ///
  /// - Parameter progress: from 0 to 1; what is beyond counts as these.
  package func stops(progress: Double) -> [Stop] {
    let opacity = progress.isNaN ? 0 : min(max(progress, 0), 1)
    return [
      Stop(location: 0, color: start, opacity: 1),
      Stop(location: 0.5, color: middle, opacity: opacity),
      Stop(location: 1, color: end, opacity: opacity),
    ]
  }
}
