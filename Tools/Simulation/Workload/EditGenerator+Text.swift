import Merge
import Seeded

/// What people type into texts.
extension EditGenerator {
  mutating func type(
    _ target: Target, _ template: EditTemplate, _ shown: Shown, _ draw: inout SplitMix64
  ) -> Edit? {
    let field = template.text(&draw)!
    let present = shown[target]?[field].flatMap(Spelling.text) ?? ""
    var scalars = Array(present.unicodeScalars)
    if settings.isThorough, !scalars.isEmpty, draw.percent(20) {
      return done(Edit(target.kind, target.record, Self.rewrite(field, scalars, &draw)), target)
    }
    let at = draw.percent(30) ? scalars.count : draw.below(scalars.count + 1)
    let remove = draw.percent(35) ? min(scalars.count - at, 1 + draw.below(3)) : 0
    let insert = remove > 0 && draw.percent(40) ? "" : typed(&draw)
    scalars.replaceSubrange(at..<at + remove, with: insert.unicodeScalars)
    return done(
      Edit(
        target.kind, target.record,
        .splice(
          field: field, at: at, remove: remove, insert: insert, result: Self.string(scalars))),
      target)
  }

  private mutating func typed(_ draw: inout SplitMix64) -> String {
    let number = next()
    return settings.isThorough && draw.percent(50)
      ? draw.pick(["a", "bc", "\u{E9}", "e\u{301}", "o\u{301}", "\u{F3}", "🫖"])
      : Self.token(number, &draw)
  }

  /// A text is emptied, or a character of it is spelled otherwise, which looks alike and is not.
  private static func rewrite(
    _ field: Name, _ text: [Unicode.Scalar], _ draw: inout SplitMix64
  ) -> Edit.Change {
    for (at, scalar) in text.enumerated() where draw.percent(60) {
      for (one, other) in twins where text[at...].starts(with: one) && scalar == one[0] {
        var result = text
        result.replaceSubrange(at..<at + one.count, with: other)
        return .splice(
          field: field, at: at, remove: one.count, insert: string(other), result: string(result))
      }
    }
    return .splice(field: field, at: 0, remove: text.count, insert: "", result: "")
  }

  /// Canonically equivalent.
  private static let twins: [([Unicode.Scalar], [Unicode.Scalar])] = [
    (["\u{E9}"], ["e", "\u{301}"]), (["e", "\u{301}"], ["\u{E9}"]),
    (["o", "\u{301}"], ["\u{F3}"]), (["\u{F3}"], ["o", "\u{301}"]),
  ]

  private static func string(_ scalars: [Unicode.Scalar]) -> String {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars)
    return String(text)
  }

  /// A text that nobody wrote before: a letter of its own, and behind it now and then what is more
  /// than one scalar or byte.
  static func token(_ number: Int, _ draw: inout SplitMix64) -> String {
    let marks = ["", "", "", "é", "\u{301}", "👩‍👧", "🇪🇺", "ש"]
    // Latin letters, then Cyrillic and Chinese ones.
    let letter =
      number < 26 ? 0x61 + number : number < 200 ? 0x410 + number : 0x4E00 + number % 0x5000
    return "\(UnicodeScalar(UInt32(letter))!)\(draw.pick(marks))"
  }

  /// Something is put in before the notes of a timer.
  mutating func note(_ timer: Target, _ draw: inout SplitMix64) -> Edit {
    let text = Self.token(next(), &draw)
    return Edit(
      timer.kind, timer.record,
      .splice(field: "notes", at: 0, remove: 0, insert: text, result: text))
  }

  /// Something is put in at both ends of a text, what is between is erased, and then all; nothing where no text is
  /// shown.
  mutating func retype(_ shown: Shown, _ draw: inout SplitMix64) -> [Edit] {
    for record in shown.records {
      guard let template = templates.first(where: { $0.kind.name == record.target.kind }),
        let field = template.text(&draw), let present = record[field].flatMap(Spelling.text),
        !present.isEmpty
      else { continue }
      let ends = [Self.token(next(), &draw), Self.token(next(), &draw)]
      var fields: [UInt8] = [0x7B]
      member(field, Spelling.string(ends[0] + present + ends[1]), &fields)
      fields.append(0x7D)
      let counts = [ends[0], present, ends[1]].map(\.unicodeScalars.count)
      return [
        .set(fields: fields),
        .splice(
          field: field, at: counts[0], remove: counts[1], insert: "", result: ends.joined()),
        .splice(field: field, at: 0, remove: counts[0] + counts[2], insert: "", result: ""),
      ].map { Edit(record.target.kind, record.target.record, $0) }
    }
    return []
  }

  /// The second character of a text is erased, and something is put in where it was; nil where no text has two.
  mutating func replaceSecond(
    _ shown: Shown, _ draw: inout SplitMix64
  ) -> (erasing: Edit, inserting: Edit)? {
    for record in shown.records {
      guard let template = templates.first(where: { $0.kind.name == record.target.kind }),
        let field = template.text(&draw), let present = record[field].flatMap(Spelling.text),
        present.count > 1
      else { continue }
      let (first, rest) = (String(present.prefix(1)), String(present.dropFirst(2)))
      let start = first.unicodeScalars.count
      let token = Self.token(next(), &draw)
      let erased = present.unicodeScalars.count - start - rest.unicodeScalars.count
      func edit(_ change: Edit.Change) -> Edit {
        Edit(record.target.kind, record.target.record, change)
      }
      return (
        edit(.splice(field: field, at: start, remove: erased, insert: "", result: first + rest)),
        edit(
          .splice(field: field, at: start, remove: 0, insert: token, result: first + token + rest))
      )
    }
    return nil
  }

  /// Something is put in behind the text that a splice leaves, and behind what that leaves twice, the second time as if
  /// nobody had seen the first; nothing where it is no splice.
  mutating func typeOn(_ edit: Edit, _ draw: inout SplitMix64) -> [Edit] {
    guard case .splice(let field, _, _, _, var shown) = edit.change else { return [] }
    return (0..<3).map { place in
      let token = Self.token(next(), &draw)
      let result = shown + token
      defer { if place == 0 { shown = result } }
      return Edit(
        edit.kind, edit.record,
        .splice(
          field: field, at: shown.unicodeScalars.count, remove: 0, insert: token, result: result))
    }
  }
}
