import Wire

/// A value of a line of JSON without blanks, or the name of a member: what a program that reads the line has to check.
package struct SpoiltPlace {
  /// The names that lead there; all items of a list have one, and so have members that are named by long identifiers.
  private let path: String
  private let line: [UInt8]
  private let range: Range<Int>
  private let isName: Bool

  /// What does not belong into most places.
  private static let values = [
    "null", "-1", "0", "9223372036854775807", "1e300", #""""#, #""::""#, "[]", "{}", #"{"a":0}"#,
  ]

  /// The line with each of those in the place, or without the member.
  private var lines: [[UInt8]] {
    (isName ? [#""gone""#] : Self.values).map { value in
      var line = line
      line.replaceSubrange(range, with: value.utf8)
      return line
    }
  }

  /// Lines with each of those in each place: the same place of two lines of one type counts once.
  ///
  /// - Precondition: the lines are valid.
  /// - Returns: each with the index of the line that it stands for.
  package static func lines(of lines: [[UInt8]]) throws -> [(index: Int, line: [UInt8])] {
    var isSeen: Set<String> = []
    return try lines.enumerated().flatMap { index, line in
      let type = try Members(line).string("type") ?? ""
      return all(in: line).filter { isSeen.insert("\(type)\($0.path)").inserted }
        .flatMap(\.lines).map { (index, $0) }
    }
  }

  private static func all(in line: [UInt8]) -> [SpoiltPlace] {
    var places: [SpoiltPlace] = []
    var at = 0
    func string() -> Range<Int> {
      let start = at
      at += 1
      while line[at] != 0x22 { at += line[at] == 0x5C ? 2 : 1 }
      at += 1
      return start..<at
    }
    func value(_ path: String) {
      let start = at
      switch line[at] {
      case 0x22: _ = string()
      case 0x7B, 0x5B:
        let isObject = line[at] == 0x7B
        at += 1
        while line[at] != 0x7D, line[at] != 0x5D {
          var path = path + "/"
          if isObject {
            let range = string()
            // Identifiers are no names.
            if range.count < 32 { path += String(decoding: line[range], as: UTF8.self) }
            places.append(SpoiltPlace(path: path + " name", line: line, range: range, isName: true))
            at += 1
          }
          value(path)
          if line[at] == 0x2C { at += 1 }
        }
        at += 1
      default: while at < line.count, ![0x2C, 0x7D, 0x5D].contains(line[at]) { at += 1 }
      }
      places.append(SpoiltPlace(path: path, line: line, range: start..<at, isName: false))
    }
    value("")
    return places
  }
}
