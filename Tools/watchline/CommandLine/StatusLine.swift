internal import Glibc

/// On a terminal, a line on the standard error that the next one takes the place of; an empty one takes it away.
func showStatus(_ text: String) {
  guard isatty(2) == 1 else { return }
  let line = Array("\r\u{1B}[K\(text)".utf8)
  _ = write(2, line, line.count)
}
