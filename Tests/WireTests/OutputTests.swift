import Seeded
import Testing
import Wire

@Suite struct OutputTests {
  @Test func appendsText() {
    #expect(output { $0.append("ab" as StaticString) } == "ab")
    #expect(output { $0.append(text: "é\"") } == "é\"")
    #expect(output { out in [1, 2].withUnsafeBytes { out.append(bytes: $0) } }.utf8.count == 16)
  }

  @Test func appendsIntegers() {
    let numbers: [Int64] = [.min, -10, -1, 0, 1, 9, 10, 99, 100, 12345, .max]
    for number in numbers { #expect(output { $0.append(decimal: number) } == "\(number)") }
    #expect(output { $0.append(decimal: UInt64.max) } == "\(UInt64.max)")
    #expect(output { $0.append(decimal: UInt8.max) } == "255")
    #expect(output { $0.append(decimal: Int8.min) } == "-128")
  }

  @Test(arguments: [
    (0, "0"), (1, "0.000001"), (1_500_000, "1.5"), (2_000_000, "2"), (1_000_010, "1.00001"),
    (-250_000, "-0.25"), (999_999, "0.999999"), (Int64.max, "9223372036854.775807"),
    (Int64.min, "-9223372036854.775808"),
  ]) func appendsSeconds(microseconds: Int64, text: String) {
    #expect(output { $0.append(seconds: microseconds) } == text)
  }

  @Test func secondsComeBack() throws {
    var random = SplitMix64(seed: 7)
    for _ in 0..<1000 {
      let microseconds = Int64(random.below(1_000_000_000)) << Int64(random.below(20))
      let text = output { $0.append(seconds: microseconds) }
      #expect(try withFields("{\"timeout\":\(text)}") { try $0.seconds(.timeout) } == microseconds)
    }
  }

  @Test func escapesWhatItMust() {
    for code in UInt32(0)..<0x300 {
      let text = "x" + String(Character(UnicodeScalar(code)!)) + "é"
      let json = output { $0.append(jsonString: text) }
      #expect(scanError("{\"a\":\(json)}") == nil)
      #expect((try? withFields("{\"name\":\(json)}") { try $0.string(.name) }) == text)
      if code >= 0x20, code != 0x22, code != 0x5C { #expect(json == "\"\(text)\"") }
    }
    #expect(output { $0.append(jsonString: "\u{1}\u{1F}\n\"\\") } == #""\u0001\u001f\n\"\\""#)
    #expect(output { $0.append(jsonString: "") } == "\"\"")
  }
}

@Suite struct Base64Tests {
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
    ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
  ]) func vectorsOfTheRFC(plain: String, base64: String) throws {
    #expect(output { $0.append(base64: Array(plain.utf8)[...]) } == base64)
    try withFields("{\"data\":\"\(base64)\"}") { fields throws in
      #expect(try fields.data(.data) == Array(plain.utf8))
      #expect(try fields.base64Length(.data) == plain.utf8.count)
    }
  }

  @Test func comesBack() throws {
    var random = SplitMix64(seed: 11)
    for length in 0..<200 {
      let bytes = (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      let base64 = output { out in bytes.withUnsafeBytes { out.append(base64: $0) } }
      // Foundation and others write `/` with a backslash.
      for text in [
        base64,
        base64.split(separator: "/", omittingEmptySubsequences: false).joined(separator: "\\/"),
      ] {
        try withFields("{\"data\":\"\(text)\"}") { fields throws in
          #expect(try fields.data(.data) == bytes)
          #expect(try fields.base64Length(.data) == length)
        }
      }
    }
  }

  @Test(arguments: [
    ("Z", 1), ("Zg", 2), ("Zg=", 3), ("Zg==Zg==", 4), ("Z===", 1), ("====", 0), ("Zg=x", 3),
    ("Zh==", 1),
    ("Zm9=", 2), ("Zm 9v", 2), ("Zm9-", 3), ("Zm9vZ", 5), ("Zg==x", 4), ("Zm9v\u{e9}===", 4),
    ("Zm9v=", 4),
  ]) func namesTheOffset(base64: String, offset: Int) {
    for read in [{ _ = try $0.data(.data) }, { _ = try $0.base64Length(.data) }]
      as [(Fields) throws -> Void]
    {
      let error = fieldError("{\"data\":\"\(base64)\"}", read)
      #expect(error?.code == .invalidField)
      let message = error?.message ?? ""
      #expect(message.contains("at byte \(9 + offset) "), "\(message)")
      #expect(isErrorText(message), "\(message)")
    }
  }

  @Test func namesTheOffsetBehindEscapes() {
    let error = fieldError(#"{"data":"Zm\/\u0039v*=="}"#) { _ = try $0.data(.data) }
    #expect(error?.message.contains("at byte 20 ") == true, "\(error?.message ?? "")")
  }
}
