import Testing

extension ProcessTests {
  /// The checker itself: it accepts a good history and finds each planted fault.
  @Suite struct LedgerTests {
    /// Five transfers, of which the third goes to a lane of its own, and two contexts.
    private func history(
      outstanding: Int = 0, _ change: (inout [(inout Ledger) -> Void]) -> Void = { _ in }
    ) -> [String] {
      var steps: [(inout Ledger) -> Void] = [
        { for n in 1...5 { $0.send(n, n == 3 ? .complication : .userInfo) } },
        { for n in 1...4 { $0.accept(n) } },
        { $0.deliver(1, lane: "userInfo", seq: 1, isRedelivered: false) },
        { $0.deliver(2, lane: "userInfo", seq: 2, isRedelivered: false) },
        { $0.deliver(3, lane: "complication", seq: 1, isRedelivered: true) },
        { $0.deliver(2, lane: "userInfo", seq: 2, isRedelivered: true) },
        { $0.deliver(4, lane: "userInfo", seq: 5, isRedelivered: false) },
        { for lane in ["userInfo", "complication"] { $0.acknowledge(lane, $0.received[lane]!) } },
        { for n in 1...4 { $0.finish(n) } },
        {
          $0.sendContext(1); $0.sendContext(2); $0.acceptContext(1)
        },
        { $0.deliverContext(2, seq: 7, isRedelivered: false) },
        { $0.resume(4) },
      ]
      change(&steps)
      var ledger = Ledger()
      for step in steps { step(&ledger) }
      ledger.settle(n: 4, context: 2, outstanding: outstanding)
      return ledger.violations
    }

    @Test func acceptsWhatIsRight() { #expect(history() == []) }

    @Test func findsLoss() {
      #expect(
        history {
          $0.remove(at: 3); $0.remove(at: 4)
        }.contains { $0.contains("never delivered") })
    }

    @Test func findsDuplicate() {
      let found = history {
        $0.insert({ $0.deliver(2, lane: "userInfo", seq: 9, isRedelivered: true) }, at: 7)
      }
      #expect(found.contains { $0.contains("2 was delivered in lane userInfo and again") })
      let unmarked = history {
        $0[5] = { $0.deliver(2, lane: "userInfo", seq: 2, isRedelivered: false) }
      }
      #expect(unmarked.contains { $0.contains("does not say so") })
      let late = history {
        $0.append { $0.connect() }
        $0.append { $0.deliver(2, lane: "userInfo", seq: 2, isRedelivered: true) }
      }
      #expect(late.contains { $0.contains("came again though") })
    }

    @Test func findsReorder() {
      #expect(history { $0.swapAt(3, 6) }.contains { $0.contains("first time, after 5") })
      let renumbered = history {
        $0[2] = { $0.deliver(2, lane: "userInfo", seq: 1, isRedelivered: false) }
        $0[3] = { $0.deliver(1, lane: "userInfo", seq: 2, isRedelivered: false) }
        $0.remove(at: 5)
      }
      #expect(renumbered.contains { $0.contains("1 came after 2") })
    }

    @Test func findsWrongNumbers() {
      #expect(history { $0[11] = { $0.resume(3) } }.contains { $0.contains("4 was accepted, but") })
      #expect(history { $0[11] = { $0.resume(6) } }.contains { $0.contains("never sent") })
      let reused = history {
        $0[5] = { $0.deliver(4, lane: "userInfo", seq: 2, isRedelivered: true) }
      }
      #expect(reused.contains { $0.contains("userInfo 2 was 2 and is 4 now") })
      let ghost = history {
        $0.insert({ $0.deliver(6, lane: "userInfo", seq: 6, isRedelivered: false) }, at: 7)
      }
      #expect(ghost.contains { $0.contains("6 was delivered and never sent") })
      let uncommitted = history {
        $0.insert({ $0.deliver(5, lane: "userInfo", seq: 6, isRedelivered: false) }, at: 7)
      }
      #expect(uncommitted.contains { $0.contains("numbers up to 4 only") })
    }

    @Test func findsEarlyFinish() {
      #expect(
        history { $0.swapAt(7, 8) }.contains { $0.contains("finished without an acknowledge") })
      #expect(history(outstanding: 1).contains { $0.contains("1 transfers never finished") })
      let undelivered = history { $0.insert({ $0.finish(5) }, at: 2) }
      #expect(undelivered.contains { $0.contains("finished without a delivery") })
      #expect(
        history { $0.append { $0.finish(1, error: "7014") } }.contains { $0.contains("7014") })
    }

    @Test func findsWrongContext() {
      #expect(history { $0.remove(at: 10) }.contains { $0.contains("delivered last") })
      let old = history { $0.append { $0.deliverContext(1, seq: 8, isRedelivered: false) } }
      #expect(old.contains { $0.contains("context 1 was delivered after 2") })
      let lost = history {
        $0.append {
          $0.sendContext(3); $0.acceptContext(3)
        }
      }
      #expect(lost.contains { $0.contains("context 3 was accepted, but") })
    }
  }
}
