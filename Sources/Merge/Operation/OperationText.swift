package import Wire

/// An operation in its canonical form, as its bytes: what devices hand in, stores keep and logs pass on.
///
/// Whatever writes an operation writes it so, mostly; then the bytes are taken as they are. Else they are made of the
/// tree of its values.
package struct OperationText: Hashable, Sendable {
  package let bytes: ArraySlice<UInt8>

  /// The operations of a list that stands in a line which has been scanned. They lie in one piece of memory, with nothing
  /// else in it.
  ///
  /// - Parameter deepest: levels of objects and arrays at most.
  /// - Throws: 4004 where one has a number, a name that occurs twice in one object, or a level too many, with its byte
  ///   offset.
  package static func list(
    _ list: Value, _ line: UnsafeRawBufferPointer, deepest: Int
  ) throws(WireError) -> [OperationText] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(list.end - list.start)
    var ends: [Int] = []
    var reader = ArrayReader(list, line)
    while let start = reader.nextStart() {
      var check = CanonicalCheck(line[start..<list.end])
      if check.startsRight() {
        bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: line[start..<check.at]))
        reader.skip(to: check.at)
      } else if let item = reader.next() {
        try Self.tree(item, line, deepest).append(to: &bytes)
      }
      ends.append(bytes.count)
    }
    // Blanks may take a whole line, and are not kept.
    if bytes.capacity > 2 * bytes.count { bytes = bytes.map { $0 } }
    return ends.indices.map { index in
      OperationText(bytes: bytes[(index > 0 ? ends[index - 1] : 0)..<ends[index]])
    }
  }

  private static func tree(
    _ value: Value, _ line: UnsafeRawBufferPointer, _ deepest: Int
  ) throws(WireError) -> Datum {
    let datum = try Datum(value, line)
    guard datum.depth <= deepest else {
      throw WireError(
        .invalidField, "the operation at ", byte: value.start,
        " has \(datum.depth) levels of objects and arrays; at most \(deepest) are taken")
    }
    return datum
  }

  /// An operation that is the whole of a text.
  ///
  /// - Throws: 4001 where it is no JSON, 4004 as above.
  package init(json text: some Sequence<UInt8>) throws(WireError) {
    let text = Array(text)
    // Whether other bytes are UTF-8 is found out on the other way.
    let passes = text.withUnsafeBytes {
      var check = CanonicalCheck($0[...])
      return check.passes() && $0.allSatisfy { $0 < 0x80 }
    }
    bytes = passes ? text[...] : try Datum(json: text).canonical[...]
  }

  package init(_ datum: Datum) { bytes = datum.canonical[...] }

  private init(bytes: ArraySlice<UInt8>) { self.bytes = bytes }
}

extension OperationText {
  /// Reads the operation.
  ///
  /// - Parameters:
  ///   - names: where its names are looked for before they are made.
  ///   - previous: the context of the operation before it of the replica named, nil where it is the first.
  /// - Throws: 4003 or 4004 with what is wrong where.
  package func read(
    names: NameCache? = nil, previous: (ReplicaID) -> Context?
  ) throws(WireError) -> Replica.Written {
    var lastRead = -1 ..< -1
    // A typed throw does not pass through the closure of an array's bytes.
    let result = bytes.withUnsafeBytes { text in
      withUnsafeMutablePointer(to: &lastRead) { lastRead in
        Result { () throws(WireError) in
          Replica.Written(
            operation: try Operation(
              reading: CanonicalText(text, at: 0, lastRead), names, previous: previous),
            bytes: bytes)
        }
      }
    }
    return try result.get()
  }
}
