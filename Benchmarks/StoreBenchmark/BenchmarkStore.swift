import Glibc
import Journal
import Storage

/// A store in a new directory, and a loop thread that waits for it as the server's does: by a wake-up.
final class BenchmarkStore {
  let directory: String
  private(set) var store: Store
  private(set) var contents: Contents
  /// The ends of a pipe: to read, to write.
  private let wake: [Int32]
  private(set) var committed: UInt64 = 0
  private(set) var answers = 0

  init(in parent: String, options: StoreOptions) throws {
    directory = "\(parent)/store-benchmark-\(getpid())"
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { fatalError("pipe: \(errno)") }
    wake = ends
    (store, contents) = try Self.open(directory, wake, options)
  }

  private static func open(
    _ directory: String, _ wake: [Int32], _ options: StoreOptions
  ) throws(StoreError) -> (Store, Contents) {
    try Store.open(.directory(directory), newIdentity: "benchmark", options: options) {
      var byte: UInt8 = 1
      write(wake[1], &byte, 1)
    }
  }

  func reopen(options: StoreOptions) throws {
    (store, contents) = try Self.open(directory, wake, options)
  }

  /// Waits for events and counts them.
  func step() {
    var bytes = (UInt64(0), UInt64(0))
    read(wake[0], &bytes, 16)
    for event in store.takeEvents() {
      switch event {
      case .committed(let number): committed = number
      case .read(_, let bytes): if bytes != nil { answers += 1 }
      case .failing(let error, _), .full(let error), .damaged(let error): print(error)
      case .recovered, .hasRoom, .segment, .pair: break
      }
    }
  }

  func remove() {
    store.close()
    unlink(directory + "/watchline.sqlite")
    unlink(directory + "/watchline.reserve")
    unlink(directory + "/watchline.mark")
    rmdir(directory)
    for end in wake { close(end) }
  }

  var fileBytes: Int {
    var status = stat()
    stat(directory + "/watchline.sqlite", &status)
    return Int(status.st_size)
  }
}

/// Wall and CPU time of `body`, in seconds.
func measure(_ body: () throws -> Void) rethrows -> (wall: Double, cpu: Double) {
  func seconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
  let (wall, cpu) = (seconds(CLOCK_MONOTONIC), seconds(CLOCK_PROCESS_CPUTIME_ID))
  try body()
  return (seconds(CLOCK_MONOTONIC) - wall, seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu)
}

/// Prints a line of the table.
func report(_ work: String, count: Int, _ time: (wall: Double, cpu: Double)) {
  let rate = Int(Double(count) / time.wall)
  let hundredths = Int(time.cpu / Double(count) * 1e8)
  let rest = hundredths % 100
  print("| \(work) | \(rate) | \(hundredths / 100).\(rest < 10 ? "0" : "")\(rest) |")
}
