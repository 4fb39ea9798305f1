internal import Glibc

/// Commands of the shell, whose output is read line by line.
enum Shell {
  /// How a command ended.
  enum Ending: Equatable {
    case status(Int32)
    case signal(Int32)
  }

  /// A word that the shell takes as it is.
  static func quoted(_ word: String) -> String {
    "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
      + "'"
  }

  /// Runs a command in the place of the shell.
  ///
  /// - Parameter body: is given each line of its output, without the LF.
  @discardableResult
  static func run(_ command: String, _ body: (String) -> Void = { _ in }) -> Ending {
    guard let stream = popen("exec \(command)", "r") else { return .status(127) }
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    while getline(&line, &capacity, stream) > 0 {
      var text = String(cString: line!)
      if text.hasSuffix("\n") { text.removeLast() }
      body(text)
    }
    free(line)
    let status = pclose(stream)
    let signal = status & 0x7F
    return signal == 0 ? .status(status >> 8 & 0xFF) : .signal(signal)
  }
}
