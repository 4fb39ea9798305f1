import EventLoop
import Glibc
import Testing

extension EventLoopSuite {
  @Suite struct Signals {
    @Test func areHeardOnTheLoop() throws {
      try withLoop { loop in
        var heard: [Int32] = []
        var signals: [Signal] = []
        func hear(_ number: Int32) {
          heard.append(number)
          if heard.count == 2 {
            signals[0].close()
            signals[2].close()
            #expect(kill(getpid(), SIGUSR2) == 0)
          } else if heard.count == 3 {
            signals[1].close()
          }
        }
        signals = [
          Signal(loop: loop, number: SIGUSR1) { hear(SIGUSR1) },
          Signal(loop: loop, number: SIGUSR2) { hear(SIGUSR2) },
          Signal(loop: loop, number: SIGUSR1) { hear(-SIGUSR1) },
        ]
        after(0, on: loop) {
          #expect(kill(getpid(), SIGUSR1) == 0)
          #expect(heard.isEmpty)
        }
        try loop.run()
        #expect(heard.prefix(2).sorted() == [-SIGUSR1, SIGUSR1])
        #expect(heard.dropFirst(2) == [SIGUSR2])
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
