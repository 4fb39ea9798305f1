internal import Wire

/// What libFuzzer calls with each input; what is wrong with it ends the process.
///
/// The first byte says what the rest is: `S` a line for the scanner, anything else what connections
/// send.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let input = UnsafeRawBufferPointer(start: start, count: count)
  guard let kind = input.first else { return 0 }
  let rest = Array(input.dropFirst())
  if kind == UInt8(ascii: "S") { checkScanner(rest) } else { checkConversation(rest) }
  return 0
}
