import Glibc
import Storage

// Usage: store-benchmark [directory] [page size]
//
// Figures are for comparing within one run. The directory is on the disk that is
// to be measured, not on a file system in memory.

let arguments = CommandLine.arguments
var options = StoreOptions()
if arguments.count > 2, let pageSize = Int(arguments[2]) { options.pageSize = pageSize }
let measurements = Measurements(parent: arguments.count > 1 ? arguments[1] : ".", options: options)

do {
  print("| work | a second | CPU µs each |")
  print("| --- | --- | --- |")
  for items in [1, 10, 100, 1000] {
    for inFlight: UInt64 in [1, 16] {
      try measurements.commits(items: items, inFlight: inFlight)
    }
  }
  try measurements.removal()
  try measurements.reads()
  try measurements.opening()
} catch {
  print(error)
  exit(1)
}
