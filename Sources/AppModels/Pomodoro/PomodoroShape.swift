/// The pie that the timer fills, and how it moves: what a screen with pixels would draw.
package enum PomodoroShape {
  package struct Point: Hashable, Sendable {
    package var x: Double
    /// Downwards.
    package var y: Double

    package init(x: Double, y: Double) { (self.x, self.y) = (x, y) }
  }

  /// A step of the outline.
  package enum Step: Hashable, Sendable {
    case move(Point)
    case line(Point)
    /// Angles in degrees, 0 to the right and growing clockwise as seen.
    case arc(center: Point, radius: Double, start: Double, end: Double)
    case close
  }

  /// 12 o'clock, in degrees.
  package static let startAngle = -90.0

  /// Where the arc ends: `-90 + 360 · progress` degrees.
  package static func sweepAngle(progress: Double) -> Double {
    startAngle + 360 * clamped(progress)
  }

  /// How far the shape is turned: `-360 · progress` degrees; not at all with reduced motion.
  package static func rotation(progress: Double, reduceMotion: Bool) -> Double {
    let progress = clamped(progress)
    return reduceMotion || progress == 0 ? 0 : -360 * progress
  }

  /// From the centre up to 12 o'clock, along the arc, and back.
  ///
  /// - Parameters:
  ///   - progress: from 0 to 1; what is beyond counts as these.
  ///   - width: of the rectangle that it is drawn into from its corner (0, 0); not below 0.
  package static func path(progress: Double, width: Double, height: Double) -> [Step] {
    let center = Point(x: width / 2, y: height / 2)
    let radius = min(width, height) / 2
    return [
      .move(center), .line(Point(x: center.x, y: center.y - radius)),
      .arc(
        center: center, radius: radius, start: startAngle, end: sweepAngle(progress: progress)),
      .close,
    ]
  }

  /// Points on the arc, evenly from 12 o'clock to where it ends.
  ///
  /// - Parameter count: at least 2.
  package static func arc(progress: Double, center: Point, radius: Double, count: Int) -> [Point] {
    let sweep = sweepAngle(progress: progress) - startAngle
    return (0..<max(2, count)).map { index in
      let angle = startAngle + sweep * Double(index) / Double(max(2, count) - 1)
      let (sine, cosine) = sineAndCosine(degrees: angle)
      return Point(x: center.x + radius * cosine, y: center.y + radius * sine)
    }
  }

  /// To within 10⁻¹⁴, and exact at right angles.
  package static func sineAndCosine(degrees: Double) -> (sine: Double, cosine: Double) {
    let quarters = (degrees / 90).rounded()
    // Within 45° of an axis Taylor's series is short.
    let angle = (degrees - quarters * 90) * .pi / 180
    func series(_ first: Double, _ from: Int) -> Double {
      var (term, sum) = (first, first)
      for step in stride(from: from, through: from + 18, by: 2) {
        term *= -angle * angle / Double(step * (step + 1))
        sum += term
      }
      return sum
    }
    let (sine, cosine) = (series(angle, 2), series(1, 1))
    switch (Int(quarters) % 4 + 4) % 4 {
    case 0: return (sine, cosine)
    case 1: return (cosine, -sine)
    case 2: return (-sine, -cosine)
    default: return (-cosine, sine)
    }
  }

  private static func clamped(_ progress: Double) -> Double {
    progress.isNaN ? 0 : min(max(progress, 0), 1)
  }
}

/// How a change is animated.
package enum PomodoroAnimation: Hashable, Sendable {
  /// Seconds.
  case linear(duration: Double)
  /// `response` and `blendDuration` in seconds.
  case spring(response: Double, dampingFraction: Double, blendDuration: Double)
  /// At once.
  case none

  /// Of the progress, up to 1, once it runs.
  /// - Parameter remaining: seconds.
  package static func progress(remaining: Double) -> PomodoroAnimation {
    .linear(duration: max(0, remaining))
  }

  /// From one state to another.
  package static func transition(reduceMotion: Bool) -> PomodoroAnimation {
    reduceMotion
      ? .none : .spring(response: 0.3, dampingFraction: 0.6, blendDuration: 0.1)
  }

  /// Of the rotation, from one value of the progress to the next.
  package static func rotation(reduceMotion: Bool) -> PomodoroAnimation {
    reduceMotion ? .none : .linear(duration: 0.1)
  }

  package var title: String {
    switch self {
    case .linear(let duration): "linear \(duration.short) s"
    case .spring(let response, let damping, let blend):
      "spring \(response.short), \(damping.short), \(blend.short)"
    case .none: "none"
    }
  }
}

extension Double {
  /// With at most two decimals; the number is below 10¹⁵.
  package var short: String {
    let hundredths = Int64((self * 100).rounded())
    let (whole, rest) = hundredths.magnitude.quotientAndRemainder(dividingBy: 100)
    let decimals = rest == 0 ? "" : rest % 10 == 0 ? ".\(rest / 10)" : ".\(Int(rest).twoDigits)"
    return (hundredths < 0 ? "-" : "") + "\(whole)" + decimals
  }
}
