import Testing

@testable import Simulation

/// What the story of a finding says in which nobody has edited anything.
@Suite struct LaneStoryTests {
  /// Each verb of a trace that is about the lanes, with what is said of it, and what came of it.
  @Test func tellsWhatWasHandedOverAndWhatCame() throws {
    let events = [
      TraceEvent(at: 0, "phone", .connect), TraceEvent(at: 0, "watch", .connect),
      TraceEvent(at: 10, "watch", .flow), TraceEvent(at: 20, "phone", .flow),
      TraceEvent(at: 100, "phone", .transfer, lane: "userInfo"),
      TraceEvent(at: 200, "phone", .transfer, lane: "file", count: 3),
      TraceEvent(at: 300, "phone", .flow), TraceEvent(at: 400, "phone", .upload, count: 9),
      TraceEvent(at: 500, "phone", .context, count: 4),
      TraceEvent(at: 600, "phone", .message, flag: true),
      TraceEvent(at: 700, "phone", .flow), TraceEvent(at: 800, "watch", .flow),
      TraceEvent(at: 900, "watch", .reply), TraceEvent(at: 950, "watch", .hold),
      TraceEvent(at: 960, "watch", .release, count: 2),
      TraceEvent(at: 1000, "watch", .acknowledge), TraceEvent(at: 1100, "watch", .flow),
      TraceEvent(at: 1200, "watch", .appState, count: 2),
    ]
    let trace = Trace(
      world: .server, seed: 1, schema: "none",
      devices: [.init("phone", isPhone: true), .init("watch", isPhone: false)], events: events)
    let outcome = try ServerHarness().play(trace, isRecorded: true)
    #expect(outcome.findings.isEmpty)
    let report = FindingReport(
      finding: Finding(invariant: "I36", slug: "s", headline: "Something.", story: []),
      recording: try #require(outcome.recording), trace: trace, schedules: 1, arguments: [],
      folder: "f", faults: [], version: "1")
    let text = report.text(isColoured: false)
    let expected = """
           00:00:00.000  phone   connects
           00:00:00.000  watch   connects
           00:00:00.100  phone   hands over user info 1 of the phone
           00:00:00.200  phone   hands over file 2 of the phone
           00:00:00.400  phone   sends a piece of its file
           00:00:00.500  phone   sets its context to context4
           00:00:00.600  phone   sends a message, and awaits a reply
           00:00:00.800  watch   didReceiveUserInfo 1
           00:00:00.800  watch   didReceiveMessage
           00:00:00.800  watch   didReceiveApplicationContext 1
           00:00:00.800  watch   didReceiveFile
           00:00:00.900  watch   replies to a message
           00:00:00.950  watch   holds its deliveries
           00:00:00.960  watch   lets 2 of its deliveries come
           00:00:01.000  watch   acknowledges all that it has read
           00:00:01.200  watch   its app is now: suspended
           00:00:01.200  server  everything works again
           00:00:01.200  phone   didReceiveReply
           00:00:01.200  phone   didFinishFileTransfer
           00:00:01.200  phone   didFinishUserInfoTransfer
      """
    #expect(text.contains(expected), "\(text)")
  }
}
