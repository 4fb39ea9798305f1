internal import CUV

/// A file or device that the process was started with and reads from where it is.
///
/// epoll does not take files, so each read is a request of its own.
final class InputFile {
  /// What one read brings at most: 64 KiB, as a pipe holds.
  private static let bufferSize = 64 * 1024

  var onRead: (UnsafeRawBufferPointer) -> Void = { _ in }
  var onEnd: (UVError?) -> Void = { _ in }

  private unowned let loop: EventLoop
  private let descriptor: Int32
  private let buffer: UnsafeMutableRawBufferPointer
  private var isReading = false
  private var isUnderWay = false
  private var isClosed = false

  init(loop: EventLoop, descriptor: Int32) {
    self.loop = loop
    self.descriptor = descriptor
    buffer = .allocate(byteCount: Self.bufferSize, alignment: 16)
  }

  deinit {
    buffer.deallocate()
  }

  func start() {
    isReading = true
    read()
  }

  func stop() {
    isReading = false
  }

  func close() {
    isClosed = true
    isReading = false
    onRead = { _ in }
    onEnd = { _ in }
  }

  private func read() {
    guard isReading, !isUnderWay, !isClosed else { return }
    isUnderWay = true
    var slice = uv_buf_t(
      base: buffer.baseAddress!.assumingMemoryBound(to: CChar.self), len: buffer.count)
    FileRequest.run(self) { request, callback in
      uv_fs_read(loop.pointer, request, descriptor, &slice, 1, -1, callback)
    } finish: { [self] result in
      finish(result)
    }
  }

  private func finish(_ result: Int) {
    isUnderWay = false
    guard !isClosed else { return }
    // A descriptor that was never open (`<&-`) has nothing to read.
    if result == 0 || result == Int(UV_EBADF.rawValue) {
      onEnd(nil)
    } else if result < 0 {
      onEnd(UVError(code: Int32(result), function: "uv_fs_read"))
    } else {
      onRead(UnsafeRawBufferPointer(rebasing: buffer[..<result]))
      read()
    }
  }
}
