internal import CUV

/// Receives what is typed or piped into the process, on the loop's thread.
package protocol InputHandler: AnyObject {
  /// Bytes have arrived. They are gone when this returns.
  func input(_ input: StandardInput, didRead bytes: UnsafeRawBufferPointer)

  /// Nothing more will come. Called at most once, and not after `close()`.
  ///
  /// - Parameter error: Why, where it is not the end of the input.
  func inputDidEnd(_ input: StandardInput, error: UVError?)
}

/// The standard input, whatever it is: a terminal, a pipe, a socket, a file, or nothing at all.
///
/// It is what other processes may share, so it is left as it was found: the mode of a terminal and
/// `O_NONBLOCK` of a pipe are put back by `close()`. Belongs to the loop's thread; lives until
/// `close()`. The handler must outlive it.
package final class StandardInput {
  private enum Source {
    case stream(InputStream)
    case file(InputFile)
  }

  private unowned(unsafe) let handler: any InputHandler
  private var source: Source?
  private var hasEnded = false

  /// Whether a descriptor is a terminal.
  ///
  /// The corresponding C function is `uv_guess_handle`.
  package static func isTerminal(_ descriptor: Int32) -> Bool {
    uv_guess_handle(descriptor) == UV_TTY
  }

  /// Prepares to read; nothing is read before `start()`.
  ///
  /// - Throws: the codes of `uv_tty_init`, `uv_pipe_open`; a descriptor that is not open is not an
  ///   error but an input that ends at once.
  package init(
    loop: EventLoop, descriptor: Int32 = 0, handler: any InputHandler
  ) throws(UVError) {
    self.handler = handler
    switch uv_guess_handle(descriptor) {
    case UV_TTY, UV_NAMED_PIPE, UV_TCP:
      let stream = try InputStream(loop: loop, descriptor: descriptor)
      source = .stream(stream)
      stream.onRead = { [unowned self] in self.received($0) }
      stream.onEnd = { [unowned self] in self.ended($0) }
    default:
      let file = InputFile(loop: loop, descriptor: descriptor)
      source = .file(file)
      file.onRead = { [unowned self] in self.received($0) }
      file.onEnd = { [unowned self] in self.ended($0) }
    }
  }

  /// Reads, or goes on reading. Without effect after the end.
  package func start() {
    guard !hasEnded else { return }
    switch source {
    case .stream(let stream): stream.start()
    case .file(let file): file.start()
    case nil: break
    }
  }

  /// Reads no more until `start()`. Bytes of a file that are being read already still come.
  package func stop() {
    switch source {
    case .stream(let stream): stream.stop()
    case .file(let file): file.stop()
    case nil: break
    }
  }

  /// Ends it and puts back what it has changed. Again has no effect.
  package func close() {
    switch source {
    case .stream(let stream): stream.close()
    case .file(let file): file.close()
    case nil: break
    }
    source = nil
  }

  // MARK: Terminals

  /// Has a terminal pass on each key as it is pressed, also those that send signals, and show none;
  /// or has it edit and show lines as usual. Without effect on what is no terminal.
  ///
  /// The corresponding C function is `uv_tty_set_mode`.
  package func setRaw(_ isRaw: Bool) throws(UVError) {
    if case .stream(let stream) = source { try stream.setRaw(isRaw) }
  }

  /// Puts back the mode of a terminal without the help of the loop, where the process ends at once.
  ///
  /// The corresponding C function is `uv_tty_reset_mode`.
  package static func resetTerminal() {
    // Fails when the terminal is gone, and its mode with it.
    _ = uv_tty_reset_mode()
  }

  /// Columns and rows of the terminal; nil where there is none or it does not say.
  ///
  /// The corresponding C function is `uv_tty_get_winsize`.
  package var windowSize: (columns: Int, rows: Int)? {
    if case .stream(let stream) = source { stream.windowSize } else { nil }
  }

  private func received(_ bytes: UnsafeRawBufferPointer) {
    handler.input(self, didRead: bytes)
  }

  private func ended(_ error: UVError?) {
    guard !hasEnded else { return }
    hasEnded = true
    handler.inputDidEnd(self, error: error)
  }
}
