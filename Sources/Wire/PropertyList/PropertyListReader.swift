/// Reads a payload as a property list, in one pass over its text.
///
/// `ObjectReader` and `ArrayReader` step over each value to find the next, so that whoever goes
/// into the values reads the innermost text once for every container around it. This reader keeps
/// the open containers on a stack and meets each byte once, and once more where there are tags.
///
/// - Complexity: the text's length for all calls of `next` together.
struct PropertyListReader {
  private let line: UnsafeRawBufferPointer
  /// The head of every key path.
  private let field: String
  private var scanner: Scanner
  /// From the outermost one; at most `Envelope.maximumDepth`.
  private var open: [Container] = []
  private var tagged = TaggedObjects()
  private let mayRepeatName: Bool

  /// Bytes read so far, twice those that were read twice: what the tests hold to the text's length.
  private(set) var bytesRead = 0

  /// What comes next. A name or a string may have escapes.
  enum Item {
    /// A name in a dictionary, before its value.
    case name(Value)
    case string(Value), number(Value), bool
    /// A real that JSON has no number for.
    case real(Double)
    /// The base64 string.
    case data(Value)
    /// Seconds since 2001-01-01 UTC.
    case date(Double)
    /// A container's end, after what it holds.
    case array(count: Int), dictionary(count: Int)
  }

  private struct Container {
    enum Kind {
      case array, dictionary
      /// `{"$dictionary": {…}}`, whose end is two braces.
      case taggedDictionary
    }

    let kind: Kind
    /// How many elements or members have begun.
    var count = 0
    /// The name of the member that has begun last.
    var name: Value?
    /// Whether that member's value is still to come.
    var awaitsValue = false
    /// The names so far, where one may come twice.
    var names: Set<String> = []
  }

  /// Begins with a value, which must be a dictionary.
  ///
  /// - Precondition: `value` is a value of `line`.
  /// - Throws: 7010 with `field` at the head of the key path, as `next` does.
  init(_ value: Value, in line: UnsafeRawBufferPointer, field: String) throws(WireError) {
    self.line = line
    self.field = field
    mayRepeatName = value.flags.contains(.mayRepeatName)
    scanner = Scanner(
      line.baseAddress!.assumingMemoryBound(to: UInt8.self), count: value.end, at: value.start)
    if value.flags.contains(.hasDollarKey) {
      tagged = TaggedObjects(in: value, line)
      bytesRead += value.count
    }

    let kind: String
    switch try self.value() {
    case nil where open[0].kind != .array: return
    case .data: kind = "data"
    case .date: kind = "a date"
    case .real: kind = "a number"
    default: kind = value.kind.readable
    }
    open = []
    throw unsupported("is \(kind); it must be a dictionary", at: value.start)
  }

  /// The next item, or nil after the end of the dictionary that it began with.
  ///
  /// - Throws: 7010 for null, for a number beyond all doubles, for a name that its object has already, and for
  ///   a tag that is wrong. Nothing may be read after that.
  mutating func next() throws(WireError) -> Item? {
    while let last = open.indices.last {
      if open[last].awaitsValue {
        open[last].awaitsValue = false
      } else {
        skipBlanks()
        if scanner.next(is: 0x2C) {
          step()
          skipBlanks()
        }
        guard !scanner.next(is: open[last].kind == .array ? 0x5D : 0x7D) else { return end() }
        open[last].count += 1
        if open[last].kind != .array {
          let name = nameWithColon()
          open[last].name = name
          open[last].awaitsValue = true
          if mayRepeatName, !open[last].names.insert(decodeString(name, line)).inserted {
            throw unsupported("is given twice", at: name.start)
          }
          return .name(name)
        }
      }
      if let item = try value() { return item }
    }
    return nil
  }

  // MARK: Values

  /// The value that starts here, or nil where a container was opened.
  private mutating func value() throws(WireError) -> Item? {
    switch kindHere {
    case .string: return .string(scalar(.string))
    case .number:
      let number = scalar(.number)
      if number.flags.contains(.hasLongNumber), !isFinite(number) {
        throw unsupported("is a number that no 64 bits hold", at: number.start)
      }
      return .number(number)
    case .bool:
      _ = scalar(.bool)
      return .bool
    case .null:
      throw unsupported("is null, which is not a property list value", at: scanner.at)
    case .array:
      begin(.array)
      return nil
    case .object:
      if tagged.contains(scanner.at) { return try taggedValue() }
      begin(.dictionary)
      return nil
    }
  }

  private func isFinite(_ number: Value) -> Bool {
    Double(String(decoding: line[number.start..<number.end], as: UTF8.self))?.isFinite == true
  }

  /// The value of the object that starts here and has one member, named `$…`.
  private mutating func taggedValue() throws(WireError) -> Item? {
    let start = scanner.at
    step()
    skipBlanks()
    let name = decodeString(nameWithColon(), line)
    let member = scanner.at
    let kind = kindHere
    let item: Item
    switch name {
    case "$data":
      guard kind == .string else {
        throw unsupported(
          "is {\"$data\": …} with \(kind.readable); it must be a base64 string", at: member)
      }
      let text = scalar(.string)
      var length = 0
      if let fault = Base64Text(text, line).decode({ Base64.validate($0, length: &length) }) {
        throw unsupported(
          "is {\"$data\": …} that is not base64: \(fault.reason)", at: fault.offset)
      }
      item = .data(text)
    case "$date":
      guard kind == .string || kind == .number,
        let seconds = PropertyListDate.seconds(scalar(kind), in: line)
      else {
        throw unsupported(
          "is {\"$date\": …} that is no date; it must be a string such as "
            + "\"2026-03-01T12:00:00Z\" or a number of seconds since 2001-01-01", at: member)
      }
      item = .date(seconds)
    case "$real":
      guard kind == .string, let number = Self.reals[decodeString(scalar(.string), line)] else {
        throw unsupported(
          "is {\"$real\": …} that is no real; it must be \"nan\", \"infinity\" or \"-infinity\"",
          at: member)
      }
      item = .real(number)
    case "$dictionary":
      guard kind == .object else {
        throw unsupported(
          "is {\"$dictionary\": …} with \(kind.readable); it must be an object", at: member)
      }
      begin(.taggedDictionary)
      return nil
    default:
      throw unsupported(
        "has \"\(name)\" as its only name, which is reserved; "
          + "write it as {\"$dictionary\": {\"\(name)\": …}}", at: start)
    }
    skipBlanks()
    step()
    return item
  }

  private static let reals: [String: Double] = [
    "nan": .nan, "infinity": .infinity, "-infinity": -.infinity,
  ]

  private mutating func begin(_ kind: Container.Kind) {
    open.append(Container(kind: kind))
    step()
  }

  private mutating func end() -> Item {
    let container = open.removeLast()
    step()
    if container.kind == .array { return .array(count: container.count) }
    if container.kind == .taggedDictionary {
      skipBlanks()
      step()
    }
    return .dictionary(count: container.count)
  }

  /// 7010 for the value that is being read: `payload.steps[3].day is … (byte 40)`.
  private func unsupported(_ what: String, at offset: Int) -> WireError {
    var path = field
    for container in open {
      if let name = container.name {
        path += ".\(decodeString(name, line))"
      } else {
        path += "[\(container.count - 1)]"
      }
    }
    return WireError(.payloadUnsupportedTypes, "\(path) \(what) (", byte: offset, ")")
  }

  // MARK: Text, which is known to be valid

  private var kindHere: Value.Kind {
    switch line[scanner.at] {
    case 0x7B: .object
    case 0x5B: .array
    case 0x22: .string
    case 0x74, 0x66: .bool
    case 0x6E: .null
    default: .number
    }
  }

  private mutating func scalar(_ kind: Value.Kind) -> Value {
    let start = scanner.at
    scanner.flags = []
    _ = kind == .string ? scanner.string() : scanner.scalar()
    bytesRead += scanner.at - start
    return Value(kind: kind, start: start, end: scanner.at, flags: scanner.flags)
  }

  private mutating func nameWithColon() -> Value {
    let name = scalar(.string)
    skipBlanks()
    step()
    skipBlanks()
    return name
  }

  private mutating func skipBlanks() {
    let start = scanner.at
    scanner.skipBlanks()
    bytesRead += scanner.at - start
  }

  private mutating func step() {
    scanner.at += 1
    bytesRead += 1
  }
}

/// Which objects of a value have one member only, whose name starts with `$`.
///
/// Whether a first name is also the last shows only behind its value, which may be long. Finding
/// this out beforehand, for all objects in one pass, keeps the reader from looking ahead in each.
private struct TaggedObjects {
  /// Where they start, ascending; -1 for one that has more members.
  private var starts: [Int] = []
  /// Those before it lie behind the reader.
  private var next = 0

  private enum Container {
    case array
    case emptyObject(start: Int)
    /// An object whose one name so far starts with `$`.
    case taggedObject(index: Int)
    case otherObject
  }

  init() {}

  /// - Complexity: the value's length.
  init(in value: Value, _ line: UnsafeRawBufferPointer) {
    var scanner = Scanner(
      line.baseAddress!.assumingMemoryBound(to: UInt8.self), count: value.end, at: value.start)
    var outer: [Container] = []
    var container = Container.array
    while true {
      scanner.skipBlanks()
      guard scanner.at < value.end else { return }
      let start = scanner.at
      switch line[start] {
      case 0x7B:
        outer.append(container)
        container = .emptyObject(start: start)
      case 0x5B:
        outer.append(container)
        container = .array
      case 0x7D, 0x5D:
        container = outer.removeLast()
      case 0x2C:
        if case .taggedObject(let index) = container {
          starts[index] = -1
          container = .otherObject
        }
      case 0x3A: break
      case 0x22:
        scanner.flags = []
        _ = scanner.string()
        // The first string in an object is its first name.
        if case .emptyObject(let object) = container {
          let name = Value(kind: .string, start: start, end: scanner.at, flags: scanner.flags)
          if Self.isTag(name, line) {
            container = .taggedObject(index: starts.count)
            starts.append(object)
          } else {
            container = .otherObject
          }
        }
        continue
      default:
        _ = scanner.scalar()
        continue
      }
      scanner.at += 1
    }
  }

  /// Whether the object that starts there is one of them; to be asked in ascending order.
  mutating func contains(_ start: Int) -> Bool {
    while next < starts.count, starts[next] < start { next += 1 }
    return next < starts.count && starts[next] == start
  }

  private static func isTag(_ name: Value, _ line: UnsafeRawBufferPointer) -> Bool {
    // `$` itself, or it may be written `\u0024`.
    guard line[name.start + 1] == 0x24 || line[name.start + 1] == 0x5C else { return false }
    return decodeString(name, line).hasPrefix("$")
  }
}
