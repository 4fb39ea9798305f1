import EventLoop
import Testing

extension EventLoopSuite {
  @Suite struct Timers {
    @Test func fireInOrderAndNeverEarly() throws {
      try withLoop { loop in
        let delays: [Int64] = [30_000, 10_000, 20_000, 0, 1, 999, 1_000, 1_500, 5_001]
        var fired: [Int64] = []
        var timers: [Timer] = []
        for delay in delays {
          let started = loop.now
          let timer = Timer(loop: loop) {
            #expect(loop.now - started >= delay)
            fired.append(delay)
          }
          timer.start(after: delay)
          #expect(timer.isRunning)
          timers.append(timer)
        }
        try loop.run()
        #expect(fired.count == delays.count)
        // Those of one millisecond fire in the order in which they were started.
        #expect(fired.map { $0 / 2_000 } == fired.map { $0 / 2_000 }.sorted())
        for timer in timers {
          #expect(!timer.isRunning)
          timer.close()
        }
      }
    }

    @Test func whatIsWaitedIsCounted() throws {
      try withLoop { loop in
        var busyUntil: Int64 = 0
        let timer = Timer(loop: loop) {
          busyUntil = loop.now + 20_000
          while loop.now < busyUntil {}
        }
        let started = loop.now
        timer.start(after: 30_000)
        try loop.run()
        #expect(loop.idleTime >= 25_000_000)
        #expect(Int64(loop.idleTime / 1_000) <= loop.now - started - 20_000)
        timer.close()
      }
    }

    @Test func restartMovesAndStopEnds() throws {
      try withLoop { loop in
        var fired: [String] = []
        let moved = Timer(loop: loop) { fired.append("moved") }
        let sooner = Timer(loop: loop) { fired.append("sooner") }
        let stopped = Timer(loop: loop) { fired.append("stopped") }
        moved.start(after: 1_000)
        sooner.start(after: 3_600_000_000)
        stopped.start(after: 1_000)
        moved.start(after: 40_000)
        sooner.start(after: 5_000)
        stopped.stop()
        #expect(!stopped.isRunning)
        try loop.run()
        #expect(fired == ["sooner", "moved"])
        for timer in [moved, sooner, stopped] { timer.close() }
      }
    }

    @Test func restartsItselfAndIsNotMovedByALongTurn() throws {
      try withLoop { loop in
        var times: [Int64] = []
        var timer: Timer?
        timer = Timer(loop: loop) {
          times.append(loop.now)
          guard times.count < 5 else {
            timer?.close()
            timer = nil
            return
          }
          // A turn that takes 5 ms, after which libuv's own clock is behind.
          let until = loop.now + 5_000
          while loop.now < until {}
          timer?.start(after: 3_000)
        }
        timer?.start(after: 0)
        try loop.run()
        #expect(times.count == 5)
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 >= 8_000 })
      }
    }

    @Test func theFarFuture() throws {
      try withLoop { loop in
        let timer = Timer(loop: loop) { Issue.record("fired") }
        for delay in [Int64.max, Int64.max - 999, Int64.max / 2] { timer.start(after: delay) }
        timer.keepsLoopAlive = false
        #expect(!timer.keepsLoopAlive)
        try loop.run()
        timer.start(after: -1)
        timer.close()
      }
    }
  }
}
