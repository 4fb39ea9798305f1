import Merge
import Simulation
import Testing

/// What happens to connections of the simulated server, and devices of a newer version.
@Suite struct ConnectionTests {
  private static let timer = Edit(
    "timer", "00000001-0000-4000-8000-000000000000",
    .create(
      fields: Array(
        ##"{"name":"Tea","durationInSeconds":300,"icon":"timer","colorHex":"#007AFF"}"##.utf8)))

  private static func played(
    _ events: [TraceEvent], _ options: [Trace.Option] = []
  ) throws -> Outcome {
    try ServerHarness().play(
      Trace(
        world: .server, seed: 1, schema: "todoTimers", options: options,
        devices: [.init("phone", isPhone: true), .init("watch", isPhone: false)],
        events: ["phone", "watch"].flatMap {
          [TraceEvent(at: 0, $0, .connect), TraceEvent(at: 0, $0, .flow)]
        } + events), isRecorded: true)
  }

  /// Whether the watch has been told of the timer before the end mends everything.
  private static func hasArrived(_ outcome: Outcome) -> Bool {
    let end = outcome.lines.firstIndex { $0.contains("everything works again") } ?? 0
    return outcome.lines[..<end].contains { $0.contains("server → watch") && $0.contains("Tea") }
  }

  private static func events(
    _ direction: String, loses: Bool, _ more: [TraceEvent] = []
  ) -> [TraceEvent] {
    [
      TraceEvent(at: 1, "phone", .oneWay, lane: direction, flag: loses),
      TraceEvent(at: 2, "phone", .edit, edit: timer), TraceEvent(at: 3, "phone", .flow),
      TraceEvent(at: 4, "watch", .flow),
    ] + more
  }

  private static let healed = [
    TraceEvent(at: 5, "phone", .heal), TraceEvent(at: 6, "phone", .flow),
    TraceEvent(at: 7, "watch", .flow),
  ]

  @Test func whatIsHeldBackArrivesLater() throws {
    let before = try Self.played(Self.events("up", loses: false))
    #expect(before.findings.isEmpty && !Self.hasArrived(before), "\(before.findings)")
    #expect(before.coverage["oneWay"] > 0)
    let after = try Self.played(Self.events("up", loses: false, Self.healed))
    #expect(after.findings.isEmpty && Self.hasArrived(after), "\(after.findings)")
  }

  @Test func whatIsLostComesWithTheNextConnection() throws {
    let cut = try Self.played(Self.events("both", loses: true, Self.healed))
    #expect(cut.findings.isEmpty && !Self.hasArrived(cut), "\(cut.findings)")
    let again =
      Self.healed + [
        TraceEvent(at: 8, "phone", .connect), TraceEvent(at: 9, "phone", .flow),
        TraceEvent(at: 10, "watch", .flow),
      ]
    let outcome = try Self.played(Self.events("both", loses: true, again))
    #expect(outcome.findings.isEmpty && Self.hasArrived(outcome), "\(outcome.findings)")
  }

  /// Where only the way down is stopped the server has the edit, and the phone does not know it.
  @Test func theOtherDirectionGoesOn() throws {
    let outcome = try Self.played(
      Self.events("down", loses: true, [TraceEvent(at: 8, "phone", .drop)]))
    #expect(outcome.findings.isEmpty && Self.hasArrived(outcome), "\(outcome.findings)")
  }

  /// The server acknowledges for such a watch what it has read, and nothing else.
  @Test(arguments: [true, false]) func anAutomaticWatch(reads: Bool) throws {
    let stop = TraceEvent(at: 1, "watch", .oneWay, lane: "down", flag: true)
    let outcome = try Self.played(
      (reads ? [] : [stop]) + [
        TraceEvent(at: 2, "phone", .transfer, lane: "userInfo"), TraceEvent(at: 3, "phone", .flow),
        TraceEvent(at: 4, "watch", .flow), TraceEvent(at: 5, "phone", .flow),
      ], [Trace.Option("automatic", "")])
    #expect(outcome.findings.isEmpty, "\(outcome.findings)")
    let end = outcome.lines.firstIndex { $0.contains("everything works again") } ?? 0
    let finished = outcome.lines.firstIndex {
      $0.contains("server → phone") && $0.contains("didFinishUserInfoTransfer")
    }
    #expect((try #require(finished) < end) == reads)
    #expect(!outcome.lines.contains { $0.contains("watch → server {\"type\":\"acknowledge\"") })
  }

  /// All three sorts of what only a newer version knows are relayed as they are.
  @Test func aNewerVersion() throws {
    let outcome = try Self.played(
      [TraceEvent(at: 1, "phone", .edit, edit: Self.timer)]
        + (0..<6).map { TraceEvent(at: 2 + $0, "phone", .extend, count: $0) }
        + [TraceEvent(at: 9, "phone", .flow), TraceEvent(at: 10, "watch", .flow)])
    #expect(outcome.findings.isEmpty, "\(outcome.findings)")
    #expect(outcome.coverage["newerVersion"] == 6)
    let down = outcome.lines.filter { $0.contains("server → watch") }.joined()
    for part in ["annotate", "laterField", "gadget"] { #expect(down.contains(part), "\(part)") }
    // Byte for byte: escapes are not spelled out.
    #expect(down.contains("\"\u{E9}\":\"\u{1F469}\u{200D}\u{1F467}\""))
  }
}
