internal import CUV
internal import Glibc

/// A terminal, pipe or socket that the process was started with and reads.
///
/// libuv opens a terminal anew, so that its `O_NONBLOCK` is this process's own; that of a pipe is
/// shared with whoever else has it, and put back by `close()`. libuv leaves the
/// descriptors 0 to 2 open.
final class InputStream: Handle {
  var onRead: (UnsafeRawBufferPointer) -> Void = { _ in }
  var onEnd: (UVError?) -> Void = { _ in }

  private let descriptor: Int32
  private let isTerminal: Bool
  /// The flags that it had.
  private let flags: Int32
  private var isReading = false
  private var isRaw = false

  init(loop: EventLoop, descriptor: Int32) throws(UVError) {
    self.descriptor = descriptor
    let isTerminal = uv_guess_handle(descriptor) == UV_TTY
    self.isTerminal = isTerminal
    flags = fcntl(descriptor, F_GETFL)
    if isTerminal {
      try super.init(loop: loop, type: UV_TTY, "uv_tty_init") { loop, cell in
        uv_tty_init(loop, cell.assumingMemoryBound(to: uv_tty_t.self), descriptor, 1)
      }
      return
    }
    try super.init(loop: loop, type: UV_NAMED_PIPE, "uv_pipe_init") { loop, cell in
      uv_pipe_init(loop, cell.assumingMemoryBound(to: uv_pipe_t.self), 0)
    }
    do throws(UVError) {
      let pipe = cell.assumingMemoryBound(to: uv_pipe_t.self)
      try check(uv_pipe_open(pipe, descriptor), "uv_pipe_open")
    } catch {
      close()
      throw error
    }
  }

  func start() {
    guard isOpen, !isReading else { return }
    isReading = true
    require(uv_read_start(stream, inputBufferWanted, inputRead), "uv_read_start")
  }

  func stop() {
    guard isOpen, isReading else { return }
    isReading = false
    require(uv_read_stop(stream), "uv_read_stop")
  }

  func setRaw(_ isRaw: Bool) throws(UVError) {
    guard isOpen, isTerminal, isRaw != self.isRaw else { return }
    let mode = isRaw ? UV_TTY_MODE_RAW : UV_TTY_MODE_NORMAL
    try check(uv_tty_set_mode(terminal, mode), "uv_tty_set_mode")
    self.isRaw = isRaw
  }

  var windowSize: (columns: Int, rows: Int)? {
    guard isOpen, isTerminal else { return nil }
    var columns: Int32 = 0
    var rows: Int32 = 0
    let code = uv_tty_get_winsize(terminal, &columns, &rows)
    return code == 0 && columns > 0 && rows > 0 ? (Int(columns), Int(rows)) : nil
  }

  override func close() {
    // A terminal that is gone has no mode left to put back.
    try? setRaw(false)
    // Before the handle is closed, for libuv closes descriptors above 2 with it.
    if isOpen, !isTerminal, flags >= 0 { _ = fcntl(descriptor, F_SETFL, flags) }
    isReading = false
    super.close()
  }

  override func didClose() {
    onRead = { _ in }
    onEnd = { _ in }
  }

  fileprivate func ended(_ code: Int32) {
    stop()
    // The other end of a terminal that has gone answers EIO.
    let isEnd = code == UV_EOF.rawValue
    onEnd(isEnd ? nil : UVError(code: code, function: "uv_read_start"))
  }

  private var stream: UnsafeMutablePointer<uv_stream_t> {
    cell.assumingMemoryBound(to: uv_stream_t.self)
  }

  private var terminal: UnsafeMutablePointer<uv_tty_t> {
    cell.assumingMemoryBound(to: uv_tty_t.self)
  }
}

private func inputBufferWanted(
  _ handle: UnsafeMutablePointer<uv_handle_t>?, _ suggestedSize: Int,
  _ buffer: UnsafeMutablePointer<uv_buf_t>?
) {
  EventLoop.owner(of: handle!.pointee.loop)._withUnsafeGuaranteedRef { loop in
    buffer!.pointee.base = loop.readBuffer.baseAddress!.assumingMemoryBound(to: CChar.self)
    buffer!.pointee.len = loop.readBuffer.count
  }
}

private func inputRead(
  _ stream: UnsafeMutablePointer<uv_stream_t>?, _ count: Int, _ buffer: UnsafePointer<uv_buf_t>?
) {
  if count == 0 || count == Int(UV_ENOBUFS.rawValue) { return }
  let owner = Unmanaged<InputStream>.fromOpaque(stream!.pointee.data)
  owner._withUnsafeGuaranteedRef { input in
    if count > 0 {
      input.onRead(UnsafeRawBufferPointer(start: buffer!.pointee.base, count: count))
    } else {
      input.ended(Int32(count))
    }
  }
}
