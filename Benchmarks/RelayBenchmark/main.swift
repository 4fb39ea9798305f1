// What the relay itself costs a message, without sockets and disk: nanoseconds, and a loop long
// enough for a profiler.
//
//   swift run -c release relay-benchmark [message|transfer|sync] [rounds] [pairs] [window]
//
// A round is one chunk of `window` lines from each phone, and for transfers their commit, the
// watches' acknowledges and their commit; of sync, `window` operations of each device, whose
// lines take a good part of the time to write. `ci/instructions` runs it under callgrind.
import EventLoop
import Glibc

let words = CommandLine.arguments.dropFirst().filter { Int($0) == nil }
let numbers = CommandLine.arguments.compactMap { Int($0) }
let rounds = numbers.count > 0 ? numbers[0] : 200
let pairs = numbers.count > 1 ? numbers[1] : 50
let window = numbers.count > 2 ? numbers[2] : 256

// As the server has it.
keepFreedMemory(bytes: 64 << 20)

for workload in words.isEmpty ? ["message", "transfer", "sync"] : words {
  let rig =
    workload == "sync"
    ? SyncRig(pairs: pairs, window: window)
    : LaneRig(pairs: pairs, window: window, isTransfer: workload == "transfer")
  rig.run(rounds: max(1, rounds / 20))
  let start = clock()
  rig.run(rounds: rounds)
  let seconds = Double(clock() - start) / Double(CLOCKS_PER_SEC)
  let count = rounds * pairs * window * (workload == "sync" ? 2 : 1)
  guard rig.said > count * 200 else {
    print("\(workload): not all was delivered")
    exit(1)
  }
  print(
    "\(workload) pairs \(pairs) window \(window): \(Int(seconds * 1e9 / Double(count))) ns of CPU")
}
