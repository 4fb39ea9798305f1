import Simulation
import Testing

/// People at the apps' forms. The mutants A01, A02 and A03 show that what is wrong there is found.
@Suite struct AppSessionTests {
  @Test func formsLoseNothing() {
    for seed in 1...500 as ClosedRange<UInt64> {
      let finding = AppSession.run(seed: seed)
      #expect(finding == nil, "seed \(seed): \(finding?.headline ?? ""), \(finding?.story ?? [])")
    }
  }
}
