import Merge
import Testing
import Wire

/// What people type becomes one spelling, and nothing else counts as canonical.
@Suite struct FieldTypeTests {
  private static func expect(
    _ type: FieldType, _ typed: String, _ spelled: String?,
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    let datum = try canonical(type, typed)
    #expect(datum == spelled.map { .string(Name($0)) }, "\(typed)", sourceLocation: location)
    guard let datum else { return }
    #expect(type.isCanonical(datum), "\(typed)", sourceLocation: location)
    // What is shown reads as the same, and so does the canonical form itself.
    for text in [readable(type, datum), String(decoding: datum.canonical, as: UTF8.self)] {
      #expect(try canonical(type, text) == datum, "\(text)", sourceLocation: location)
    }
  }

  private static let integers: [(String, String?)] = [
    ("0", "0"), ("-0", "0"), ("7", "7"), ("\"42\"", "42"), ("\"-42\"", "-42"),
    ("1500.0", "1500"), ("15e2", "1500"), ("15E+2", "1500"), ("150000e-2", "1500"),
    ("0.15e4", "1500"), ("0e99999999999999999999", "0"), ("-0.000", "0"),
    ("9007199254740993", "9007199254740993"), ("9007199254740992", "9007199254740992"),
    ("9223372036854775807", "9223372036854775807"),
    ("-9223372036854775808", "-9223372036854775808"),
    ("9223372036854775807.0", "9223372036854775807"),
    ("9.223372036854775807e18", "9223372036854775807"),
    ("9223372036854775808", nil), ("-9223372036854775809", nil), ("1e19", nil), ("-1e19", nil),
    ("99999999999999999999", nil), ("1500.5", nil), ("1e-1", nil), ("1e400", nil),
    ("1e99999999999999999999", nil), ("1e-99999999999999999999", nil), ("true", nil),
    ("null", nil), ("[1]", nil), ("{}", nil), ("\"\"", nil), ("\"+1\"", nil), ("\"01\"", nil),
    ("\"1 \"", nil), ("\"0x10\"", nil), ("\"１\"", nil), ("\"1_000\"", nil), ("\"-\"", nil),
  ]

  @Test(arguments: integers)
  func int(_ typed: String, _ spelled: String?) throws { try Self.expect(.int, typed, spelled) }

  private static let digits38 = String(repeating: "9", count: 38)

  private static let zeros37 = String(repeating: "0", count: 37)

  private static let decimals: [(String, String?)] = [
    ("0", "0"), ("-0", "0"), ("-0.00", "0"), ("100", "100"), ("1e2", "100"), ("112.50", "112.5"),
    ("\"112.50\"", "112.5"), ("-0.10", "-0.1"), ("1e-3", "0.001"), ("0.1e1", "1"),
    ("123456789012345678901234567890.12345678", "123456789012345678901234567890.12345678"),
    ("\(digits38)", digits38), ("-\(digits38)", "-\(digits38)"),
    ("0.\(digits38)", "0.\(digits38)"), ("0.\(digits38)0000", "0.\(digits38)"),
    ("1\(digits38)", nil), ("0.0\(digits38)", nil), ("1.\(digits38)", nil),
    ("1e37", "1\(zeros37)"), ("1e38", nil), ("1e-38", "0.\(zeros37)1"), ("1e-39", nil),
    ("1e400", nil), ("1e-9999999999999999999999", nil), ("0e-9999999999999999999999", "0"),
    ("true", nil), ("null", nil), ("\".5\"", nil), ("\"5.\"", nil), ("\"1,5\"", nil),
    ("\"nan\"", nil), ("\"Infinity\"", nil), ("\"1e\"", nil), ("\"1e+\"", nil), ("\"--1\"", nil),
  ]

  @Test(arguments: decimals)
  func decimal(_ typed: String, _ spelled: String?) throws {
    try Self.expect(.decimal, typed, spelled)
  }

  /// Spellings of RFC 8785 appendix B, and the borders of ECMAScript's forms.
  @Test(arguments: [
    ("0", "0"), ("-0", "0"), ("-0.0", "0"), ("5e-324", "5e-324"), ("-5e-324", "-5e-324"),
    ("1.7976931348623157e308", "1.7976931348623157e+308"),
    ("9007199254740992", "9007199254740992"), ("9007199254740993", "9007199254740992"),
    ("295147905179352825856", "295147905179352830000"), ("1e20", "100000000000000000000"),
    ("999999999999999999999", "1e+21"), ("1e21", "1e+21"), ("1e23", "1e+23"),
    ("9.999999999999997e22", "9.999999999999997e+22"), ("0.000001", "0.000001"),
    ("0.00000123", "0.00000123"), ("9.5e-7", "9.5e-7"), ("1e-7", "1e-7"),
    ("333333333.33333329", "333333333.3333333"),
    ("-0.0000033333333333333333", "-0.0000033333333333333333"),
    ("1424953923781206.2", "1424953923781206.2"),
    ("2.2250738585072014e-308", "2.2250738585072014e-308"),
    ("2.2250738585072009e-308", "2.225073858507201e-308"), ("4.35", "4.35"), ("100.0", "100"),
    ("\"0.25\"", "0.25"), ("1e-400", "0"), ("1e400", nil), ("-1e309", nil), ("true", nil),
    ("\"nan\"", nil), ("\"inf\"", nil), ("\"0x1p3\"", nil), ("\" 1\"", nil), ("\"\"", nil),
  ])
  func double(_ typed: String, _ spelled: String?) throws {
    try Self.expect(.double, typed, spelled)
  }

  @Test(arguments: [
    ("785412000", "785412000"), ("785412000.0", "785412000"),
    ("785412000.123456", "785412000.123456"),
    ("-977307200", "-977307200"), ("\"2025-11-21T10:00:00Z\"", "785412000"),
    ("\"2025-11-21T11:00:00+01:00\"", "785412000"), ("\"2025-11-21T10:00:00.25Z\"", "785412000.25"),
    ("\"785412000.50\"", "785412000.5"), ("\"2001-01-01T00:00:00Z\"", "0"),
    ("\"2000-12-31T23:59:59Z\"", "-1"), ("\"1970-01-01T00:00:00Z\"", "-978307200"),
    ("\"2025-02-29T10:00:00Z\"", nil), ("\"2025-11-21\"", nil), ("\"now\"", nil), ("1e400", nil),
    ("true", nil), ("null", nil),
  ])
  func date(_ typed: String, _ spelled: String?) throws { try Self.expect(.date, typed, spelled) }

  @Test func dateOfAStamp() {
    #expect(FieldType.date(milliseconds: 1_763_719_200_000) == .string("785412000"))
    #expect(FieldType.date(milliseconds: 1_763_719_200_123) == .string("785412000.123"))
    #expect(FieldType.date(milliseconds: 0) == .string("-978307200"))
    for extreme in [Int64.min, .max] {
      #expect(FieldType.date.isCanonical(FieldType.date(milliseconds: extreme)))
    }
  }

  @Test(arguments: [
    ("\"6f0e3a52-0c55-4f6b-9e0e-0a1b2c3d4e5f\"", "6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F"),
    ("\"6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F\"", "6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F"),
    ("\"6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5\"", nil),
    ("\"6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5G\"", nil),
    ("\"6F0E3A520C55-4F6B-9E0E-0A1B2C3D4E5FF-\"", nil), ("12", nil), ("null", nil),
  ])
  func uuid(_ typed: String, _ spelled: String?) throws { try Self.expect(.uuid, typed, spelled) }

  @Test func boolAndString() throws {
    #expect(try canonical(.bool, "true") == .bool(true))
    #expect(try canonical(.bool, "false") == .bool(false))
    for typed in ["1", "0", "\"true\"", "null"] { #expect(try canonical(.bool, typed) == nil) }
    // Never normalised: the two spellings of é stay two.
    #expect(try canonical(.string, "\"\\u00e9\"") == .string("\u{E9}"))
    #expect(try canonical(.string, "\"e\\u0301\"") == .string("e\u{301}"))
    #expect(try canonical(.text, "\"\\ud83d\\ude00\\u0000\"") == .string("😀\0"))
    for type in [FieldType.string, .text] {
      for typed in ["1", "true", "null", "[]"] { #expect(try canonical(type, typed) == nil) }
    }
    #expect(readable(.string, .string("a\"b")) == #""a\"b""#)
  }

  @Test func onlyTheCanonicalFormIsCanonical() {
    let others: [(FieldType, [String])] = [
      (.int, ["1500.0", "15e2", "+1", "-0", "01", "", " 1", "9223372036854775808"]),
      (.decimal, ["1.0", "1e2", "-0", "00.5", ".5", "1.", "1\(Self.digits38)"]),
      (.double, ["1.0", "1e2", "-0", "1E+21", "1e21", "nan", "inf", "0x1p3"]),
      (.date, ["785412000.0", "2025-11-21T10:00:00Z", "now"]),
      (.uuid, ["6f0e3a52-0c55-4f6b-9e0e-0a1b2c3d4e5f", "1"]),
      (.bool, ["true"]), (.string, []), (.text, []),
    ]
    for (type, texts) in others {
      let data = texts.map { Datum.string(Name($0)) }
      for datum in data + [.null, .array([.string("1")]), .object([])] {
        #expect(!type.isCanonical(datum), "\(type) \(datum)")
      }
    }
    let long = Datum.string(Name(String(repeating: "9", count: 1_000_000)))
    for type in [FieldType.int, .decimal, .double, .date, .uuid] {
      #expect(!type.isCanonical(long))
    }
  }

  /// What is not canonical is shown as it is, so that the output stays JSON.
  @Test func whatIsNotCanonicalStaysAString() {
    #expect(readable(.int, .string("nan")) == "\"nan\"")
    #expect(readable(.int, .null) == "null")
    #expect(readable(.int, .string("9007199254740993")) == "9007199254740993")
    #expect(readable(.double, .string("1e+21")) == "1e+21")
  }

  @Test func anErrorSaysWhatWasFound() throws {
    let long = "\"" + String(repeating: "é", count: 100) + "\""
    let error = try withJSON(long) { value, line in
      wireError { _ = try FieldType.int.canonical(value, line, as: "durationInSeconds") }
    }
    #expect(
      error?.message == "durationInSeconds must be a whole number from -9223372036854775808 to"
        + " 9223372036854775807, found \"" + String(repeating: "é", count: 19) + "…")
  }
}
