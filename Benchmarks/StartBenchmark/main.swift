// What a large store costs at a start and in memory.
//
//   swift run -c release start-benchmark pairs [pairs transfers]   transfers that wait in each pair
//   swift run -c release start-benchmark hub [pairs records]       records at each pair's hub
//
// What a running server does in a second is measured by `watchline load` and `ci/bench`.
import Foundation

let numbers = CommandLine.arguments.dropFirst(2).map { Int($0) ?? 0 }
let pairs = numbers.first ?? 10_000
let each = numbers.dropFirst().first ?? 100

switch CommandLine.arguments.dropFirst().first {
case "pairs" where pairs > 0 && each > 0:
  try PairsBenchmark(pairs: pairs, transfers: each).run()
case "hub" where pairs > 0 && each > 0:
  try HubStart(pairs: pairs, records: each).run()
default:
  FileHandle.standardError.write(
    Data("usage: start-benchmark pairs|hub [PAIRS EACH]\n".utf8))
  exit(2)
}
