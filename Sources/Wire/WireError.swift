/// Why a line was refused. It becomes an `error` line; nothing else has changed.
package struct WireError: Error {
  package var code: ErrorCode
  /// One sentence that a person can act on, with the byte offset or the field. As it follows the
  /// error's name and a colon, it starts in lower case and has no period.
  package var message: String
  /// False where the request may have taken effect all the same.
  package var definite: Bool
  /// The limit or quota that is reached, by its name (PROTOCOL.md clauses 9 and 14.3); nil where it is none.
  package private(set) var limit: String?

  /// The byte of the line that the message names, and where in the message its number stands; nil where it
  /// names none, or one of another text.
  private var place: (byte: Int, inMessage: Range<Int>)?

  package init(_ code: ErrorCode, _ message: String, definite: Bool = true) {
    self.code = code
    self.message = message
    self.definite = definite
  }

  /// An error of a limit that is reached, whose message names it: `what (limit); advice`.
  package init(limit: String, code: ErrorCode = .overloaded, _ what: String, _ advice: String) {
    self.init(code, "\(what) (\(limit)); \(advice)")
    self.limit = limit
  }

  /// An error whose message names a byte of the line: `before`, `byte 12`, `after`.
  package init(_ code: ErrorCode, _ before: String, byte: Int, _ after: String) {
    let start = before.utf8.count + 5
    let number = "\(byte)"
    self.init(code, "\(before)byte \(number)\(after)")
    place = (byte, start..<start + number.utf8.count)
  }

  /// The error of a line that stands for another one.
  ///
  /// - Parameter byte: where in that one is what the line has at an offset.
  package func moved(_ byte: (Int) -> Int) -> WireError {
    guard let place else { return self }
    let text = Array(message.utf8)
    let before = text[..<(place.inMessage.lowerBound - 5)]
    return WireError(
      code, String(decoding: before, as: UTF8.self), byte: byte(place.byte),
      String(decoding: text[place.inMessage.upperBound...], as: UTF8.self))
  }
}

extension WireError: Equatable {
  package static func == (left: WireError, right: WireError) -> Bool {
    left.code == right.code && left.message == right.message && left.definite == right.definite
      && left.limit == right.limit
  }
}
