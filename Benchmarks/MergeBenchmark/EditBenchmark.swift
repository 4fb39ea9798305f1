import AppModels
import Merge
import Wire

/// What an edit that is typed at a hub costs, by how many records there are: the actions are worked
/// out, minted, folded and chained, and the record is shown as it is then.
struct EditBenchmark {
  static let edits = 500

  private let schema = ShippedSchemas.named("todoTimers")!
  private let device = ReplicaID(device: Identifier(high: 1, low: 1), incarnation: 1)

  func run() throws {
    printRow(["edit", "records", "µs"])
    for hasPlaces in [true, false] {
      for count in [1_000, 4_000, 16_000] { try measure(count, hasPlaces: hasPlaces) }
    }
  }

  private func timer(_ number: Int) -> Target {
    Target("timer", Name(Identifier(high: UInt64(number), low: 1).description))
  }

  private func measure(_ count: Int, hasPlaces: Bool) throws {
    let hub = Replica()
    let order = schema["timer"]!.order!
    var creates: [Action] = []
    for number in 0..<count {
      creates.append(Action(timer(number), .create))
      let before = number == 0 ? nil : ElementID(Dot(device, 1), UInt32(number - 1))
      if hasPlaces {
        creates.append(Action(timer(number), .move(field: order, to: Anchor(before, .right))))
      }
    }
    try write(creates, to: hub)
    let first = processorSeconds { _ = hub.fold.view(timer(0), schema) }
    let places = hasPlaces ? "" : ", without places"
    let renames = try processorSeconds {
      for number in 0..<Self.edits {
        let target = timer(number * 7 % count)
        try write(
          [Action(target, .write(field: "name", value: .string("x")), revives: true)], to: hub)
        _ = hub.fold.view(target, schema)
      }
    }
    report("rename, shown with its place\(places)", count, renames)
    if hasPlaces {
      let moves = try processorSeconds {
        for number in 0..<Self.edits {
          let target = timer(number * 7 % count)
          var editor = Editor(hub.fold, schema, shown: hub.vector)
          let after = Editor.Position.after(timer(number * 11 % count).record)
          try write(try editor.move(target, to: after, in: nil), to: hub)
          _ = hub.fold.view(target, schema)
        }
      }
      report("move within the list", count, moves)
    }
    printRow(["the first place asked for\(places)", "\(count)", decimal(first * 1e6, 0)])
    let view = processorSeconds { _ = hub.fold.view(schema) }
    printRow(["all of them shown\(places)", "\(count)", decimal(view * 1e6, 0)])
  }

  private func write(_ actions: [Action], to hub: Replica) throws {
    let written = hub.mint(
      actions, by: device, rank: 2, shown: hub.vector, time: 1_790_000_000_000,
      wall: 1_790_000_000_000, after: hub.fold.latest)
    try hub.append(written)
  }

  private func report(_ name: String, _ count: Int, _ seconds: Double) {
    printRow([name, "\(count)", decimal(seconds / Double(Self.edits) * 1e6, 1)])
  }
}
