import AppModels
import Testing

/// WCAG 2.1, level AA: 4.5 : 1 for text, 3 : 1 for bars and dots.
@Suite struct ContrastTests {
  /// The values of the definition's own examples and of well-known pairs.
  @Test(arguments: [
    (0xFFFFFF as UInt32, 0x000000 as UInt32, 21.0), (0xFF0000, 0xFFFFFF, 3.998),
    (0x777777, 0xFFFFFF, 4.478), (0x767676, 0xFFFFFF, 4.542), (0x0000FF, 0xFFFFFF, 8.592),
    (0x0A0A0A, 0x000000, 1.0607), (0x8E8E93, 0x000000, 6.441), (0x123456, 0x123456, 1),
  ])
  func ratio(_ one: UInt32, _ other: UInt32, _ expected: Double) {
    #expect(abs(RGB(one).contrast(to: RGB(other)) - expected) < 0.001)
    #expect(RGB(one).contrast(to: RGB(other)) == RGB(other).contrast(to: RGB(one)))
  }

  /// Every colour that screens have: before black and white as the seeds name it, and as shown.
  static let palette =
    TimerChoices(.phone).colors + ["#8E8E93", "#FF3B30", "#34C759"]
    + PomodoroState.allCases.flatMap { state in
      PomodoroColors(state).stops(progress: 1).map(\.color.hex)
    }

  /// Which of the seeds' colours reach 4.5 as text and 3 as a bar, before black (b) and white (w).
  @Test func thePaletteAsTheSeedsNameIt() {
    func reached(_ ratio: Double) -> [String] {
      Self.palette.map { hex in
        let color = RGB(hex: hex)
        return (color.contrast(to: .black) >= ratio ? "b" : "")
          + (color.contrast(to: .white) >= ratio ? "w" : "")
      }
    }
    #expect(
      reached(4.5) == [
        "b", "b", "b", "b", "b", "w", "b", "b", "b", "b", "b", "b", "b", "b", "b", "b", "b", "b",
        "b", "b",
      ])
    #expect(
      reached(3) == [
        "bw", "b", "b", "b", "bw", "bw", "bw", "bw", "bw", "bw", "b", "b", "bw", "bw", "b", "b",
        "bw", "b", "b", "bw",
      ])
  }

  @Test(arguments: [RGB.Use.text, .graphic])
  func whateverIsShownReachesItsRatioOnBlackAndOnWhite(_ use: RGB.Use) {
    var colors = Self.palette.map { RGB(hex: $0) }
    let steps = stride(from: 0, through: 0xFF, by: 15).map(UInt32.init)
    for red in steps {
      for green in steps {
        for blue in steps { colors.append(RGB(red << 16 | green << 8 | blue)) }
      }
    }
    for color in colors {
      let shown = color.legible(use)
      #expect(shown.contrast(to: .black) >= use.leastContrast, "\(color.hex) as \(shown.hex)")
      #expect(shown.contrast(to: .white) >= use.leastContrast, "\(color.hex) as \(shown.hex)")
    }
    // What can be seen already stays.
    #expect(RGB(0x767676).legible(.text) == RGB(0x767676))
    #expect(RGB(0xFF3B30).legible(.graphic) == RGB(0xFF3B30))
  }
}
