import Foundation

/// Runs a script of this folder.
///
/// - Returns: what it printed, as words; none where it failed, as without Loro.
func python(_ script: String, _ arguments: [String]) -> [String] {
  let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: script).path
  let process = Process()
  process.executableURL = URL(filePath: "/usr/bin/env")
  process.arguments = ["python3", path] + arguments
  let output = Pipe()
  process.standardOutput = output
  process.standardError = FileHandle.nullDevice
  guard (try? process.run()) != nil, let data = try? output.fileHandleForReading.readToEnd()
  else { return [] }
  process.waitUntilExit()
  guard process.terminationStatus == 0 else { return [] }
  return String(decoding: data, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    .map(String.init)
}

func printRow(_ words: [String]) {
  let rest = words.dropFirst().map { String(repeating: " ", count: max(1, 12 - $0.count)) + $0 }
  print(words[0].padding(toLength: 42, withPad: " ", startingAt: 0) + rest.joined())
}

func decimal(_ value: Double, _ digits: Int) -> String {
  String(format: "%.\(digits)f", value)
}

/// Time of the processor: a machine with other work on it does not change it much.
func processorSeconds(_ body: () throws -> Void) rethrows -> Double {
  func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
  let start = now()
  try body()
  return now() - start
}

/// The resident memory of this process.
func residentBytes() -> Int {
  let words = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(
    separator: " ")
  return (words?.dropFirst().first.flatMap { Int($0) } ?? 0) * sysconf(Int32(_SC_PAGESIZE))
}
