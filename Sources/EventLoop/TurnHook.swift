internal import CUV

/// Tells the loop when its polling begins or has ended. It does not keep the loop running.
final class TurnHook: Handle {
  enum Moment {
    case beforePolling, afterPolling
  }

  init(loop: EventLoop, _ moment: Moment) throws(UVError) {
    switch moment {
    case .beforePolling:
      try super.init(loop: loop, type: UV_PREPARE, "uv_prepare_init") { loop, cell in
        uv_prepare_init(loop, cell.assumingMemoryBound(to: uv_prepare_t.self))
      }
      let prepare = cell.assumingMemoryBound(to: uv_prepare_t.self)
      require(uv_prepare_start(prepare, pollingBegins), "uv_prepare_start")
    case .afterPolling:
      try super.init(loop: loop, type: UV_CHECK, "uv_check_init") { loop, cell in
        uv_check_init(loop, cell.assumingMemoryBound(to: uv_check_t.self))
      }
      let check = cell.assumingMemoryBound(to: uv_check_t.self)
      require(uv_check_start(check, pollingEnded), "uv_check_start")
    }
    keepsLoopAlive = false
  }
}

private func pollingBegins(_ handle: UnsafeMutablePointer<uv_prepare_t>?) {
  EventLoop.owner(of: handle!.pointee.loop)._withUnsafeGuaranteedRef { $0.pollingBegins() }
}

private func pollingEnded(_ handle: UnsafeMutablePointer<uv_check_t>?) {
  EventLoop.owner(of: handle!.pointee.loop)._withUnsafeGuaranteedRef { $0.pollingEnded() }
}

/// Keeps polling from waiting while it is active. It does not keep the loop running.
final class Idler: Handle {
  var isActive = false {
    didSet {
      guard isOpen else { return }
      let idle = cell.assumingMemoryBound(to: uv_idle_t.self)
      require(isActive ? uv_idle_start(idle, { _ in }) : uv_idle_stop(idle), "uv_idle_start")
    }
  }

  init(loop: EventLoop) throws(UVError) {
    try super.init(loop: loop, type: UV_IDLE, "uv_idle_init") { loop, cell in
      uv_idle_init(loop, cell.assumingMemoryBound(to: uv_idle_t.self))
    }
    keepsLoopAlive = false
  }
}
