// How well a colour can be seen before another (WCAG 2.1, success criteria 1.4.3 and 1.4.11).
extension RGB {
  package static let black = RGB(0x000000)
  package static let white = RGB(0xFFFFFF)

  /// The relative luminance, from 0 for black to 1 for white (WCAG 2.1, "relative luminance").
  package var luminance: Double {
    0.2126 * Self.linear[Int(red)] + 0.7152 * Self.linear[Int(green)]
      + 0.0722 * Self.linear[Int(blue)]
  }

  /// By component: its share of the light, from 0 to 1.
  private static let linear = (0...255).map { component in
    let value = Double(component) / 255
    return value <= 0.03928 ? value / 12.92 : power12Fifths((value + 0.055) / 1.055)
  }

  /// The 2.4th power, by Newton's method for the fifth root of the twelfth.
  ///
  /// - Parameter value: above 0, at most 1.
  private static func power12Fifths(_ value: Double) -> Double {
    // The root of the square's fifth root is wanted: y⁵ = value².
    let square = value * value
    var root = 1.0
    for _ in 0..<40 {
      let fourth = root * root * root * root
      root -= (fourth * root - square) / (5 * fourth)
    }
    return square * root
  }

  /// From 1 for the same luminance to 21 for black and white (WCAG 2.1, "contrast ratio").
  package func contrast(to other: RGB) -> Double {
    let (one, two) = (luminance, other.luminance)
    return (max(one, two) + 0.05) / (min(one, two) + 0.05)
  }

  /// What a contrast has to be at level AA.
  package enum Use {
    case text
    /// Bars, dots and other parts of a drawing.
    case graphic

    package var leastContrast: Double {
      switch self {
      case .text: 4.5
      case .graphic: 3
      }
    }
  }

  /// This colour, as much darker or lighter as it takes to be seen on black and on white alike:
  /// nobody knows a terminal's background.
  ///
  /// With `r` the contrast that is needed, such luminances are those within
  /// `0.05 · r − 0.05 … 1.05 / r − 0.05`; there are some as long as `r² ≤ 21`.
  package func legible(_ use: Use) -> RGB {
    let ratio = use.leastContrast
    let range = (0.05 * ratio - 0.05)...(1.05 / ratio - 0.05)
    if range.contains(luminance) { return self }
    let end = luminance < range.lowerBound ? RGB.white : .black
    let steps = 1024
    return (1...steps).lazy.map { self.mixed(with: end, Double($0) / Double(steps)) }
      .first { range.contains($0.luminance) } ?? end
  }
}
