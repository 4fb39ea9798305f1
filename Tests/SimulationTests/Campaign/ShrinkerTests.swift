import Merge
import Simulation
import Testing

@Suite struct ShrinkerTests {
  private static func trace(_ count: Int) -> Trace {
    Trace(
      world: .server, seed: 1, schema: "todoTimers",
      devices: [
        .init("phone", isPhone: true), .init("watch", isPhone: false),
        .init("second", isPhone: false),
      ],
      events: (0..<count).map { index in
        TraceEvent(
          at: Int64(index) * 700, ["phone", "watch", "second"][index % 3], .transfer,
          count: Int64(index * 10))
      })
  }

  /// Two events of different devices are needed, whatever else there is.
  @Test func findsTheEventsThatMatter() {
    var shrinker = Shrinker(Self.trace(100)) { trace in
      let fails =
        trace.events.contains { $0.device == "phone" && ($0.count ?? 0) >= 600 }
        && trace.events.contains { $0.device == "watch" && ($0.count ?? 0) >= 10 }
      return fails ? trace : nil
    }
    shrinker.shrink()
    #expect(shrinker.trace.events.count == 2)
    #expect(shrinker.trace.devices.map(\.name) == ["phone", "watch"])
    #expect(shrinker.trace.events.allSatisfy { $0.at == 0 })
    #expect(shrinker.tries < 1000)
  }

  @Test func keepsWhatCannotBeSmaller() {
    let trace = Self.trace(4)
    var shrinker = Shrinker(trace) { $0 == trace ? $0 : nil }
    shrinker.shrink()
    #expect(shrinker.trace == trace)
  }

  @Test func takesFieldsOutOfEdits() {
    let fields = #"{"name":"a","icon":"b","colorHex":"c"}"#
    var trace = Self.trace(1)
    trace.events = [
      TraceEvent(
        at: 5, "phone", .edit,
        edit: Edit("timer", "t", .set(fields: Array(fields.utf8)), since: "e"))
    ]
    var shrinker = Shrinker(trace) { trace in
      guard case .set(let fields)? = trace.events.first?.edit?.change else { return nil }
      return String(decoding: fields, as: UTF8.self).contains("icon") ? trace : nil
    }
    shrinker.shrink()
    #expect(
      shrinker.trace.events.first?.edit
        == Edit("timer", "t", .set(fields: Array(#"{"icon":"b"}"#.utf8))))
  }

  @Test func stopsAtItsLimit() {
    var shrinker = Shrinker(Self.trace(60), limit: 25) { $0.events.count > 40 ? $0 : nil }
    shrinker.shrink()
    #expect(shrinker.tries == 25)
  }
}
