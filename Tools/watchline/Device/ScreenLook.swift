internal import AppModels

extension Console.Look {
  /// How a piece of a screen looks.
  ///
  /// - Parameter isExact: whether the terminal takes every colour; else the nearest of 256 is taken.
  init(_ piece: StyledLine.Piece, isExact: Bool) {
    var parameters = piece.isStruck ? ["9"] : []
    if let color = piece.color {
      parameters.append(
        isExact ? "38;2;\(color.red);\(color.green);\(color.blue)" : "38;5;\(color.nearestOf256)")
    }
    self.init(parameters: parameters.joined(separator: ";"))
  }
}

extension RGB {
  /// The nearest of the colours that 256-colour terminals have.
  var nearestOf256: Int {
    Self.of256.min { $0.color.distance(to: self) < $1.color.distance(to: self) }!.number
  }

  /// A cube and greys (xterm's `256colres.pl`): 16 + 36 r + 6 g + b with components from 0 to 5, and 24 greys
  /// from 232 on.
  private static let of256: [(number: Int, color: RGB)] = {
    let steps: [UInt32] = [0, 95, 135, 175, 215, 255]
    let cube = (0..<216).map { index in
      (16 + index, RGB(steps[index / 36] << 16 | steps[index / 6 % 6] << 8 | steps[index % 6]))
    }
    let greys = (0..<24).map { (232 + $0, RGB(UInt32(8 + 10 * $0) * 0x010101)) }
    return cube + greys
  }()
}
