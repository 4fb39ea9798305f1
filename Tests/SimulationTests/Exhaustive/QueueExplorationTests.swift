import Simulation
import Testing

@Suite struct QueueExplorationTests {
  /// Of the shortest session: the phone's transfer and its batch, and the acknowledge and its batch,
  /// come one after the other in some way.
  @Test func everyCourseOfAShortSession() throws {
    let script = QueueScript.oneTransfer
    let (count, findings) = QueueExploration(script).run()
    #expect(findings.isEmpty, "\(findings)")
    // P first or A first; what follows is counted by hand:
    //   A (nothing was delivered, no batch), P, D
    //   P, A (nothing yet), D
    //   P, D, A, D
    #expect(count.complete == 3)
    #expect(count.prefixes == 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1)
    #expect(count.runs == count.prefixes * 10 + count.complete)
  }

  /// The others take too long without optimisation.
  @Test func aSenderComesBack() throws {
    let script = try #require(QueueScript.all.first { $0.name == "the phone comes back" })
    let (count, findings) = QueueExploration(script).run()
    #expect(count.complete == 20)
    #expect(findings.isEmpty, "\(findings)")
  }
}
