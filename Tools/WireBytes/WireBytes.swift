internal import Wire
internal import WireFuzz

/// What libFuzzer calls with each input; what is wrong with it ends the process.
///
/// The first byte says what the rest is: `S` a line for the scanner, `G` the decisions of the generator of
/// `watchline fuzz-wire`, anything else what connections send.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let input = UnsafeRawBufferPointer(start: start, count: count)
  guard let kind = input.first else { return 0 }
  let rest = Array(input.dropFirst())
  switch kind {
  case UInt8(ascii: "S"): checkScanner(rest)
  case UInt8(ascii: "G"): checkDecisions(rest)
  default: checkConversation(rest)
  }
  return 0
}

/// The session that these bytes decide. Time says nothing here: each branch is counted.
private func checkDecisions(_ input: [UInt8]) {
  let run = WireFuzz(budget: .max).run(bytes: input)
  if let finding = run.finding {
    let script = Script(run.setting, run.steps).told.joined(separator: "\n")
    fatalError("\(finding.slug): \(finding.sentence)\n\(script)")
  }
}
