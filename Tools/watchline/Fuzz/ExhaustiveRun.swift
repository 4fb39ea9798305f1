internal import Glibc
internal import Simulation
internal import Usage
internal import Wire

/// `watchline fuzz --exhaustive N`.
struct ExhaustiveRun {
  private var scope: Exhaustive
  private let isJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    scope = Exhaustive(operations: try arguments.integer("exhaustive", in: 1...4)!)
    isJSON = arguments.has("json")
    for option in ["seeds", "seconds", "against"] where arguments.has(option) {
      throw UsageError("--exhaustive tries everything; leave --\(option) out")
    }
    guard let text = arguments.string("part") else { return }
    let numbers = text.split(separator: "/").map { Int($0) }
    guard numbers.count == 2, let part = numbers[0], let parts = numbers[1], parts > 0,
      (1...parts).contains(part)
    else { throw UsageError("--part is I/N, such as 3/100, not \(text)") }
    scope.part = part - 1
    scope.parts = parts
  }

  func run() -> Int32 {
    let start = monotonicMilliseconds()
    let report = scope.run { what, done, all in
      showStatus("\(what): \(grouped(done)) of \(grouped(all))")
    }
    showStatus("")
    let milliseconds = monotonicMilliseconds() - start
    if isJSON {
      var json = JSONWriter()
      json.object { json in
        json.member("count", report.count)
        json.member("milliseconds", milliseconds)
        json.array("alphabet", report.alphabet) { $0.string($1) }
        json.array("covered", report.covered) { $0.string($1) }
        json.array("violations", report.findings) { json, finding in
          json.object { json in
            json.member("slug", finding.slug)
            json.member("headline", finding.headline)
            json.array("story", finding.story) { $0.string($1) }
          }
        }
      }
      print(String(decoding: json.bytes, as: UTF8.self))
    } else {
      for line in report.alphabet + report.covered { print(line) }
      for finding in report.findings {
        print("\nVIOLATION  \(finding.headline)")
        for line in finding.story { print("  \(line)") }
      }
      print("\(grouped(report.count)) tried in \(Double(milliseconds / 100) / 10) s")
    }
    return report.findings.isEmpty ? 0 : 1
  }
}
