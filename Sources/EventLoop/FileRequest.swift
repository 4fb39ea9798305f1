internal import CUV

/// One `uv_fs_t` request, its memory and what is to be done with its result.
///
/// libuv has a thread of its pool make the system call, so that one that blocks does not block the
/// loop, and the descriptor's flags, which other processes share, stay as they are.
enum FileRequest {
  /// Keeps `bytes` in place, has `begin` start the request, and calls `finish` with its result.
  ///
  /// - Parameters:
  ///   - owner: kept alive until `finish` has returned.
  ///   - begin: calls one of the `uv_fs_` functions with the request and callback it is given.
  ///   - finish: gets the result, a count or a negative libuv code.
  static func run(
    _ owner: AnyObject, begin: (UnsafeMutablePointer<uv_fs_t>, uv_fs_cb) -> Int32,
    finish: @escaping (Int) -> Void
  ) {
    let request = UnsafeMutablePointer<uv_fs_t>.allocate(capacity: 1)
    request.initialize(to: uv_fs_t())
    let completion = Completion(owner, finish)
    request.pointee.data = Unmanaged.passRetained(completion).toOpaque()
    // Errors of the system come by the callback; a code here is for memory that ran out.
    require(begin(request, requestDone), "uv_fs")
  }
}

private final class Completion {
  let owner: AnyObject
  let finish: (Int) -> Void

  init(_ owner: AnyObject, _ finish: @escaping (Int) -> Void) {
    self.owner = owner
    self.finish = finish
  }
}

private func requestDone(_ request: UnsafeMutablePointer<uv_fs_t>?) {
  let completion = Unmanaged<Completion>.fromOpaque(request!.pointee.data).takeRetainedValue()
  let result = request!.pointee.result
  uv_fs_req_cleanup(request)
  request!.deallocate()
  completion.finish(result)
}
