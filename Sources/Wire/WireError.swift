/// Why a line was refused. It becomes an `error` line; nothing else has changed.
package struct WireError: Error, Equatable {
  package var code: ErrorCode
  /// One sentence that a person can act on, with the byte offset or the field. As it follows the
  /// error's name and a colon, it starts in lower case and has no period.
  package var message: String
  /// False where the request may have taken effect all the same.
  package var definite: Bool

  package init(_ code: ErrorCode, _ message: String, definite: Bool = true) {
    self.code = code
    self.message = message
    self.definite = definite
  }
}
