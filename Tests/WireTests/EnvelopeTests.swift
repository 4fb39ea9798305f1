import Testing
import Wire

@Suite struct EnvelopeTests {
  @Test func findsEveryKey() throws {
    for chunk in stride(from: 0, to: Key.allCases.count, by: 40) {
      let keys = Key.allCases[chunk..<min(chunk + 40, Key.allCases.count)]
      let text =
        "{" + keys.enumerated().map { "\"\($1.rawValue)\":\($0)" }.joined(separator: ",") + "}"
      try withFields(text) { fields throws in
        for (number, key) in keys.enumerated() {
          #expect(try fields.integer(key, in: 0...100) == Int64(number), "\(key)")
        }
        for key in Key.allCases where !keys.contains(key) { #expect(fields[key] == nil) }
      }
    }
  }

  @Test func keysAreFoundByTheirBytesOnly() {
    for key in Key.allCases {
      let name = Array(key.rawValue.utf8)
      #expect(name.withUnsafeBytes { Key($0) } == key)
      for wrong in [name + [0x78], Array(name.dropLast()), [0x78] + name.dropFirst()] {
        let found = wrong.withUnsafeBytes { Key($0) }
        #expect(found == nil || found?.rawValue == String(decoding: wrong, as: UTF8.self))
      }
    }
    #expect([UInt8](repeating: 0x61, count: 40).withUnsafeBytes { Key($0) } == nil)
  }

  @Test func rangesIncludeQuotes() throws {
    let text = #" { "type" : "ping" , "id":-12.5e3 , "payload" : {"a":[1]} } "#
    try withFields(text) { fields throws in
      let type = try #require(fields[.type])
      #expect(String(decoding: fields.bytes(type), as: UTF8.self) == "\"ping\"")
      #expect(type.kind == .string)
      let id = try #require(fields[.id])
      #expect(String(decoding: fields.bytes(id), as: UTF8.self) == "-12.5e3")
      let payload = try #require(fields[.payload])
      #expect(String(decoding: fields.bytes(payload), as: UTF8.self) == #"{"a":[1]}"#)
      #expect(payload.kind == .object)
    }
  }

  @Test(
    arguments: [
      (#"{"data":"a","payload":1}"#, Value.Flags()),
      (#"{"data":"a","payload":"\n"}"#, .hasEscape),
      (#"{"data":"\n","payload":"a"}"#, []),
      (#"{"payload":null}"#, .hasNull),
      (#"{"payload":null }"#, .hasNull),
      (#"{"payload":{"a":[1,{"b":null}]}}"#, .hasNull),
      (#"{"payload":{"a":[{"$b":1}]}}"#, .hasDollarKey),
      (#"{"payload":{"a$":"$"}}"#, []),
      (#"{"payload":{"\u0024data":""}}"#, [.hasDollarKey, .hasEscape, .mayRepeatName]),
      (#"{"payload":{"\u0025data":""}}"#, [.hasEscape, .mayRepeatName]),
      (#"{"payload":{"a":"\n","b":1}}"#, .hasEscape),
      (#"{"payload":{"a":1,"b":{"a":1},"c":[{"a":1},{"a":1}]}}"#, []),
      (#"{"payload":{"a":1,"b":{"c":1},"a":1}}"#, .mayRepeatName),
      (#"{"payload":{"b":[{"a":1,"a":1}]}}"#, .mayRepeatName),
      (#"{"payload":{"longer than eight":1,"longer than eight":1}}"#, .mayRepeatName),
      (#"{"payload":{"":1,"":1}}"#, .mayRepeatName),
      (#"{"payload":[[[[[[[[{"a":1,"b":1}]]]]]]]]}"#, .mayRepeatName),
      (#"{"$x":1,"payload":{"a":1}}"#, []),
      (#"{"payload":{"":1}}"#, []),
    ] as [(String, Value.Flags)])
  func flagsTellWhatIsWithin(text: String, flags: Value.Flags) throws {
    try withFields(text) { #expect($0[.payload]?.flags == flags) }
  }

  @Test func nothingIsLeftOfTheLineBefore() throws {
    var envelope = Envelope()
    func scan(_ text: String) throws {
      try Array(text.utf8).withUnsafeBytes { try envelope.scan($0) }
    }
    func has(_ key: Key) -> Bool { envelope[key] != nil }
    try scan(#"{"type":"ping","unknown":1}"#)
    #expect(has(.type))
    try scan(#"{"id":1,"unknown":2}"#)
    #expect(!has(.type))
    #expect(throws: WireError.self) { try scan(#"{"type":"ping","id":1"#) }
    #expect(!has(.id))
    #expect(!has(.type))
  }

  @Test func namesMayBeEscaped() throws {
    try withFields(#"{"t\u0079pe":"ping"}"#) { fields throws in
      #expect(try fields.string(.type) == "ping")
    }
  }

  @Test(arguments: [
    (#"{"id":1,"id":2}"#, 8),
    (#"{"id":1,"\u0069d":2}"#, 8),
    (#"{"\u0069d":1,"id":2}"#, 13),
    (#"{"x":1,"y":2,"x":3}"#, 13),
    (#"{"x":1,"\u0078":2}"#, 7),
    (#"{"\u00e9":1,"é":2}"#, 12),
    (#"{"":1,"":2}"#, 6),
  ]) func refusesTheSameNameTwice(text: String, offset: Int) {
    expectMalformed(text, at: offset)
  }

  @Test func namesWithinMembersMayRepeat() {
    #expect(scanError(#"{"payload":{"a":1,"a":2}}"#) == nil)
    // The same letter composed and decomposed: other bytes, another name.
    #expect(scanError("{\"\u{E9}\":1,\"e\u{301}\":2}") == nil)
  }

  @Test func countsMembers() {
    func line(_ members: Int) -> String {
      "{" + (0..<members).map { "\"m\($0)\":1" }.joined(separator: ",") + "}"
    }
    #expect(scanError(line(63)) == nil)
    #expect(scanError(line(64)) == nil)
    expectMalformed(line(65), at: line(64).utf8.count)
  }

  @Test(arguments: ["[", "{\"a\":"]) func countsLevels(opening: String) {
    func line(_ depth: Int) -> String {
      let closing = opening == "[" ? "]" : "}"
      return "{\"a\":" + String(repeating: opening, count: depth - 1) + "1"
        + String(repeating: closing, count: depth - 1) + "}"
    }
    #expect(scanError(line(63)) == nil)
    #expect(scanError(line(64)) == nil)
    expectMalformed(line(65), at: 5 + 63 * opening.utf8.count)
    expectMalformed(line(100_000), at: 5 + 63 * opening.utf8.count)
  }
}
