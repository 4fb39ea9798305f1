// Starts a server of its own and measures messages a second and the server's CPU per message.
//
//   swift run -c release server-benchmark [pairs window seconds]
//   swift run -c release server-benchmark pairs [pairs transfers]
//   swift run -c release server-benchmark hub [pairs records]
//
// The second and third form measure what a store with that many pairs costs at a start and in
// memory, with so many transfers waiting in each or so many records at its hub.
//
// The instrument for comparisons is `watchline load`; this gives a first figure.
import EventLoop
import Foundation

let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
let pairs = arguments.count > 0 ? arguments[0] : 50
let window = arguments.count > 1 ? arguments[1] : 256
let seconds = arguments.count > 2 ? arguments[2] : 4
let payload = 200

func run(isTransfer: Bool) throws {
  let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("watchline-benchmark-\(getpid())-\(isTransfer)")
  defer { try? FileManager.default.removeItem(at: folder) }
  let server = try ServerProgram(data: folder.path)
  defer { server.stop() }
  let port = server.port

  let loop = try EventLoop()
  let warmUp: Int64 = 1_000_000
  var start = (time: Int64(0), count: 0, cpu: 0.0, own: clock())
  var timers: [LoopTimer] = []
  let bench = try Bench(
    loop: loop, port: port, isTransfer: isTransfer, pairs: pairs, window: window, payload: payload
  ) { bench in
    timers[0].start(after: warmUp)
    timers[1].start(after: warmUp + Int64(seconds) * 1_000_000)
  }
  timers.append(
    LoopTimer(loop: loop) {
      start = (bench.loop.now, bench.count, server.cpu, clock())
    })
  timers.append(
    LoopTimer(loop: loop) {
      let elapsed = Double(bench.loop.now - start.time) / 1e6
      let count = bench.count - start.count
      let used = server.cpu - start.cpu
      let own = Double(clock() - start.own) / Double(CLOCKS_PER_SEC) / elapsed
      print(
        isTransfer ? "transfer" : "message ", "pairs \(pairs) window \(window) payload \(payload):",
        "\(Int(Double(count) / elapsed)) a second,",
        String(format: "%.2f", used / Double(count) * 1e6), "server CPU s per million,",
        "client CPU \(Int(own * 100)) %, out of order \(bench.outOfOrder)")
      for client in bench.clients { client.connection.close() }
      for timer in timers { timer.close() }
      loop.turnHandler = nil
      loop.shutDownHooks()
    })
  try loop.run()
  try loop.close()
}

switch CommandLine.arguments.dropFirst().first {
case "hub":
  try HubStart(pairs: arguments.first ?? 10_000, records: arguments.dropFirst().first ?? 100).run()
case "pairs":
  try PairsBenchmark(
    pairs: arguments.first ?? 10_000, transfers: arguments.dropFirst().first ?? 100
  ).run()
default:
  try run(isTransfer: false)
  try run(isTransfer: true)
}
