/// Walks the members of an object in a line that has been scanned.
package struct ObjectReader {
  private let line: UnsafeRawBufferPointer
  private var at: Int
  private let end: Int

  /// - Precondition: `object` is an object of `line`.
  package init(_ object: Value, _ line: UnsafeRawBufferPointer) {
    precondition(object.kind == .object)
    self.line = line
    at = object.start + 1
    end = object.end
  }

  /// The next member with its name decoded, or nil at the end.
  package mutating func next() -> (name: String, value: Value)? {
    guard let member = nextMember() else { return nil }
    return (decodeString(member.name, line), member.value)
  }

  /// The next member with its name as it is written, or nil at the end.
  package mutating func nextMember() -> (name: Value, value: Value)? {
    guard var scanner = scannerAtNextElement(line, at, end) else { return nil }
    let start = scanner.at
    guard scanner.string() else { return nil }
    let name = Value(kind: .string, start: start, end: scanner.at, flags: scanner.flags)
    guard scanner.colon(), let value = scanner.element() else { return nil }
    at = scanner.at
    return (name, value)
  }
}

/// Walks the elements of an array in a line that has been scanned.
package struct ArrayReader {
  private let line: UnsafeRawBufferPointer
  private var at: Int
  private let end: Int

  /// - Precondition: `array` is an array of `line`.
  package init(_ array: Value, _ line: UnsafeRawBufferPointer) {
    precondition(array.kind == .array)
    self.line = line
    at = array.start + 1
    end = array.end
  }

  /// The next element, or nil at the end.
  package mutating func next() -> Value? {
    guard var scanner = scannerAtNextElement(line, at, end), let value = scanner.element() else {
      return nil
    }
    at = scanner.at
    return value
  }

  /// Where the next element starts, or nil at the end.
  package func nextStart() -> Int? { scannerAtNextElement(line, at, end)?.at }

  /// Passes an element over that its caller has read.
  ///
  /// - Parameter place: behind it.
  package mutating func skip(to place: Int) { at = place }
}

/// A scanner on the first byte of what comes next in a container, or nil at the container's end.
private func scannerAtNextElement(
  _ line: UnsafeRawBufferPointer, _ at: Int, _ end: Int
) -> Scanner? {
  var scanner = Scanner(
    line.baseAddress!.assumingMemoryBound(to: UInt8.self), count: end, at: at)
  scanner.skipBlanks()
  if scanner.next(is: 0x2C) {
    scanner.at += 1
    scanner.skipBlanks()
  }
  return scanner.at < end - 1 ? scanner : nil
}

extension Scanner {
  /// The value at `at`, of text that is known to be valid.
  fileprivate mutating func element() -> Value? {
    flags = []
    let start = at
    guard value(outside: 0) else { return nil }
    return Value(kind: kind, start: start, end: at, flags: flags)
  }
}
