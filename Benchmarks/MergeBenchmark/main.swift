// What merging costs.
//
//   swift run -c release merge-benchmark text [DATA-DIR]
//
// ci/bench-merge runs it beside Loro.
import Foundation

let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first {
case "text":
  try TextBenchmark(data: arguments.dropFirst().first).run()
default:
  print("usage: merge-benchmark text [DATA-DIR]")
  exit(64)
}
