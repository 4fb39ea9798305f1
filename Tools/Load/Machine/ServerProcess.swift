internal import CLinux
internal import Glibc

/// A server's process on this machine, as /proc shows it, or those of several servers as if they were one.
package struct ServerProcess: Sendable {
  package let ids: [Int]

  package init(id: Int) { ids = [id] }

  package init(_ processes: [ServerProcess]) { ids = processes.flatMap(\.ids) }

  /// CPU seconds so far, user and system, of all its threads, in hundredths; nil where it is gone.
  package var cpuSeconds: Double? { Self.sum(ids.map(Self.cpuSeconds)) }

  /// Memory that it occupies, in bytes; nil where it is gone.
  package var residentBytes: Int? { Self.sum(ids.map(Self.residentBytes)) }

  /// What it has had written to the disk so far, in bytes; nil where it is gone, or somebody else's.
  package var writtenBytes: Int? { Self.sum(ids.map(Self.writtenBytes)) }

  /// nil where one of them is.
  private static func sum<Number: Numeric>(_ numbers: [Number?]) -> Number? {
    numbers.reduce(Number.zero) { sum, number in sum.flatMap { sum in number.map { sum + $0 } } }
  }

  private static func cpuSeconds(_ id: Int) -> Double? {
    guard let text = ProcFile.text("/proc/\(id)/stat"), let end = text.lastIndex(of: ")") else {
      return nil
    }
    // Behind the name: state is the third field, utime and stime are the 14th and 15th.
    let fields = text[text.index(after: end)...].split(separator: " ")
    guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
      return nil
    }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  private static func residentBytes(_ id: Int) -> Int? {
    guard let text = ProcFile.text("/proc/\(id)/statm") else { return nil }
    let fields = text.split(separator: " ")
    guard fields.count > 1, let pages = Int(fields[1]), pages > 0 else { return nil }
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
  }

  private static func writtenBytes(_ id: Int) -> Int? {
    let name = "write_bytes: "
    return ProcFile.text("/proc/\(id)/io")?.split(separator: "\n")
      .first { $0.hasPrefix(name) }.flatMap { Int($0.dropFirst(name.count)) }
  }

  /// Binds all its threads to one processor.
  package func pin(to processor: Int) throws(LoadFailure) {
    for thread in ids.flatMap({ ProcFile.names("/proc/\($0)/task") }).compactMap({ Int32($0) }) {
      guard watchline_pin(thread, Int32(processor)) == 0 || errno == ESRCH else {
        throw LoadFailure(
          "the server cannot be bound to processor \(processor): \(String(cString: strerror(errno)))"
        )
      }
    }
  }

  /// Binds this program to one processor.
  package static func pinSelf(to processor: Int) throws(LoadFailure) {
    guard watchline_pin(0, Int32(processor)) == 0 else {
      throw LoadFailure(
        "the client cannot be bound to processor \(processor): \(String(cString: strerror(errno)))")
    }
  }

  /// Takes back `pinSelf`, so that a process started now does not inherit it.
  package static func unpinSelf() { _ = watchline_unpin() }
}

/// Whether the files in a folder live in memory, where a sync costs nothing.
package func isInMemory(folder: String) -> Bool { watchline_is_in_memory(folder) != 0 }
