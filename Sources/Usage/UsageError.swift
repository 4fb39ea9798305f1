internal import Wire

/// The command line asks for something that there is not. The program says so in one line and ends
/// with status 2.
package struct UsageError: Error, Equatable {
  package let message: String

  package init(_ message: String) {
    self.message = message
  }

  /// - Parameters:
  ///   - kind: what it would have been, such as `option`.
  ///   - word: what was given.
  ///   - among: what there is; the nearest of them is suggested.
  ///   - help: the command that lists what there is.
  package static func unknown(
    _ kind: String, _ word: String, among: [String], help: String
  ) -> UsageError {
    let bare = String(word.drop { $0 == "-" })
    let candidates = among.map { String($0.drop { $0 == "-" }) }
    // What was cut short is nearer than what is misspelt: --ack means --acknowledge.
    let begun = candidates.filter { !bare.isEmpty && $0.hasPrefix(bare) }
    let nearest = begun.count == 1 ? begun[0] : Nearest.word(to: bare, among: candidates)
    let dashes = kind == "option" ? "--" : ""
    let advice = nearest.map { "did you mean \(dashes)\($0)?" } ?? "see \(help)"
    return UsageError("unknown \(kind) \(word); \(advice)")
  }
}
