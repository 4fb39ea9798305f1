import EventLoop
import Glibc
import Testing

extension EventLoopSuite {
  @Suite struct Signals {
    @Test func areHeardOnTheLoop() throws {
      try withLoop { loop in
        var heard: [Int32] = []
        let first = Signal(loop: loop, number: SIGUSR1) { heard.append(SIGUSR1) }
        let second = Signal(loop: loop, number: SIGUSR2) { heard.append(SIGUSR2) }
        let again = Signal(loop: loop, number: SIGUSR1) { heard.append(-SIGUSR1) }
        after(0, on: loop) {
          #expect(kill(getpid(), SIGUSR1) == 0)
          #expect(heard.isEmpty)
        }
        after(20, on: loop) {
          #expect(heard.sorted() == [-SIGUSR1, SIGUSR1])
          first.close()
          again.close()
          #expect(kill(getpid(), SIGUSR2) == 0)
        }
        after(40, on: loop) { second.close() }
        try loop.run()
        #expect(heard.last == SIGUSR2)
        #expect(heard.count == 3)
      }
    }

    @Test func mayBeClosedByTheirAction() throws {
      try withLoop { loop in
        var signal: Signal?
        signal = Signal(loop: loop, number: SIGUSR1) {
          signal?.close()
          signal = nil
        }
        after(0, on: loop) { #expect(kill(getpid(), SIGUSR1) == 0) }
        try loop.run()
        #expect(signal == nil)
      }
    }
  }
}
