internal import CUV

/// The standard output, whatever it is. What it is given leaves in that order, and in pieces as
/// large as have gathered meanwhile.
///
/// Each piece is written by a thread of libuv's pool: a reader that does not read holds up neither
/// the loop nor, by an `O_NONBLOCK` that they would share, other processes. Belongs to the loop's
/// thread. It has no handle and needs no `close()`: the loop runs on while a write is under way.
package final class StandardOutput {
  /// How long to wait before another try where the descriptor does not block: 10 ms.
  private static let retryDelay: Int64 = 10_000

  /// Everything has been written.
  package var onDrain: () -> Void = {}
  /// It cannot be written to, such as `EPIPE`; everything is dropped from now on.
  package var onFail: (UVError) -> Void = { _ in }

  private unowned let loop: EventLoop
  private let descriptor: Int32
  private var gathered: [UInt8] = []
  private var writing: [UInt8] = []
  private var offset = 0
  private var isUnderWay = false
  private var hasFailed = false

  package init(loop: EventLoop, descriptor: Int32 = 1) {
    self.loop = loop
    self.descriptor = descriptor
  }

  /// Bytes that have not been written yet.
  package var waitingBytes: Int { gathered.count + writing.count - offset }

  /// Writes all of `bytes`, after what it was given before. Without effect after a failure.
  ///
  /// The corresponding C function is `uv_fs_write`.
  package func write(_ bytes: [UInt8]) {
    guard !hasFailed, !bytes.isEmpty else { return }
    gathered += bytes
    if !isUnderWay { next() }
  }

  private func next() {
    if offset == writing.count {
      swap(&writing, &gathered)
      gathered.removeAll(keepingCapacity: true)
      offset = 0
    }
    guard offset < writing.count else { return onDrain() }
    isUnderWay = true
    // The pointer outlives the closure: no one changes `writing` until the request has finished.
    var slice = writing.withUnsafeBytes { bytes in
      let rest = UnsafeMutableRawBufferPointer(
        mutating: UnsafeRawBufferPointer(rebasing: bytes[offset...]))
      return uv_buf_t(base: rest.baseAddress!.assumingMemoryBound(to: CChar.self), len: rest.count)
    }
    FileRequest.run(self) { request, callback in
      uv_fs_write(loop.pointer, request, descriptor, &slice, 1, -1, callback)
    } finish: { [self] result in
      finish(result)
    }
  }

  private func finish(_ result: Int) {
    if result == Int(UV_EAGAIN.rawValue) { return retry() }
    isUnderWay = false
    if result < 0 {
      hasFailed = true
      gathered = []
      writing = []
      offset = 0
      onFail(UVError(code: Int32(result), function: "uv_fs_write"))
    } else {
      offset += result
      next()
    }
  }

  private func retry() {
    var timer: Timer?
    timer = Timer(loop: loop) { [self] in
      timer?.close()
      timer = nil
      next()
    }
    timer?.start(after: Self.retryDelay)
  }
}
