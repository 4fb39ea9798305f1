import Testing
import Wire

/// RFC 8259, rule by rule, each error with its byte.
@Suite struct GrammarTests {
  @Test(arguments: [
    ("", 0), (" ", 1), ("[]", 0), ("1", 0), ("\"a\"", 0), ("null", 0), ("x", 0), ("{", 1), ("}", 0),
    ("{} {}", 3), ("{}x", 2), ("{},", 2), ("{,}", 1), ("{a:1}", 1), ("{'a':1}", 1),
    (#"{"a"}"#, 4), (#"{"a" 1}"#, 5), (#"{"a":}"#, 5), (#"{"a":1,}"#, 7), (#"{"a":1 "b":2}"#, 7),
    (#"{"a":1"#, 6), (#"{"a""#, 4), (#"{"a":"#, 5), (#"{"a":1]"#, 6), (#"{"a":[1}}"#, 7),
    (#"{"a":[1,]}"#, 8), (#"{"a":[,1]}"#, 6), (#"{"a":[1 2]}"#, 8), (#"{"a":{"b":1]}"#, 11),
    (#"{"a":{"b"}}"#, 9), (#"{"a":{1:2}}"#, 6), (#"{"a":{"b":1,}}"#, 12), (#"{"a":["#, 6),
    (#"{"a":{"#, 6), (#"{"a":[1"#, 7), (#"{"a":[1,"#, 8), (#"{"a":{"b":1,"#, 12),
    (#"{"a":tru}"#, 8), (#"{"a":True}"#, 5), (#"{"a":truex}"#, 9), (#"{"a":nul"#, 8),
    (#"{"a":falsy}"#, 9), (#"{"a":NaN}"#, 5), (#"{"a":Infinity}"#, 5), (#"{"a":undefined}"#, 5),
    (#"{"a":01}"#, 6), (#"{"a":-01}"#, 7), (#"{"a":+1}"#, 5), (#"{"a":.5}"#, 5), (#"{"a":1.}"#, 7),
    (#"{"a":-}"#, 6), (#"{"a":1e}"#, 7), (#"{"a":1e+}"#, 8), (#"{"a":1.e5}"#, 7),
    (#"{"a":0x10}"#, 6), (#"{"a":1.5.5}"#, 8), (#"{"a":-"#, 6), (#"{"a":1e"#, 7), (#"{"a":00}"#, 6),
    (#"{"a":"b"#, 7), (#"{"a":"\x"}"#, 7), (#"{"a":"\"#, 7), (#"{"a":"\"}"#, 9),
    (#"{"a":"\u12G4"}"#, 10), (#"{"a":"\u12"#, 10), (#"{"a":"\u"}"#, 8),
    (#"{"a":"\ud800"}"#, 6), (#"{"a":"x\ud800x"}"#, 7), (#"{"a":"\udc00"}"#, 6),
    (#"{"a":"\ud800\n"}"#, 6), (#"{"a":"\ud800\u0041"}"#, 6), (#"{"a":"\ud800\ud800"}"#, 6),
    (#"{"a":"\udbff\udbff\udfff"}"#, 6), (#"{"a":"\ud800\u00"}"#, 16),
    ("{\"a\":\"\n\"}", 6), ("{\"a\":\"\t\"}", 6), ("{\"a\":\"\u{0}\"}", 6),
    ("{\"a\":\"\u{1F}\"}", 6),
    ("{\u{0}}", 1), ("{}\u{0}", 2), ("{\u{B}}", 1), ("{\u{A0}}", 1), ("\u{FEFF}{}", 0),
    ("{/* */}", 1), ("{}//", 2), ("{\"a\":1\u{C}}", 6),
  ]) func refuses(text: String, offset: Int) { expectMalformed(text, at: offset) }

  @Test(arguments: [
    "{}", " \t\r\n{ \t\r\n} \t\r\n", #"{"a":0}"#, #"{"a":-0}"#, #"{"a":-0.0e-0}"#, #"{"a":1E+05}"#,
    #"{"a":123456789012345678901234567890.5e999}"#, #"{"a":"\"\\\/\b\f\n\r\t\u0000\uFFFF"}"#,
    #"{"a":"\ud83d\ude00\uDBFF\uDFFF"}"#,
    "{\"a\":\"\u{7F}\u{80}\u{7FF}\u{800}\u{FFFF}\u{10FFFF}\"}",
    #"{"a":[],"b":{},"c":[[],{},[{}]],"d":[1,"2",true,false,null]}"#, #"{"a":true}"#,
    #"{"a":false}"#, #"{"a":null}"#, "{\"a\":\"\u{2028}\"}",
  ]) func accepts(text: String) { #expect(scanError(text) == nil) }

  @Test(
    arguments: [
      ([0x80], 0), ([0xBF], 0), ([0xC0, 0x80], 0), ([0xC1, 0xBF], 0), ([0xC2], 1),
      ([0xC2, 0x41], 1),
      ([0xC2, 0xC2], 1), ([0xE0, 0x80, 0x80], 1), ([0xE0, 0x9F, 0xBF], 1), ([0xE1, 0x80], 2),
      ([0xED, 0xA0, 0x80], 1), ([0xED, 0xBF, 0xBF], 1), ([0xEF, 0xBF, 0x41], 2),
      ([0xF0, 0x80, 0x80, 0x80], 1), ([0xF0, 0x8F, 0xBF, 0xBF], 1), ([0xF0, 0x90, 0x80], 3),
      ([0xF4, 0x90, 0x80, 0x80], 1), ([0xF5, 0x80, 0x80, 0x80], 0), ([0xFF], 0), ([0xFE], 0),
      ([0xC3, 0xA9, 0xA9], 2), ([0xF0, 0x9F, 0x98, 0x41], 3),
    ] as [([UInt8], Int)])
  func refusesBrokenUTF8(bytes: [UInt8], offset: Int) {
    // At every distance from the start, so that each path of the block reader meets it.
    for padding in [0, 1, 2, 3, 5, 8, 13, 15, 16, 17, 31, 40] {
      for filler in ["a", "é", "会", "🙂"] {
        let before = Array("{\"a\":\"".utf8) + Array(String(repeating: filler, count: padding).utf8)
        let after = Array((String(repeating: filler, count: 20) + "\"}").utf8)
        // A lead that lacks its last byte is found out by what follows it.
        guard offset < bytes.count || filler == "a" || after[0] >= 0xC0 else { continue }
        expectMalformed(before + bytes + after, at: before.count + offset)
      }
    }
  }

  @Test func acceptsEveryCharacter() {
    for scalar in stride(from: UInt32(0x80), through: 0x10FFFF, by: 61) {
      guard let scalar = UnicodeScalar(scalar) else { continue }
      let text = String(repeating: Character(scalar), count: 12)
      #expect(scanError("{\"a\":\"\(text)\"}") == nil, "\(scalar.value)")
    }
  }

  @Test func stringsMayEndAnywhereInABlock() {
    for length in 0..<70 {
      for filler in ["a", "é", "会", "🙂"] {
        let text = String(repeating: filler, count: length)
        #expect(scanError("{\"a\":\"\(text)\"}") == nil)
        #expect(scanError("{\"a\":\"\(text)\\n\"}") == nil)
        expectMalformed("{\"a\":\"\(text)", at: 6 + text.utf8.count)
        expectMalformed("{\"a\":\"\(text)\u{1}\"}", at: 6 + text.utf8.count)
      }
    }
  }
}
