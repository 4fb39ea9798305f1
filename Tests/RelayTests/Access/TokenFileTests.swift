import Relay
import Testing

@Suite struct TokenFileTests {
  private static let digest = String(repeating: "9f", count: 32)

  private static func line(_ members: String, id: String = "a1b2c3d4") -> String {
    #"{"id":"\#(id)","sha256":"\#(digest)","pairs":["team-*"]\#(members)}"#
  }

  private func fault(_ text: String) -> String {
    do throws(TokenFileError) {
      _ = try TokenFile.read(Array(text.utf8))
      return ""
    } catch {
      return error.message
    }
  }

  @Test func readsWhatItWrites() throws {
    let full = Self.line(
      #","role":"watch","device":"w*","grant":["connect","clock"],"expires":"2027-01-01T00:00:00Z""#
        + #","quota":{"connections":7,"linesPerSecond":100}"#)
    let text = "\n\(full)\r\n  \n\(Self.line("", id: "zzzzzzz9"))"
    let tokens = try TokenFile.read(Array(text.utf8))
    #expect(tokens.count == 2)
    #expect(tokens[0].quota.all.map(\.value) == [7, 100] && tokens[1].quota == Quota())
    #expect(tokens[0].expires == 1_798_761_600_000_000)
    #expect(tokens[0].role == .watch && tokens[0].grants == [.connect, .clock])
    #expect(tokens[1].role == nil && tokens[1].grants == [.connect] && tokens[1].expires == nil)
    #expect(tokens[1].device.text == "*")
    #expect(try TokenFile.read(tokens.flatMap(TokenFile.line)) == tokens)
    #expect(String(decoding: TokenFile.line(tokens[0]), as: UTF8.self) == full + "\n")
    #expect(try TokenFile.read([]) == [])
    let named =
      #"{"id":"a1b2c3d4","certificate":"ci-*","pairs":["p"],"device":"*","grant":["connect"]}"#
    let token = try #require(try TokenFile.read(Array(named.utf8)).first)
    #expect(token.proof == .certificate(NamePattern("ci-*")))
    #expect(String(decoding: TokenFile.line(token), as: UTF8.self) == named + "\n")
  }

  static let faults: [(String, String)] = [
    ("x", "line 1: this is not a JSON object"),
    (line(#","rôle":"watch""#), "no member"),
    (line(#","grants":[]"#), "did you mean grant?"),
    (line(#","role":"phone","role":"watch""#), "found \"role\" again"),
    (line("") + "\n" + line(""), "line 2: id a1b2c3d4 is that of line 1"),
    (line("", id: "A1b2c3d4"), "id is 8 lower-case"), (line("", id: "a1b2c3d"), "id is 8"),
    (#"{"id":"a1b2c3d4","pairs":["p"]}"#, "sha256 is"),
    (#"{"id":"a1b2c3d4","sha256":"9g","pairs":["p"]}"#, "sha256 is"),
    (line(#","certificate":"a""#), "sha256 or certificate, and not both"),
    (#"{"id":"a1b2c3d4","certificate":"","pairs":["p"]}"#, "certificate is a name"),
    (#"{"id":"a1b2c3d4","certificate":["a"],"pairs":["p"]}"#, "certificate is a name"),
    (#"{"id":"a1b2c3d4","sha256":"\#(digest)"}"#, "pairs is a list"),
    (#"{"id":"a1b2c3d4","sha256":"\#(digest)","pairs":[]}"#, "pairs is a list"),
    (#"{"id":"a1b2c3d4","sha256":"\#(digest)","pairs":[1]}"#, "pairs is a list"),
    (#"{"id":"a1b2c3d4","sha256":"\#(digest)","pairs":[""]}"#, "pairs is a list"),
    (#"{"id":"a1b2c3d4","sha256":"\#(digest)","pairs":"p"}"#, "pairs is a list"),
    (line(#","role":"tablet""#), "role is phone or watch"), (line(#","role":null"#), "role is"),
    (line(#","device":"""#), "device is"), (line(#","device":7"#), "device is"),
    (line(#","grant":["conect"]"#), "there is no grant conect; did you mean connect?"),
    (line(#","grant":"connect""#), "grant is a list"),
    (line(#","expires":"tomorrow""#), "expires is a moment"),
    (line(#","expires":5"#), "expires is"),
    (line(#","quota":5"#), "quota is"), (line(#","quota":{"pears":1}"#), "did you mean pairs?"),
    (line(#","quota":{"connections":0}"#), "quota.connections is a whole number from 1"),
    (line(#","quota":{"connections":"7"}"#), "quota.connections is"),
    (line(#","quota":{"pairs":1000000000001}"#), "to 1000000000000"),
    (line("") + "\n\n" + line("", id: "b").dropLast(), "line 3: this is not a JSON object"),
    (String(repeating: "\n", count: TokenFile.largest + 1), "at most 1048576 bytes"),
  ]

  @Test(arguments: faults) func namesWhatIsWrong(_ text: String, _ expected: String) {
    let fault = fault(text)
    #expect(fault.contains(expected), "\(fault)")
  }

  @Test(arguments: [
    ("p", ["p"], ["", "pp", "P", "p*"]), ("*", ["", "p", "*"], []),
    ("p*", ["p", "p-1"], ["", "q", "ap"]), ("*p", ["p", "app"], ["", "pa"]),
    ("a*b*c", ["abc", "axbxc", "abbcc", "abcabc"], ["ac", "acb", "abcx", "xabc"]),
    ("a**c", ["ac", "abc"], ["a", "c"]), ("aa*aa", ["aaaa", "aaxaa"], ["aa", "aaa"]),
    ("*a*", ["a", "bab"], ["", "b"]), ("é*", ["é1"], ["e\u{301}1"]),
  ])
  func patterns(_ pattern: String, _ matching: [String], _ others: [String]) {
    let pattern = NamePattern(pattern)
    for name in matching { #expect(pattern.matches(name), "\(pattern.text) \(name)") }
    for name in others { #expect(!pattern.matches(name), "\(pattern.text) \(name)") }
  }

  /// RFC 4648's alphabet for URLs, with the value that openssl gives for 32 bytes.
  @Test func tokensAreBase64URL() {
    let secret = (0..<32).map { UInt8($0 * 8 + 7) }
    let text = Token.text(id: "a1b2c3d4", secret: secret)
    #expect(text == "wl1_a1b2c3d4_Bw8XHycvNz9HT1dfZ293f4ePl5-nr7e_x8_X3-fv9_8")
    #expect(text.utf8.count == 56)
  }
}
