/// Operations that a device could push: one line each.

private func pushed(
  _ name: String, _ size: Int, prepare: @escaping @Sendable (Rig, Int) throws -> Void = { _, _ in },
  _ operations: @escaping @Sendable (Rig, Int) -> [String]
) -> Shape {
  Shape(
    name: "push: " + name, size: size,
    prepare: { rig, size in
      try rig.makeTimer()
      try prepare(rig, size)
    }, line: { rig, size in ("device", rig.push(operations(rig, size))) })
}

private let field = ",\"field\":\"notes\""

private func element(_ seq: Int, _ index: Int = 0, _ replica: String = Rig.replica) -> String {
  "\"\(replica)/\(seq)/\(index)\""
}

private func insert(_ text: String, at parent: String?, left: Bool = false) -> String {
  Rig.action(
    "insert",
    field + ",\"text\":\"\(text)\"" + (parent.map { ",\"parent\":\($0)" } ?? "")
      + (left ? ",\"side\":\"left\"" : ""))
}

private func erase(_ runs: [(String, Int)]) -> String {
  let runs = runs.map { "[\($0.0),\"\($0.1)\"]" }.joined(separator: ",")
  return Rig.action("erase", field + ",\"elements\":[\(runs)]")
}

/// The timer has a text of so many characters, which operation 2 inserted.
private func write(_ rig: Rig, _ count: Int) throws {
  rig.send(rig.push([rig.operation([insert(many("a", count), at: nil)])]), on: "device")
  try rig.expect("sync.accepted")
}

let pushes: [Shape] = [
  pushed("creates", 1_000) { rig, size in
    (0..<size).map { rig.operation([Rig.action("create", "", record: Rig.record($0))]) }
  },
  pushed("creates in one", 2_000) { rig, size in
    [rig.operation((0..<size).map { Rig.action("create", "", record: Rig.record($0)) })]
  },
  pushed("what only creates may write, in one", 1_000) { rig, size in
    let made = ",\"field\":\"createdAt\",\"value\":\"700000000\""
    let creates = (0..<size).map { Rig.action("create", "", record: Rig.record($0)) }
    let writes = (0..<size).map { Rig.action("write", made, record: Rig.record($0)) }
    return [rig.operation(creates + writes)]
  },
  pushed("writes of one field", 1_000) { rig, size in
    (0..<size).map { _ in
      rig.operation([Rig.action("write", ",\"field\":\"name\",\"value\":\"a\"")])
    }
  },
  pushed("writes that have seen nothing", 700) { rig, size in
    (0..<size).map { _ in
      rig.operation(
        [Rig.action("write", ",\"field\":\"name\",\"value\":\"a\"")],
        context: "\"\(Rig.replica)\":\"1\"")
    }
  },
  pushed("one field in one", 1_500) { rig, size in
    [
      rig.operation(
        (0..<size).map { _ in Rig.action("write", ",\"field\":\"name\",\"value\":\"a\"") })
    ]
  },
  pushed("fields without end", 1_500) { rig, size in
    [
      rig.operation(
        (0..<size).map { Rig.action("write", ",\"field\":\"f\($0)\",\"value\":\"a\"") })
    ]
  },
  pushed("texts without end", 1_000) { rig, size in
    [
      rig.operation(
        (0..<size).map { Rig.action("insert", ",\"field\":\"t\($0)\",\"text\":\"a\"") })
    ]
  },
  pushed("deletes", 1_000) { rig, size in
    (0..<size).map { _ in rig.operation([Rig.action("delete", "")]) }
  },
  pushed("deletes and restores", 1_000) { rig, size in
    (0..<size).map { rig.operation([Rig.action($0 % 2 == 0 ? "delete" : "restore", "")]) }
  },
  pushed("unknown actions", 2_000) { rig, size in
    [rig.operation((0..<size).map { Rig.action("x\($0)", "") })]
  },
  pushed("inserts at the start", 1_000) { rig, size in
    (0..<size).map { _ in rig.operation([insert("a", at: nil)]) }
  },
  pushed("inserts at the start, another there", 1_000) { rig, size in
    (0..<size).map { _ in rig.operation([insert("a", at: nil)]) }
  },
  pushed(
    "inserts below a sibling of another", 1_000,
    prepare: { rig, _ in
      let context = "\"\(Rig.replica)\":\"1\""
      rig.send(
        rig.push([rig.operation([insert("z", at: nil)], by: Rig.other, context: context)]),
        on: "other")
      try rig.expect("sync.accepted")
    }
  ) { rig, size in (0..<size).map { _ in rig.operation([insert("a", at: nil)]) } },
  pushed("inserts at the left of the last", 700) { rig, size in
    (0..<size).map { number in
      let seq = rig.seq()
      return rig.operation([insert("a", at: number == 0 ? nil : element(seq), left: number > 0)])
    }
  },
  pushed("inserts left and right", 700) { rig, size in
    (0..<size).map { number in
      let seq = rig.seq()
      return rig.operation(
        [insert("a", at: number == 0 ? nil : element(seq), left: number % 2 == 1)])
    }
  },
  pushed("inserts everywhere into a text", 700, prepare: { try write($0, 40 * $1) }) {
    rig, size in
    (0..<size).map { rig.operation([insert("b", at: element(2, 40 * ($0 * 7919 % size)))]) }
  },
  pushed("own inserts in one", 1_000) { rig, size in
    let seq = rig.seq() + 1
    return [
      rig.operation((0..<size).map { insert("a", at: $0 == 0 ? nil : element(seq, $0 - 1)) })
    ]
  },
  pushed("own erasures of a long insert", 1_500) { rig, size in
    let seq = rig.seq() + 1
    return [
      rig.operation([
        insert(many("a", 100 * size), at: nil),
        erase((0..<size).map { (element(seq, 100 * $0), 1) }),
      ])
    ]
  },
  pushed("erasures of all, again and again", 4_000, prepare: { try write($0, 50 * $1) }) {
    rig, size in
    [rig.operation([erase((0..<size).map { _ in (element(2, 0), 50 * size) })])]
  },
  pushed("erasing actions of all", 1_000, prepare: { try write($0, 100 * $1) }) { rig, size in
    [rig.operation((0..<size).map { _ in erase([(element(2, 0), 100 * size)]) })]
  },
  pushed("operations that erase all", 500, prepare: { try write($0, 200 * $1) }) { rig, size in
    (0..<size).map { _ in rig.operation([erase([(element(2, 0), 200 * size)])]) }
  },
  pushed("erasures of every other one", 4_000, prepare: { try write($0, 2 * $1) }) { rig, size in
    [rig.operation([erase((0..<size).map { (element(2, 2 * $0), 1) })])]
  },
  pushed("a context of many", 4_000) { rig, size in
    let context = (0..<size).map { "\"\(Rig.record(size - $0)).1\":\"1\"" }
    return [rig.operation([Rig.action("delete", "")], context: context.joined(separator: ","))]
  },
  pushed("moves", 700) { rig, size in
    (0..<size).map { number in
      let seq = rig.seq()
      return rig.operation([
        Rig.action(
          "move", ",\"field\":\"place\"" + (number == 0 ? "" : ",\"parent\":\(element(seq))"))
      ])
    }
  },
  pushed("a value of many members", 8_000) { rig, size in
    let members = (0..<size).map { "\"m\(size - $0)\":\"a\"" }.joined(separator: ",")
    return [
      rig.operation([Rig.action("write", ",\"field\":\"icon\",\"value\":{\(members)}")])
    ]
  },
  pushed("a deep value", 32_000) { rig, size in
    let value = many("[", 40) + many("\"a\",", size) + "\"a\"" + many("]", 40)
    return [rig.operation([Rig.action("write", ",\"field\":\"icon\",\"value\":\(value)")])]
  },
]

/// Questions about many records, which were pushed before.
private func asked(_ name: String, hasPlaces: Bool, _ text: String) -> Shape {
  Shape(
    name: "asked: \(name), \(hasPlaces ? "with" : "without") places", size: 4_000,
    prepare: { rig, size in
      var last: String?
      for start in stride(from: 0, to: size, by: 1_000) {
        var actions: [String] = []
        let seq = rig.seq() + 1
        for number in start..<min(start + 1_000, size) {
          let record = Rig.record(number)
          actions.append(Rig.action("create", "", record: record))
          guard hasPlaces else { continue }
          let parent = last.map { ",\"parent\":\($0)" } ?? ""
          actions.append(Rig.action("move", ",\"field\":\"place\"" + parent, record: record))
          last = element(seq, number - start)
        }
        rig.send(rig.push([rig.operation(actions)]), on: "device")
        try rig.expect("sync.accepted")
      }
      rig.send("sync.view kind=todo", on: "phone")
      rig.send(
        "sync.edit kind=timer set={\"name\":\"n\",\"durationInSeconds\":60} record=\(Rig.timer)",
        on: "phone")
      try rig.expect("sync.edited")
    }, line: { _, _ in ("phone", text) })
}

let questions: [Shape] = [false, true].flatMap { hasPlaces in
  [
    asked("a digest", hasPlaces: hasPlaces, "sync.digest"),
    asked("a view", hasPlaces: hasPlaces, "sync.view"),
    asked("conflicts", hasPlaces: hasPlaces, "sync.conflicts"),
    asked(
      "an edit", hasPlaces: hasPlaces,
      "sync.edit kind=timer record=\(Rig.timer) set={\"name\":\"x\"}"),
    asked(
      "a create", hasPlaces: hasPlaces,
      "sync.edit kind=timer set={\"name\":\"x\",\"durationInSeconds\":60}"),
  ]
}
