// What merging costs.
//
//   swift run -c release merge-benchmark text [DATA-DIR]
//   swift run -c release merge-benchmark fields
//   swift run -c release merge-benchmark edits
//
// ci/bench-merge runs it beside Loro.
import Foundation

let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first {
case "text":
  try TextBenchmark(data: arguments.dropFirst().first).run()
case "fields":
  try FieldBenchmark().run()
case "edits":
  try EditBenchmark().run()
default:
  print("usage: merge-benchmark text [DATA-DIR] | fields | edits")
  exit(64)
}
