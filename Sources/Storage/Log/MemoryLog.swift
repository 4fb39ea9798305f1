/// A log without a disk: for a store in memory, and for tests.
package final class MemoryLog: Log {
  package private(set) var last: UInt64
  package private(set) var byteCount = 0
  private var entries: [(sequence: UInt64, bytes: [UInt8])] = []

  /// - Parameter last: behind which it goes on.
  package init(behind last: UInt64 = 0) { self.last = last }

  package func append(
    _ entry: [UInt8], sequence: UInt64, behind previous: UInt64
  ) throws(StoreError) {
    guard previous == last else { throw .conflict(behind: previous, last: last, path: "memory") }
    precondition(sequence > previous, "entry \(sequence) behind \(previous)")
    entries.append((sequence, entry))
    byteCount += entry.count
    last = sequence
  }

  package func read(
    behind sequence: UInt64,
    _ body: (_ sequence: UInt64, _ entry: UnsafeRawBufferPointer) throws(StoreError) -> Void
  ) throws(StoreError) {
    for entry in entries where entry.sequence > sequence {
      let result = entry.bytes.withUnsafeBytes { bytes in
        Result { () throws(StoreError) in try body(entry.sequence, bytes) }
      }
      try result.get()
    }
  }

  package func trim(through sequence: UInt64) {
    let end = entries.firstIndex { $0.sequence > sequence } ?? entries.count
    for entry in entries[..<end] { byteCount -= entry.bytes.count }
    entries.removeSubrange(..<end)
  }
}
