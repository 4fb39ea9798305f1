import Glibc
import Journal

/// The length of a file; 0 where there is none.
func size(_ path: String) -> Int {
  var status = stat()
  return stat(path, &status) == 0 ? Int(status.st_size) : 0
}

/// A batch with one row and a segment of so many bytes.
func batch(_ number: UInt64, bytes: Int, removing removed: [UInt64] = []) -> Batch {
  Batch(
    number: number, rows: [Row(.init(.device, pair: 1), [UInt8(truncatingIfNeeded: number)])],
    segment: bytes > 0 ? Segment(body: .init(repeating: 7, count: bytes)) : nil,
    removedSegments: removed)
}
