/// A line that somebody could send.
struct Shape: Sendable {
  let name: String
  /// The size is told at four times that: lines of up to some 1 MiB.
  let size: Int
  var prepare: @Sendable (Rig, Int) throws -> Void = { _, _ in }
  let line: @Sendable (Rig, Int) -> (name: String, text: String)
}

func many(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

private func list(_ count: Int, _ item: (Int) -> String) -> String {
  (0..<count).map(item).joined(separator: ",")
}

let shapes = texts + values + words + pushes + questions

// MARK: Texts

/// A text is saved over another one.
private func saved(
  _ name: String, _ size: Int, _ old: @escaping @Sendable (Int) -> String,
  _ new: @escaping @Sendable (Int) -> String
) -> Shape {
  @Sendable func edit(_ text: String) -> String {
    "{\"type\":\"sync.edit\",\"kind\":\"timer\",\"record\":\"\(Rig.timer)\","
      + "\"set\":{\"notes\":\"\(text)\"}}"
  }
  return Shape(
    name: "text: " + name, size: size,
    prepare: { rig, size in
      try rig.makeTimer()
      rig.send(edit(old(size)), on: "phone")
      try rig.expect("sync.edited")
    }, line: { _, size in ("phone", edit(new(size))) })
}

private let texts: [Shape] = [
  saved("accents", 64_000, { "a" + many("\u{301}", $0) }, { "b" + many("\u{301}", $0) }),
  saved("accents, one less", 64_000, { many("\u{301}", $0) }, { many("\u{301}", $0 - 1) }),
  saved("many marked letters", 16_000, { many("e\u{301}", $0) }, { many("o\u{302}", $0) }),
  saved("joined", 16_000, { "👨" + many("\u{200D}👩", $0) }, { "👧" + many("\u{200D}👩", $0) }),
  saved("flags", 32_000, { "🇩" + many("🇪", $0) }, { many("🇪", $0) }),
  saved("line ends", 32_000, { "\\r" + many("\\r\\n", $0) }, { many("\\r\\n", $0) }),
  saved("jamo", 64_000, { "ᄀ" + many("ᅡ", $0) }, { "ᄂ" + many("ᅡ", $0) }),
  saved("viramas", 32_000, { "क" + many("\u{94D}क", $0) }, { "a" + many("\u{94D}क", $0) }),
  saved("nothing in common", 200_000, { many("a", $0) }, { many("b", $0) }),
  saved("shifted by one", 64_000, { many("ab", $0) }, { "b" + many("ab", $0) + "c" }),
  saved("every other one goes", 400, { many("ab", $0) }, { many("a", $0) }),
  saved("equal letters", 100_000, { "x" + many("a", $0) + "y" }, { "z" + many("a", $0) + "w" }),
]

// MARK: Values

private func payload(_ name: String, _ size: Int, _ json: @escaping @Sendable (Int) -> String)
  -> [Shape]
{
  ["sendMessage", "transferUserInfo", "updateApplicationContext"].map { type in
    Shape(name: "payload: \(name), \(type)", size: size) { _, size in
      ("phone", "{\"type\":\"\(type)\",\"payload\":\(json(size))}")
    }
  }
}

private let values: [Shape] =
  payload("deep") { "{\"a\":" + many("[", 60) + many("1,", $0) + "1" + many("]", 60) + "}" }
  + payload("equal scalars", 32_000) { size in "{\"a\":[\(list(size) { _ in "\"x\"" })]}" }
  + payload("scalars", 16_000) { size in "{\"a\":[\(list(size) { "\"\($0)\"" })]}" }
  + payload("members", 8_000) { size in "{\(list(size) { "\"m\($0)\":1" })}" }
  + payload("one name", 16_000) { size in "{\(list(size) { _ in "\"m\":1" })}" }
  + payload("dates", 8_000) { size in "{\"a\":[\(list(size) { "{\"$date\":\($0)}" })]}" }
  + payload("null at the end", 16_000) { size in "{\"a\":[\(list(size) { _ in "1" }),null]}" }
  + payload("escapes", 32_000) { "{\"a\":\"" + many("\\u0301", $0) + "\"}" }
  + payload("digits", 128_000) { "{\"a\":1" + many("0", $0) + "}" }
  + payload("fraction", 128_000) { "{\"a\":0." + many("3", $0) + "}" }
  + payload("a tag", 128_000) { "{\"a\":{\"$data\":\"" + many("AAAA", $0 / 4) + "\"}}" }

private func payload(_ name: String, _ json: @escaping @Sendable (Int) -> String) -> [Shape] {
  payload(name, 64_000, json)
}

// MARK: Words and names

private func typed(_ name: String, _ size: Int, _ text: @escaping @Sendable (Int) -> String)
  -> Shape
{
  Shape(name: "line: " + name, size: size, prepare: { rig, _ in try rig.makeTimer() }) { _, size in
    ("phone", text(size))
  }
}

private let words: [Shape] = [
  typed("an unknown word", 128_000) { many("x", $0) },
  typed("an unknown word of accents", 64_000) { "a" + many("\u{301}", $0) },
  typed("an unknown type", 128_000) { "{\"type\":\"" + many("s", $0) + "\"}" },
  typed("an unknown type of flags", 32_000) { "{\"type\":\"" + many("🇪", $0) + "\"}" },
  typed("unknown members", 8_000) { size in
    "{\"type\":\"state\",\(list(size) { "\"m\($0)\":1" })}"
  },
  typed("a long member", 128_000) { "{\"type\":\"state\",\"" + many("m", $0) + "\":1}" },
  typed("members as words", 8_000) { size in
    "state " + (0..<size).map { "m\($0)=1" }.joined(separator: " ")
  },
  typed("one member as words", 16_000) { size in "state " + many("m=1 ", size) },
  typed("quotes", 64_000) { "state a=" + many("\"\"", $0) },
  typed("open quotes", 64_000) { "state a=\"" + many("\\\"", $0) },
  typed("brackets", 64_000) { "state a=" + many("[", $0) },
  typed("braces in words", 64_000) { "state a=" + many("{", $0) + " b=" + many("}", $0) },
  typed("blanks", 128_000) { "state" + many(" ", $0) + "a=1" },
  typed("a device of accents", 64_000) {
    "{\"type\":\"activate\",\"pair\":\"p\",\"role\":\"phone\",\"device\":\"" + many("\u{301}", $0)
      + "\"}"
  },
  typed("a pair of flags", 32_000) {
    "{\"type\":\"activate\",\"pair\":\"" + many("🇪", $0) + "\",\"role\":\"phone\"}"
  },
  typed("a long id", 128_000) { "{\"type\":\"state\",\"id\":\"" + many("i", $0) + "\"}" },
  typed("help for a long word", 64_000) { "help request=" + many("x", $0) },
  typed("an unknown knob", 64_000) { "configure " + many("k", $0) + "=1" },
  typed("an unknown kind", 64_000) { "sync.view kind=" + many("k", $0) },
  typed("an unknown kind of accents", 64_000) { "sync.view kind=k" + many("\u{301}", $0) },
  typed("an unknown record", 64_000) { "sync.view kind=timer record=" + many("0", $0) },
  typed("a record of sharp s", 64_000) { "sync.view kind=timer record=" + many("ß", $0) },
  typed("an unknown field", 64_000) { size in
    "{\"type\":\"sync.edit\",\"kind\":\"timer\",\"set\":{\"" + many("f", size) + "\":1}}"
  },
  typed("a name of accents", 64_000) { size in
    "{\"type\":\"sync.edit\",\"kind\":\"timer\",\"set\":{\"durationInSeconds\":60,\"name\":\""
      + "a" + many("\u{301}", size) + "\"}}"
  },
  typed("a name of blanks", 64_000) { size in
    "{\"type\":\"sync.edit\",\"kind\":\"timer\",\"set\":{\"durationInSeconds\":60,\"name\":\""
      + "a" + many("\u{3000}", size) + "a\"}}"
  },
  typed("a field many times", 8_000) { size in
    "{\"type\":\"sync.edit\",\"kind\":\"timer\",\"set\":{\(list(size) { _ in "\"name\":\"a\"" })}}"
  },
  typed("a long duration", 64_000) { size in
    "{\"type\":\"sync.edit\",\"kind\":\"timer\",\"set\":{\"name\":\"n\",\"durationInSeconds\":1"
      + many("0", size) + "}}"
  },
  typed("as of the same, many times", 16_000) { size in
    "{\"type\":\"sync.edit\",\"kind\":\"timer\",\"record\":\"\(Rig.timer)\",\"delete\":true,\"asOf\":\""
      + list(size) { _ in "phone:0" } + "\"}"
  },
  typed("as of flags", 32_000) { size in
    "{\"type\":\"sync.edit\",\"kind\":\"timer\",\"record\":\"\(Rig.timer)\",\"delete\":true,\"asOf\":\""
      + many("🇪", size) + "\"}"
  },
]
