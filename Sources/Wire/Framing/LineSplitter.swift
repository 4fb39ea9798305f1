/// Cuts what arrives into lines. Only the rest of a chunk, a torn line, is copied.
package struct LineSplitter {
  /// 16 MiB: a server's lines have at most 1 MiB and a little, so a longer one is not a server's.
  package static let longestLine = 16 * 1024 * 1024

  private var torn: [UInt8] = []

  package init() {}

  /// Calls `body` for each line that `chunk` completes, with its LF, until it returns false; the
  /// rest of the chunk is then dropped.
  ///
  /// - Returns: false when a line is longer than `longestLine`.
  package mutating func split(
    _ chunk: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Bool
  ) -> Bool {
    var start = 0
    var from = 0
    while let (index, byte) = endOfLine(chunk, from: from) {
      from = index + 1
      // 0xFF, which is looked for as well, means nothing here.
      guard byte == 0x0A else { continue }
      let piece = UnsafeRawBufferPointer(rebasing: chunk[start...index])
      start = from
      if torn.isEmpty {
        guard body(piece) else { return true }
      } else {
        torn += piece
        let goesOn = torn.withUnsafeBytes { body($0) }
        torn.removeAll()
        guard goesOn else { return true }
      }
    }
    torn += chunk[start...]
    return torn.count <= Self.longestLine
  }

  /// The lines that `chunk` completes, without their LF, however long they are.
  package mutating func lines(in chunk: some Collection<UInt8>) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    _ = Array(chunk).withUnsafeBytes { bytes in
      split(bytes) { line in
        lines.append(Array(line.dropLast()))
        return true
      }
    }
    return lines
  }

  /// How much of a line has come whose end has not.
  package var restCount: Int { torn.count }

  /// What came after the last LF, once; empty where there is nothing.
  package mutating func takeRest() -> [UInt8] {
    defer { torn = [] }
    return torn
  }
}
