/// Words of a shell's command line.
package enum ShellWord {
  /// A word as a POSIX shell has to be given it. What follows `command:` is always in quotation
  /// marks, so that it is seen where it ends.
  package static func quoted(_ word: String) -> String {
    let prefix = "command:"
    if word.hasPrefix(prefix) { return prefix + marked(String(word.dropFirst(prefix.count))) }
    let isPlain = word.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
      case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "/"),
        UInt8(ascii: ":"), UInt8(ascii: ","), UInt8(ascii: "="), UInt8(ascii: "+"),
        UInt8(ascii: "@"), UInt8(ascii: "%"):
        true
      default: false
      }
    }
    return isPlain && !word.isEmpty ? word : marked(word)
  }

  private static func marked(_ text: String) -> String {
    let parts = text.utf8.split(
      separator: UInt8(ascii: "'"), omittingEmptySubsequences: false)
    return "'" + parts.map { String(Substring($0)) }.joined(separator: #"'\''"#) + "'"
  }
}
