import Seeded
import Foundation
import Testing
import Wire

@Suite struct PropertyListTests {
  private func size(_ json: String) throws -> Int {
    try withFields("{\"payload\":\(json)}") {
      try PropertyList.size(of: $0.object(.payload), in: $0.line)
    }
  }

  private func error(_ json: String) -> WireError? {
    let sizing = fieldError("{\"payload\":\(json)}") {
      _ = try PropertyList.size(of: $0[.payload]!, in: $0.line)
    }
    let checking = fieldError("{\"payload\":\(json)}") {
      try PropertyList.check($0[.payload]!, in: $0.line, field: "payload")
    }
    #expect(sizing == checking)
    return sizing
  }

  /// No property list has them, however they are spelled.
  @Test func numbersBeyondAllDoubles() {
    let digits = String(repeating: "9", count: 309)
    for number in ["1e400", "-1E+400", "1.5e309", "0.1e310", digits, "-\(digits)", "\(digits).5"] {
      #expect(
        error("{\"a\":[\(number)]}")?.message.hasPrefix(
          "payload.a[0] is a number that no 64 bits hold")
          == true, "\(number)")
    }
    for number in ["1e308", "1e-400", "1e0000000001", "0e999", "1\(digits.dropFirst().dropLast())"]
    {
      #expect(error("{\"a\":\(number)}") == nil, "\(number)")
    }
  }

  /// A few by hand; 42 is header, empty dictionary, its offset and trailer: 8 + 1 + 1 + 32.
  @Test(arguments: [
    ("{}", 42), (#"{"a":1}"#, 50), (#"{"a":255}"#, 50), (#"{"a":256}"#, 51), (#"{"a":65536}"#, 53),
    (#"{"a":4294967296}"#, 57), (#"{"a":-1}"#, 57), (#"{"a":18446744073709551615}"#, 65),
    (#"{"a":1.5}"#, 57), (#"{"a":1.0}"#, 57), (#"{"a":true}"#, 49), (#"{"a":true,"b":true}"#, 56),
    (#"{"a":1,"b":1}"#, 55), (#"{"a":1,"b":1.0}"#, 65), (#"{"a":"a"}"#, 47), (#"{"a":"é"}"#, 51),
    (#"{"a":"🙂"}"#, 53), (#"{"a":[]}"#, 49), (#"{"a":{"$data":"Zm9v"}}"#, 52),
    (#"{"a":{"$real":"nan"}}"#, 57), (#"{"a":{"$real":"infinity"},"b":{"$real":"-infinity"}}"#, 72),
    (#"{"a":{"$real":"nan"},"b":{"$real":"nan"}}"#, 62),
    (#"{"a":{"$date":0}}"#, 57), (#"{"$dictionary":{"a":1}}"#, 50),
    (#"{"a":{"$date":"2001-01-01T00:00:01Z"},"b":{"$date":1}}"#, 62),
    (#"{"a":{"$date":1},"b":1.0}"#, 72),
  ]) func countsBytes(json: String, expected: Int) throws { #expect(try size(json) == expected) }

  @Test(arguments: [
    (#"{"a":null}"#, "payload.a is null"),
    (#"{"a":[1,2,{"b":null}]}"#, "payload.a[2].b is null"),
    (#"{"a":[[],[null]]}"#, "payload.a[1][0] is null"),
    (#"{"a":1,"a":1}"#, "payload.a is given twice"),
    (#"{"b":[{"a":1,"c":{},"a":1}]}"#, "payload.b[0].a is given twice"),
    (#"{"a":1,"\u0061":1}"#, "payload.a is given twice"),
    (#"{"a":{"$dictionary":{"x":1,"x":2}}}"#, "payload.a.x is given twice"),
    (#"{"a":[[[[[[[[{"x":1,"y":1,"x":1}]]]]]]]]}"#, "payload.a[0][0][0][0][0][0][0][0].x is given"),
    (#"{"a":{"$data":"Zg"}}"#, "payload.a is {\"$data\": …} that is not base64: "),
    (#"{"a":{"$data":1}}"#, "payload.a is {\"$data\": …} with a number"),
    (#"{"a":{"$data":null}}"#, "payload.a is {\"$data\": …} with null"),
    (#"{"a":{"\u0024data":"*"}}"#, "payload.a is {\"$data\": …} that is not base64"),
    (#"{"a":{"$date":"today"}}"#, "payload.a is {\"$date\": …} that is no date"),
    (#"{"a":{"$date":true}}"#, "payload.a is {\"$date\": …} that is no date"),
    (#"{"a":{"$date":"2026-02-29T00:00:00Z"}}"#, "payload.a is {\"$date\": …} that is no date"),
    (#"{"a":{"$real":"NaN"}}"#, "payload.a is {\"$real\": …} that is no real"),
    (#"{"a":{"$real":1.5}}"#, "payload.a is {\"$real\": …} that is no real"),
    (#"{"$real":"nan"}"#, "payload is a number; it must be a dictionary"),
    (#"{"a":{"$dictionary":[]}}"#, "payload.a is {\"$dictionary\": …} with an array"),
    (#"{"a":{"$other":1}}"#, "payload.a has \"$other\" as its only name"),
    (#"{"a":{"$other":{"x":null}}}"#, "payload.a has \"$other\" as its only name"),
    (#"{"a":{"$other":{"x":null},"b":1}}"#, "payload.a.$other.x is null"),
    (#"{"a":{"$data":{"x":null},"b":1}}"#, "payload.a.$data.x is null"),
    (#"{"a":{"$dictionary":{"$data":null}}}"#, "payload.a.$data is null"),
    (#"{"a":{"$dictionary":{"$dictionary":{"x":null}}}}"#, "payload.a.$dictionary.x is null"),
    (#"{"a":{"$dictionary":{"$x":1}, "b":[{}]}}"#, "payload.a.$dictionary has \"$x\" as its only"),
    (#"{"$data":"Zm9v"}"#, "payload is data; it must be a dictionary"),
    (#"{"$date":1}"#, "payload is a date; it must be a dictionary"),
    ("[]", "payload is an array; it must be a dictionary"),
    ("null", "payload is null"), ("\"a\"", "payload is a string; it must be a dictionary"),
  ]) func namesTheKeyPath(json: String, start: String) {
    let error = error(json)
    #expect(error?.code == .payloadUnsupportedTypes)
    #expect(error?.message.hasPrefix(start) == true, "\(error?.message ?? "accepted")")
    #expect(error?.message.last == ")")
  }

  @Test(arguments: [
    #"{"a":{"$data":1,"b":2}}"#, #"{"a":{"$x":1,"$y":2}}"#, #"{"a":{"$dictionary":{"$data":1}}}"#,
    #"{"$dictionary":{"$date":"x"}}"#, #"{"a":{"$data":""}}"#, #"{"a":{"$data":"Zm8\/"}}"#,
    #"{"a":{"$date":"2026-03-01T12:00:00.25+05:30"}}"#, #"{"a":{"$date":-1.5e3}}"#,
  ]) func acceptsTags(json: String) { #expect(error(json) == nil) }

  /// One integer a name, up to and over where references and offsets grow.
  @Test(arguments: [14, 15, 16, 126, 127, 128, 255, 256, 257, 32766, 32767, 32768])
  func countsWideReferences(members: Int) throws {
    let json = "{" + (0..<members).map { "\"k\($0)\":\($0 + 1000)" }.joined(separator: ",") + "}"
    var oracle = Oracle()
    #expect(try size(json) == oracle.size(json))
  }

  @Test(arguments: [
    14, 15, 197, 198, 199, 200, 201, 255, 256, 65450, 65470, 65479, 65480, 65481, 65500, 65536,
  ])
  func countsLongText(length: Int) throws {
    for letter in ["a", "é"] {
      let json = "{\"a\":\"\(String(repeating: letter, count: length))\"}"
      var oracle = Oracle()
      #expect(try size(json) == oracle.size(json))
    }
  }

  @Test func equalsFoundation() throws {
    var random = SplitMix64(seed: 5)
    for _ in 0..<3000 {
      var text = ""
      Self.dictionary(&random, 0, &text)
      var oracle = Oracle()
      let expected = oracle.size(text)
      let measured = try size(text)
      if measured != expected {
        Issue.record("\(measured) instead of \(expected) for \(text)")
        return
      }
    }
  }

  private static let scalars = [
    "0", "1", "-1", "12", "255", "256", "65535", "65536", "4294967295", "4294967296", "1000",
    "-70000",
    "9223372036854775807", "9223372036854775808", "18446744073709551615", "0.5", "1.0", "1e3",
    "-2.5",
    "true", "false", "\"\"", "\"a\"", "\"k1\"", "\"é\"", "\"\\u00e9\"", "\"e\u{301}\"", "\"🙂\"",
    "\"a string of fifteen or more\"", "{\"$data\":\"\"}", "{\"$data\":\"Zm9v\"}", "{\"$date\":1}",
    "{\"$date\":\"2001-01-01T00:00:01Z\"}", "{\"$date\":\"2026-03-01T12:00:00+01:00\"}",
    "{\"$data\":\"AAAAAAAAAAAAAAAAAAAAAAAAAAAA\"}",
  ]

  private static func value(_ random: inout SplitMix64, _ depth: Int, _ text: inout String) {
    switch random.below(depth > 3 ? 6 : 8) {
    case 6: dictionary(&random, depth + 1, &text)
    case 7:
      text += "["
      for index in 0..<random.below(7) {
        if index > 0 { text += "," }
        value(&random, depth + 1, &text)
      }
      text += "]"
    default: text += scalars[random.below(scalars.count)]
    }
  }

  private static func dictionary(_ random: inout SplitMix64, _ depth: Int, _ text: inout String) {
    text += "{"
    let first = random.below(20)
    for index in 0..<random.below(depth == 0 ? 24 : 7) {
      if index > 0 { text += "," }
      text += "\"k\(first + index)\":"
      value(&random, depth, &text)
    }
    text += "}"
  }
}

/// Foundation's binary property list of the same payload.
///
/// The writer on Linux counts two equal objects once only where they are the same object (its set
/// compares pointers; CFBinaryPList.c), while Apple's compares values. Handing it one object for
/// all equal scalars gives the size that Apple's has.
private struct Oracle {
  private var shared: [String: NSObject] = [:]

  mutating func size(_ json: String) -> Int {
    let parsed = try! JSONParser.parse(json)
    let list = object(parsed)
    return try! PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
      .count
  }

  private mutating func share(_ key: String, _ make: @autoclosure () -> NSObject) -> NSObject {
    if let known = shared[key] { return known }
    let made = make()
    shared[key] = made
    return made
  }

  /// The bytes, for Swift's strings are equal where their characters are.
  private static func bytes(_ text: String) -> String {
    text.utf8.map { "\($0)" }.joined(separator: " ")
  }

  private mutating func string(_ text: String) -> NSString {
    share("s" + Self.bytes(text), NSString(string: text)) as! NSString
  }

  private mutating func object(_ value: JSONParser.Node) -> NSObject {
    switch value {
    case .string(let text): return string(text)
    case .bool(let bool): return NSNumber(value: bool)
    case .number(let text):
      if let number = Int64(text) { return share("i\(number)", NSNumber(value: number)) }
      if let number = UInt64(text) { return share("u\(number)", NSNumber(value: number)) }
      let number = Double(text)!
      return share("r\(number.bitPattern)", NSNumber(value: number))
    case .array(let elements):
      let array = NSMutableArray()
      for element in elements { array.add(object(element)) }
      return array
    case .object(let members):
      if members.count == 1, members[0].name == "$data", case .string(let text) = members[0].value {
        let data = NSData(base64Encoded: text)!
        return share("d" + text, data)
      }
      if members.count == 1, members[0].name == "$date" {
        let seconds: Double
        switch members[0].value {
        case .number(let text): seconds = Double(text)!
        case .string(let text):
          seconds = ISO8601DateFormatter().date(from: text)!.timeIntervalSinceReferenceDate
        default: fatalError("no date")
        }
        return share("t\(seconds)", NSDate(timeIntervalSinceReferenceDate: seconds))
      }
      let dictionary = NSMutableDictionary()
      for (name, value) in members { dictionary.setObject(object(value), forKey: string(name)) }
      return dictionary
    }
  }
}

/// A reader of its own for the oracle, with Wire's cursor underneath: what is under test here is the
/// measuring.
private enum JSONParser {
  indirect enum Node {
    case string(String), bool(Bool), number(String)
    case array([Node])
    case object([(name: String, value: Node)])
  }

  static func parse(_ json: String) throws -> Node {
    try withFields("{\"payload\":\(json)}") { node($0[.payload]!, $0.line) }
  }

  private static func node(_ value: Value, _ line: UnsafeRawBufferPointer) -> Node {
    let text = String(decoding: line[value.start..<value.end], as: UTF8.self)
    switch value.kind {
    case .string: return .string(decodeString(value, line))
    case .bool: return .bool(text == "true")
    case .number: return .number(text)
    case .array:
      var reader = ArrayReader(value, line)
      var elements: [Node] = []
      while let element = reader.next() { elements.append(node(element, line)) }
      return .array(elements)
    case .object:
      var reader = ObjectReader(value, line)
      var members: [(name: String, value: Node)] = []
      while let (name, member) = reader.next() { members.append((name, node(member, line))) }
      return .object(members)
    case .null: fatalError("null in a payload")
    }
  }
}
