// How the cost of one line from outside grows with its length: each hostile shape at a size and at
// four times that, in processor time. What is linear takes about four times as long; what is
// quadratic sixteen times. Shapes that grow by more than eight, and take more than 20 ms, are marked.
//
//   swift run -c release growth-benchmark [WORDS OF A SHAPE'S NAME]
import Glibc
import RelaySupport

let wanted = Array(CommandLine.arguments.dropFirst())

func milliseconds(_ shape: Shape, _ size: Int) throws -> Double {
  var best = Double.infinity
  for _ in 0..<2 {
    let rig = try Rig()
    try shape.prepare(rig, size)
    let line = shape.line(rig, size)
    let start = clock()
    rig.send(line)
    best = min(best, Double(clock() - start) * 1000 / Double(CLOCKS_PER_SEC))
    // A second one at this size would tell nothing new.
    if best > 2_000 { break }
  }
  return best
}

var marked = 0
for shape in shapes
where wanted.isEmpty || wanted.contains(where: { shape.name.contains($0) }) {
  let few = try milliseconds(shape, shape.size)
  let many = try milliseconds(shape, 4 * shape.size)
  let isSteep = many > 20 && many > 8 * few
  if isSteep { marked += 1 }
  print(
    shape.name.padded(44), "\(4 * shape.size)".padded(9), few.digits, "ms ", many.digits, "ms  ×",
    (many / max(few, 0.001)).digits, isSteep ? "  STEEP" : "")
}
print("\(marked) shapes are steep")
exit(marked == 0 ? 0 : 1)

extension String {
  func padded(_ width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}

extension Double {
  var digits: String {
    let hundredths = Int((self * 100).rounded())
    let text = "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
    return String(repeating: " ", count: max(0, 9 - text.count)) + text
  }
}
