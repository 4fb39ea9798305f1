import Seeded
import Testing
import Wire

@Suite struct WordsTests {
  /// What the JSON line has at a byte stands where it was typed.
  @Test(arguments: [
    "sendMessage payload={\"a\": [1, null]} id=\"x\" n=-5", "help   transferFile", "  ping\tid=  ",
    "transferFile name=bücher.txt size=5 sha256=2cf2", "a.b-c d_e=true f=1e5 g=[] h=1x2",
  ])
  func offsets(_ line: String) throws {
    let typed = Array(line.utf8)
    var json: [UInt8] = []
    try typed.withUnsafeBytes { try Words.json($0, into: &json) }
    var at = 0
    let offsets = json.indices.map { byte in
      typed.withUnsafeBytes { Words.offset(of: byte, in: $0) }
    }
    for (byte, offset) in offsets.enumerated() {
      #expect(offset >= at, "\(byte)")
      at = offset
    }
    // Every typed value is found, byte by byte, at the end of what was made of it.
    for word in line.split(whereSeparator: { " \t".contains($0) }) {
      let value = Array(word.split(separator: "=", maxSplits: 1).last!.utf8)
      guard value.count > 1, let start = json.firstRange(of: value)?.lowerBound,
        let place = typed.firstRange(of: value)?.lowerBound
      else { continue }
      for index in value.indices { #expect(offsets[start + index] == place + index, "\(word)") }
    }
  }

  private func json(_ typed: [UInt8]) throws -> String {
    var json: [UInt8] = Array("before".utf8)
    do {
      try typed.withUnsafeBytes { line throws in try Words.json(line, into: &json) }
    } catch {
      #expect(json == Array("before".utf8))
      throw error
    }
    return String(decoding: json.dropFirst(6), as: UTF8.self)
  }

  private func json(_ typed: String) throws -> String { try json(Array(typed.utf8)) }

  @Test(arguments: [
    ("help", #"{"type":"help"}"#),
    ("  ping\t", #"{"type":"ping"}"#),
    ("help transferUserInfo", #"{"type":"help","topic":"transferUserInfo"}"#),
    ("help help id=1", #"{"type":"help","topic":"help","id":1}"#),
    ("help pair pair=x", #"{"type":"help","topic":"pair","pair":"x"}"#),
    ("help topic=a", #"{"type":"help","topic":"a"}"#),
    ("help 12", #"{"type":"help","topic":"12"}"#),
    ("activate pair=demo role=watch", #"{"type":"activate","pair":"demo","role":"watch"}"#),
    (
      #"transferUserInfo payload={"steps": 412} id=1"#,
      #"{"type":"transferUserInfo","payload":{"steps": 412},"id":1}"#
    ),
    (#"a b="c d" e=[1, 2] f=-1.5"#, #"{"type":"a","b":"c d","e":[1, 2],"f":-1.5}"#),
    (
      "a b=true c=false d=trueish e=falsely f=null",
      #"{"type":"a","b":true,"c":false,"d":"trueish","e":"falsely","f":"null"}"#
    ),
    ("a b= c=d", #"{"type":"a","b":"","c":"d"}"#),
    ("a b=", #"{"type":"a","b":""}"#),
    (#"a b=c"d\e"#, #"{"type":"a","b":"c\"d\\e"}"#),
    ("a b=é=🙂", #"{"type":"a","b":"é=🙂"}"#),
    ("sync.open x-y_z.1=k", #"{"type":"sync.open","x-y_z.1":"k"}"#),
    (
      "a b=6F0E c=2026-01-01 d=- e=01 f=1E3 g=-1x",
      #"{"type":"a","b":"6F0E","c":"2026-01-01","d":"-","e":"01","f":1E3,"g":"-1x"}"#
    ),
    ("a b=+1 c=.5", #"{"type":"a","b":"+1","c":".5"}"#),
    ("a b=x\u{1}y", #"{"type":"a","b":"x\u0001y"}"#),
  ]) func spellsJSON(typed: String, expected: String) throws {
    let spelled = try json(typed)
    #expect(spelled == expected)
    #expect(scanError(spelled) == nil)
  }

  @Test(arguments: [
    ("", 0), ("  ", 2), ("=", 0), ("1a", 0), ("-a", 0), ("é", 0), ("a=b", 1), ("a b", 3),
    ("a b c", 3),
    ("help a b", 8), ("a =b", 2), ("a b c=d", 3), ("a b={", 5),
    (#"a b="c"#, 6), (#"a b="c"d"#, 7), ("a b={}c=1", 6), ("a b=1 b=2", 6), ("a type=b", 2),
    ("help x topic=y", 7), ("a b={\"c\":nul}", 12),
    ("a é=1", 2), ("a b=[1,]", 7), ("a,b", 1), ("a b=\"\\ud800\"", 5),
  ]) func namesTheByte(typed: String, offset: Int) {
    do {
      let spelled = try json(typed)
      Issue.record("\(typed) became \(spelled)")
    } catch {
      let error = error as? WireError
      #expect(error?.code == .malformedJSON)
      let message = error?.message ?? ""
      #expect(message.contains("at byte \(offset),"), "\(message) for \(typed)")
      #expect(isErrorText(message), "\(message)")
    }
  }

  @Test func refusesBrokenUTF8() {
    #expect(throws: WireError.self) { try json(Array("a b=c".utf8) + [0xC3]) }
    #expect(throws: WireError.self) { try json(Array("a b=c".utf8) + [0xC3, 0x20]) }
    #expect(throws: WireError.self) { try json(Array("a b=".utf8) + [0xFF]) }
  }

  @Test func countsMembersAndLevels() throws {
    func line(_ pairs: Int) -> String { "a" + (0..<pairs).map { " m\($0)=1" }.joined() }
    for pairs in [62, 63] { #expect(try scanError(json(line(pairs))) == nil) }
    #expect(throws: WireError.self) { try json(line(64)) }
    func deep(_ depth: Int) -> String {
      "a b=" + String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    #expect(try scanError(json(deep(63))) == nil)
    #expect(throws: WireError.self) { try json(deep(64)) }
  }

  /// Whatever is accepted spells a line that scans.
  @Test func acceptedLinesScan() {
    var random = SplitMix64(seed: 3)
    let pieces = [
      "help", "a", " ", "  ", "\t", "b=", "c=", "=", "1", "-2.5", "\"x\"", "{\"k\":1}", "[1]",
      "true",
      "é", "\"", "\\", "topic=", "type=", "{", "x",
    ]
    var accepted = 0
    for _ in 0..<20_000 {
      let typed = (0...random.below(10)).map { _ in pieces[random.below(pieces.count)] }.joined()
      guard let spelled = try? json(typed) else { continue }
      accepted += 1
      #expect(scanError(spelled) == nil, "\(typed) became \(spelled)")
    }
    #expect(accepted > 500)
  }
}

@Suite struct NearestTests {
  @Test(
    arguments: [
      ("transferUserinfo", "transferUserInfo"), ("actviate", "activate"), ("activte", "activate"),
      ("pingg", "ping"), ("PING", "ping"), ("pign", "ping"), ("xyz", nil), ("", nil), ("p", nil),
      ("sendMesage", "sendMessage"), ("transfer", nil), ("pxyg", "ping"), ("xxyg", nil),
      ("axyzvate", "activate"), ("axyzwate", nil),
    ] as [(String, String?)])
  func findsWhatWasMeant(typed: String, expected: String?) {
    let words = ["activate", "ping", "sendMessage", "transferUserInfo", "transferFile"]
    #expect(Nearest.word(to: typed, among: words) == expected)
  }

  @Test func advice() {
    #expect(Nearest.advice(for: "pingg", among: ["ping"], else: "see help") == "did you mean ping?")
    #expect(Nearest.advice(for: "xyz", among: ["ping"], else: "see help") == "see help")
  }

  /// The same as the whole table of distances says.
  @Test func agreesWithTheWholeTable() {
    func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
      var table = (0...left.count).map { row in (0...right.count).map { row == 0 ? $0 : row } }
      for row in 0..<left.count {
        for column in 0..<right.count {
          var fewest = min(
            table[row][column] + (left[row] == right[column] ? 0 : 1), table[row][column + 1] + 1,
            table[row + 1][column] + 1)
          if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
            fewest = min(fewest, table[row - 1][column - 1] + 1)
          }
          table[row + 1][column + 1] = fewest
        }
      }
      return table[left.count][right.count]
    }
    var random = SplitMix64(seed: 26)
    func word() -> String {
      String(
        (0..<Int.random(in: 0...9, using: &random)).map { _ in "abcd".randomElement(using: &random)!
        })
    }
    for _ in 0..<3_000 {
      let (typed, words) = (word(), (0..<6).map { _ in word() })
      let limit = min(3, typed.count / 2)
      let distances = words.map { distance(Array(typed.utf8), Array($0.utf8)) }
      let best = zip(words, distances).filter { $0.1 <= limit }.min { $0.1 < $1.1 }?.0
      #expect(Nearest.word(to: typed, among: words) == best, "\(typed) among \(words)")
    }
  }

  @Test func takesTheFirstOfEquals() {
    #expect(Nearest.word(to: "bat", among: ["cat", "hat"]) == "cat")
    #expect(Nearest.word(to: "bat", among: ["cats", "hat"]) == "hat")
  }
}
