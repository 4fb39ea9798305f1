import Glibc
import RelaySupport

/// How long others wait while one device asks for much: the longest turn of the loop, by what was asked.
///
///     .build/release/wait-benchmark [--json | --list] [--limit MS] [NAME …]
///
/// A turn is what a ping of another pair may have to wait for. With `--limit` the status is 1 where one is longer.
/// Times are of the processor, in the loop's thread, with the store in memory: neither what a commit costs on a disk nor
/// what is done aside is in them.
var limit: Double?
var isJSON = false
var names: [String] = []
var words = CommandLine.arguments.dropFirst().makeIterator()
while let word = words.next() {
  switch word {
  case "--json": isJSON = true
  case "--list":
    for load in Load.all { print(load.name) }
    exit(0)
  case "--limit":
    guard let value = words.next().flatMap(Double.init) else {
      print("--limit is milliseconds")
      exit(2)
    }
    limit = value
  default: names.append(word)
  }
}

var isOver = false
for load in Load.all where names.isEmpty || names.contains(load.name) {
  let (turns, longest, total) = try load.run()
  if let limit, longest > limit { isOver = true }
  if isJSON {
    print(
      "{\"name\":\"\(load.name)\",\"turns\":\(turns),\"longestMs\":\(longest),\"totalMs\":\(total)}"
    )
  } else {
    let name = load.name + String(repeating: " ", count: max(1, 34 - load.name.utf8.count))
    print("\(name) longest \(rounded(longest)) ms of \(turns) turns, \(rounded(total)) ms in all")
  }
}
exit(isOver ? 1 : 0)

func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
