package import Merge

/// The floating timer of a wide screen, in points.
package struct FloatingWidget: Hashable, Sendable {
  package struct Size: Hashable, Sendable {
    package var width: Int
    package var height: Int

    package init(_ width: Int, _ height: Int) { (self.width, self.height) = (width, height) }
  }

  package var x = 300
  package var y = 100
  package var isExpanded = false

  package init() {}

  package static let expandedSize = Size(280, 140)
  /// Between the handle, the dot and the time.
  package static let compactSpacing = 8
  package static let compactPadding = Size(12, 8)
  package static let dotSize = 8
  package static let margin = 20
  /// The screen of a pad held across.
  package static let screen = Size(1024, 768)

  /// Within the margins of a screen; at the upper left one where the screen is too small.
  package func clamped(to screen: Size) -> FloatingWidget {
    var clamped = self
    clamped.x = max(Self.margin, min(x, screen.width - Self.margin))
    clamped.y = max(Self.margin, min(y, screen.height - Self.margin))
    return clamped
  }

  /// Where a drag leaves it.
  package func dragged(_ dx: Int, _ dy: Int, on screen: Size) -> FloatingWidget {
    var dragged = self
    dragged.x = x.addingReportingOverflow(dx).overflow ? (dx < 0 ? .min : .max) : x + dx
    dragged.y = y.addingReportingOverflow(dy).overflow ? (dy < 0 ? .min : .max) : y + dy
    return dragged.clamped(to: screen)
  }

  package var datum: Datum {
    .sorted([
      Datum.Member("x", .int(x)), Datum.Member("y", .int(y)),
      Datum.Member("isExpanded", .bool(isExpanded)),
    ])
  }

  /// What is missing is as at first.
  package init(_ datum: Datum) {
    func number(_ name: Name) -> Int? { datum[name]?.text.flatMap { Int($0.text) } }
    x = number("x") ?? x
    y = number("y") ?? y
    isExpanded = datum["isExpanded"] == .bool(true)
    self = clamped(to: Self.screen)
  }
}
