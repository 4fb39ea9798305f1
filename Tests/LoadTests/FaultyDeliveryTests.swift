import Load
import Testing

/// Whole runs against a server that breaks its promises.
@Suite(.serialized) struct FaultyDeliveryTests {
  private func run(
    _ workload: LoadOptions.Workload, _ faults: FaultyRelay.Faults
  ) throws -> LoadResult {
    let server = try FaultyRelay(faults)
    defer { server.stop() }
    let options = LoadOptions(
      workload: workload, pairs: 2, pace: .window(8), seconds: 0.5, warmUp: 0, timeout: 5)
    return try Load.measure(
      options, at: [("127.0.0.1", server.port)], server: nil, version: "test")
  }

  private func expect(
    _ result: LoadResult, lost: Int = 0, duplicated: Int = 0, reordered: Int = 0,
    _ sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(result.ending == .complete, sourceLocation: sourceLocation)
    #expect(result.figures.messages > 100, sourceLocation: sourceLocation)
    var faults = Faults()
    (faults.lost, faults.duplicated, faults.reordered) = (lost, duplicated, reordered)
    #expect(result.faults == faults, sourceLocation: sourceLocation)
  }

  static let workloads: [LoadOptions.Workload] = [.message, .transfer]

  @Test(arguments: workloads) func faultless(_ workload: LoadOptions.Workload) throws {
    expect(try run(workload, FaultyRelay.Faults()))
  }

  /// The phone hears of the last end before the watch hears of its transfer: nothing is lost.
  @Test func endBeforeDelivery() throws {
    expect(try run(.transfer, FaultyRelay.Faults(endsFirst: true)))
  }

  /// At the end the server is told to forget the pairs, and it is told where it does not.
  @Test(arguments: workloads) func pairsAreForgotten(_ workload: LoadOptions.Workload) throws {
    for forgets in [true, false] {
      let server = try FaultyRelay(FaultyRelay.Faults(forgets: forgets))
      defer { server.stop() }
      let options = LoadOptions(
        workload: workload, pairs: 2, pace: .window(8), seconds: 0.2, warmUp: 0, timeout: 1)
      var told: [String] = []
      let result = try Load.measure(
        options, at: [("127.0.0.1", server.port)], server: nil, version: "test",
        forgets: { told.append($0) })
      #expect(result.ending == .complete)
      #expect(server.forgottenPairs == (forgets ? server.knownPairs : []))
      #expect(server.knownPairs.count == 2)
      #expect(told.isEmpty == forgets)
    }
  }

  /// Two numbers of each of the two pairs do not arrive.
  @Test(arguments: workloads) func lost(_ workload: LoadOptions.Workload) throws {
    let faults = FaultyRelay.Faults(delivered: { [7, 30].contains($0) ? [] : [$0] })
    expect(try run(workload, faults), lost: 4)
  }

  @Test(arguments: workloads) func duplicated(_ workload: LoadOptions.Workload) throws {
    let faults = FaultyRelay.Faults(delivered: { $0 == 9 ? [9, 9] : $0 == 20 ? [20, 3] : [$0] })
    expect(try run(workload, faults), duplicated: 4)
  }

  @Test(arguments: workloads) func reordered(_ workload: LoadOptions.Workload) throws {
    let faults = FaultyRelay.Faults(delivered: { $0 == 5 ? [] : $0 == 6 ? [6, 5] : [$0] })
    expect(try run(workload, faults), reordered: 2)
  }

  /// Ends of transfers are followed like deliveries; a transfer without its end is lost to the phone.
  @Test func ends() throws {
    let lost = FaultyRelay.Faults(finished: { $0 == 7 ? [] : [$0] })
    expect(try run(.transfer, lost), lost: 2)
    let doubled = FaultyRelay.Faults(finished: { $0 == 7 ? [7, 7] : [$0] })
    expect(try run(.transfer, doubled), duplicated: 2)
    let swapped = FaultyRelay.Faults(finished: { $0 == 7 ? [] : $0 == 8 ? [8, 7] : [$0] })
    expect(try run(.transfer, swapped), reordered: 2)
  }

  /// A byte that changed on the way, in the filling or in the number, ends the run.
  @Test(arguments: workloads, ["x\"}", "{\"seq\":\"0000000000000011\""]) func altered(
    _ workload: LoadOptions.Workload, _ part: String
  ) throws {
    let faults = FaultyRelay.Faults(altered: { number, payload in
      number == 11
        ? payload.replacing(
          part,
          with: part.replacing("x\"", with: "y\"")
            .replacing("{\"seq\":\"00", with: "{\"seq\":\"0x")) : payload
    })
    let result = try run(workload, faults)
    guard case .failed(let reason) = result.ending else {
      Issue.record("the run did not notice: \(result.ending)")
      return
    }
    #expect(reason.contains("was not to be expected: {\"type\":\"didReceive"))
  }

  /// A number that was never sent, or not yet.
  @Test(arguments: workloads) func ahead(_ workload: LoadOptions.Workload) throws {
    let faults = FaultyRelay.Faults(altered: { number, payload in
      number == 4
        ? payload.replacing("\"0000000000000004\"", with: "\"0000000009999999\"") : payload
    })
    let result = try run(workload, faults)
    #expect(
      result.ending
        == .failed(
          "number 9999999 came to the watch of pair 1 before it was sent")
        || result.ending
          == .failed(
            "number 9999999 came to the watch of pair 2 before it was sent")
    )
  }
}
