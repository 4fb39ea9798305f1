// Times `Envelope.scan` beside simdjson doing the same job, in one run.
//
//   swift run -c release scanner-benchmark [seconds per measurement, default 0.3]
//
// Three columns: our scanner; simdjson's DOM parse alone, which validates and finds no member; and
// DOM parse with the on-demand parser after it, which is what it would take to replace the scanner.
// The ratios are theirs over ours: above 1, ours is faster.
import CSimdjson
import Wire

let clock = ContinuousClock()
let budget = Duration.seconds(CommandLine.arguments.dropFirst().first.flatMap(Double.init) ?? 0.3)

func repeated(_ text: String, bytes: Int) -> String {
  String(repeating: text, count: bytes / text.utf8.count + 1)
}

let numbers = (0..<12).map { "\"s\($0)\":\(Double($0 * 37) / 8)" }.joined(separator: ",")
let records = (0..<22).map {
  "{\"id\":\"t-\(1000 + $0)\",\"title\":\"Write the report\",\"done\":\($0 % 2 == 0),"
    + "\"minutes\":\($0 * 5),\"tags\":[\"work\",\"q\($0)\"]}"
}.joined(separator: ",")

let lines: [(name: String, text: String)] = [
  (
    "200-byte string payload",
    "{\"type\":\"transferUserInfo\",\"id\":17,\"n\":17,\"payload\":{\"note\":\""
      + repeated("Remember to stretch. ", bytes: 200).prefix(200) + "\"}}"
  ),
  (
    "telemetry numbers",
    "{\"type\":\"sendMessage\",\"id\":\"m-1\",\"expectsReply\":true,\"payload\":{\(numbers)}}"
  ),
  ("acknowledge", "{\"type\":\"acknowledge\",\"lane\":\"userInfo\",\"seq\":123456,\"id\":7}"),
  (
    "nested 2 KB payload",
    "{\"type\":\"updateApplicationContext\",\"id\":3,\"payload\":{\"tasks\":[\(records)]}}"
  ),
  (
    "60 KB payload, not ASCII",
    "{\"type\":\"transferUserInfo\",\"id\":4,\"payload\":{\"text\":\""
      + repeated("Заметка о встрече 会議のメモ – à revoir 🙂 ", bytes: 60_000) + "\"}}"
  ),
]

/// Nanoseconds of one call, the least of several rounds.
func time(_ body: () -> Void) -> Double {
  var calls = 1
  while clock.measure({ for _ in 0..<calls { body() } }) < .milliseconds(10) { calls *= 2 }
  var best = Double.infinity
  let start = clock.now
  while clock.now - start < budget {
    let taken = clock.measure { for _ in 0..<calls { body() } }
    best = min(best, taken / .nanoseconds(1) / Double(calls))
  }
  return best
}

func column(_ value: Double, _ decimals: Double) -> String {
  let text = "\(Double(Int(value * decimals + 0.5)) / decimals)"
  return String(repeating: " ", count: max(0, 10 - text.count)) + text
}

/// Local variables only: a global one is checked for exclusive access each time.
func run() {
  var envelope = Envelope()
  var checksum = 0
  print("     ours     DOM    DOM+on-demand  (ns/line)   DOM/ours   both/ours")
  for (name, text) in lines {
    Array(text.utf8).withUnsafeBytes { line in
      let start = line.baseAddress!.assumingMemoryBound(to: CChar.self)
      let ours = time {
        do throws(WireError) {
          try envelope.scan(line)
          checksum &+= envelope[.payload]?.end ?? 0
        } catch { fatalError(error.message) }
      }
      let dom = time { checksum &+= Int(watchline_simdjson_validate(start, line.count)) }
      let both = time {
        var from = 0
        var count = 0
        precondition(watchline_simdjson_envelope(start, line.count, &from, &count) == 0)
        checksum &+= from + count
      }
      print(
        column(ours, 10), column(dom, 10), column(both, 10), column(dom / ours, 100),
        column(both / ours, 100), " \(name), \(line.count) bytes")
    }
  }
  print("checksum \(checksum)")
}

run()
