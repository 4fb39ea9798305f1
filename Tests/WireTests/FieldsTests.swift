import Testing
import Wire

@Suite struct FieldsTests {
  @Test func readsWhatIsThere() throws {
    try withFields(
      #"{"pair":"d\u00e9mo","expectsReply":true,"isLocked":false,"n":-9223372036854775808,"payload":{}}"#
    ) { fields throws in
      #expect(try fields.string(.pair) == "démo")
      #expect(try fields.optionalString(.role) == nil)
      #expect(try fields.bool(.expectsReply))
      #expect(try fields.optionalBool(.isLocked) == false)
      #expect(try fields.optionalBool(.isPaired) == nil)
      #expect(try fields.integer(.n, in: .min ... .max) == .min)
      #expect(try fields.optionalInteger(.seq, in: 0...1) == nil)
      #expect(try fields.object(.payload).count == 2)
      #expect(try fields.optionalObject(.metadata) == nil)
      #expect(try fields.optionalSeconds(.timeout) == nil)
      #expect(try fields.optionalIdentifier(.id) == nil)
    }
  }

  @Test func saysWhatIsMissing() {
    let error = fieldError("{}") { _ = try $0.string(.pair) }
    #expect(error == WireError(.missingField, "pair is missing; it must be a string"))
    for read in [
      { _ = try $0.bool(.pair) }, { _ = try $0.integer(.pair, in: 0...1) },
      { _ = try $0.seconds(.pair) }, { _ = try $0.object(.pair) }, { _ = try $0.data(.pair) },
      { _ = try $0.base64Length(.pair) },
    ] as [(Fields) throws -> Void] {
      #expect(fieldError("{}", read)?.code == .missingField)
    }
  }

  @Test func saysWhatIsWrong() {
    let error = fieldError(#"{"pair":12}"#) { _ = try $0.optionalString(.pair) }
    #expect(
      error == WireError(.invalidField, "pair must be a string; at byte 8 it is a number"))
    let null = fieldError(#"{"pair":null}"#) { _ = try $0.optionalString(.pair) }
    #expect(null?.message == "pair must be a string; at byte 8 it is null")
    let range = fieldError(#"{"n":11}"#) { _ = try $0.integer(.n, in: 1...10) }
    #expect(range?.message == "n must be an integer from 1 to 10; at byte 5 it is 11")
  }

  @Test(
    arguments: [
      ("0", nil), ("1", 1), ("10", 10), ("11", nil), ("1.0", nil), ("1e0", nil), ("-1", nil),
      ("99999999999999999999", nil), ("9223372036854775808", nil),
    ] as [(String, Int64?)])
  func integersAreExactAndInRange(text: String, expected: Int64?) {
    let read = try? withFields("{\"n\":\(text)}") { try $0.integer(.n, in: 1...10) }
    #expect(read == expected)
  }

  @Test(
    arguments: [
      ("9223372036854775807", Int64.max), ("9223372036854775808", nil),
      ("-9223372036854775808", .min),
      ("-9223372036854775809", nil), ("-0", 0), ("9007199254740993", 9_007_199_254_740_993),
    ] as [(String, Int64?)])
  func integersReachTheirEnds(text: String, expected: Int64?) {
    let read = try? withFields("{\"n\":\(text)}") { try $0.integer(.n, in: .min ... .max) }
    #expect(read == expected)
  }

  @Test(
    arguments: [
      ("0", 0), ("-0", 0), ("-0.000", 0), ("1", 1_000_000), ("0.1", 100_000), ("1.5", 1_500_000),
      ("0.000001", 1), ("0.0000004", 0), ("0.0000005", 1), ("0.30000000000000004", 300_000),
      ("1e3", 1_000_000_000), ("15e-1", 1_500_000), ("1.5E+1", 15_000_000), ("1e-6", 1),
      ("1e-7", 0), ("1e-400", 0), ("1000000000", 1_000_000_000_000_000),
      ("1e9", 1_000_000_000_000_000),
      ("1000000000.000000", 1_000_000_000_000_000), ("999999999.9999999", 1_000_000_000_000_000),
      ("1000000000.0000001", nil), ("1000000001", nil), ("1e10", nil), ("1e999", nil),
      ("1e99999999999999999999", nil), ("0e99999999999999999999", 0), ("-1", nil), ("-1e-9", nil),
      ("0.00000000000000000001e20", 1_000_000), ("100000000000000000000e-20", 1_000_000),
    ] as [(String, Int64?)])
  func secondsAreExact(text: String, expected: Int64?) {
    let read = try? withFields("{\"timeout\":\(text)}") { try $0.seconds(.timeout) }
    #expect(read == expected, "\(text)")
  }

  @Test func identifiersAreEchoed() throws {
    func identifier(_ text: String) throws -> String? {
      try withFields("{\"id\":\(text)}") { try $0.optionalIdentifier(.id).map($0.text) }
    }
    #expect(try identifier("\"a\"") == "\"a\"")
    #expect(try identifier("\"\\u0061\"") == "\"\\u0061\"")
    #expect(try identifier("-0") == "-0")
    #expect(try identifier("9223372036854775807") == "9223372036854775807")
    for wrong in ["1.0", "9223372036854775808", "true", "null", "{}", "[]"] {
      #expect(fieldError("{\"id\":\(wrong)}") { _ = try $0.optionalIdentifier(.id) } != nil)
    }
    for (filler, width) in [("a", 1), ("é", 2), ("🙂", 4), ("\\u00e9", 2), ("\\n", 1)] {
      for bytes in [62, 64, 66] {
        guard bytes % width == 0 else { continue }
        let text = "\"" + String(repeating: filler, count: bytes / width) + "\""
        #expect(((try? identifier(text)) != nil) == (bytes <= 64), "\(text)")
      }
    }
    #expect(try identifier("\"" + String(repeating: "a", count: 63) + "\"") != nil)
    #expect(throws: WireError.self) {
      try identifier("\"" + String(repeating: "a", count: 65) + "\"")
    }
  }

  @Test func readersWalkEverything() throws {
    let text = #"{"payload": { "a" : [ 1 , "two" , {"b":null} , [] ] , "\u0063":{} , "d":"" }}"#
    try withFields(text) { fields throws in
      var seen: [String] = []
      var object = ObjectReader(try fields.object(.payload), fields.line)
      while let (name, value) = object.next() {
        seen.append("\(name)=\(value.kind)")
        guard value.kind == .array else { continue }
        var array = ArrayReader(value, fields.line)
        while let element = array.next() {
          seen.append(String(decoding: fields.bytes(element), as: UTF8.self))
        }
        #expect(value.flags == .hasNull)
      }
      #expect(
        seen == ["a=array", "1", "\"two\"", "{\"b\":null}", "[]", "c=object", "d=string"])
    }
  }

  @Test func stringsAreUnescaped() throws {
    let text = #"{"name":"\"\\\/\b\f\n\r\t\u0000\u00e9\u4f1a\ud83d\ude42é"}"#
    try withFields(text) { fields throws in
      #expect(try fields.string(.name) == "\"\\/\u{8}\u{C}\n\r\t\u{0}é会🙂é")
    }
  }
}
