import EventLoop
import Foundation
import Synchronization
import Testing

extension EventLoopSuite {
  @Suite struct Wakeups {
    @Test func manyRequestsBeforeATurnAreOne() throws {
      try withLoop { loop in
        var calls = 0
        var wakeup: Wakeup?
        wakeup = Wakeup(loop: loop) { calls += 1 }
        for _ in 0..<1_000 { wakeup?.wake() }
        after(20, on: loop) {
          wakeup?.close()
          wakeup?.wake()
        }
        try loop.run()
        #expect(calls == 1)
        wakeup?.wake()
        wakeup = nil
      }
    }

    @Test func noneFromOtherThreadsIsLost() throws {
      let threads = 3
      let each = 5_000
      let posted = Mutex(0)
      let late = Mutex<[Wakeup]>([])
      try withLoop { loop in
        var calls = 0
        var seen = 0
        var wakeup: Wakeup?
        wakeup = Wakeup(loop: loop) {
          calls += 1
          seen = posted.withLock { $0 }
          if seen == threads * each {
            wakeup?.close()
            wakeup = nil
          }
        }
        // Only the last request's action can see them all: lose it, and the loop waits for ever.
        let shared = try #require(wakeup)
        for _ in 0..<threads {
          Thread {
            for _ in 0..<each {
              posted.withLock { $0 += 1 }
              shared.wake()
            }
            // Others may have ended the handle by now.
            for _ in 0..<each { shared.wake() }
            late.withLock { $0.append(shared) }
          }.start()
        }
        try loop.run()
        #expect(seen == threads * each)
        #expect(calls <= threads * each)
        while late.withLock({ $0.count }) < threads { Thread.sleep(forTimeInterval: 0.001) }
      }
    }
  }
}
