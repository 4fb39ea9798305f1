import Foundation
import Hub
import Merge
import Relay
import RelaySupport
import Testing
import Wire

/// Whole records of a schema with several kinds: lists in lists, records that name others, and one of which there is one
/// (clause 13.6).
@Suite("The bridge for several kinds")
struct ManyKindsTests {
  private static let text = """
    {"schema":"boards","kinds":[
    {"kind":"board","order":"place","fields":[{"field":"name","type":"string"}],
    "derived":[{"field":"updatedAt","is":"touched"}]},
    {"kind":"column","order":"place","container":{"kind":"board","field":"board"},"fields":[{"field":"title","type":"string"}]},
    {"kind":"card","order":"place","container":{"kind":"column","field":"column"},"fields":[{"field":"text","type":"string"},
    {"field":"label","type":"uuid","references":"label","optional":true}]},
    {"kind":"label","fields":[{"field":"name","type":"string"}]},
    {"kind":"comment","container":{"kind":"card","field":"card"},"fields":[{"field":"words","type":"string"},
    {"field":"card","type":"uuid","references":"card"}]},
    {"kind":"settings","fixedID":"settings","fields":[{"field":"theme","type":"string"}]}]}
    """

  private let world: World

  init() throws {
    var options = Relay.Options()
    options.hubs = Hubs.keeping([try Schema(json: Array(Self.text.utf8))])
    world = try World(options)
    world.now = 1_763_719_200_000_000
    _ = ask("activate pair=p role=phone bridge=boards", on: "phone")
    _ = ask("acknowledge", on: "phone")
    _ = ask("activate pair=p role=watch", on: "watch")
    _ = ask("sync.open schema=boards", on: "watch")
    _ = ask("acknowledge", on: "phone")
  }

  private func ask(_ line: String, on name: String) -> [String] {
    world.send(line, on: name)
    world.settle()
    return world.client(name).takeLines()
  }

  // MARK: Records as the phone spells them

  private static func id(_ number: Int) -> String {
    "00000000-0000-4000-8000-0000000000\(number)"
  }

  /// - Parameter more: members besides, each with a comma before it.
  private static func record(
    _ kind: String?, _ id: String, _ fields: String, at date: Int, _ more: String = ""
  ) -> String {
    let kind = kind.map { "\"kind\":\"\($0)\"," } ?? ""
    return
      "{\(kind)\"id\":\"\(id)\",\"fields\":{\(fields)},\"createdAt\":0,\"updatedAt\":\(date)\(more)}"
  }

  private static func card(_ number: Int, _ place: Int, label: String? = nil) -> String {
    let label = label.map { ",\"label\":\($0)" } ?? ""
    return record(
      nil, id(number), "\"text\":\"card \(number)\"\(label)", at: 1, ",\"place\":\(place)")
  }

  private static func column(_ number: Int, _ place: Int, _ cards: String...) -> String {
    record(
      nil, id(number), "\"title\":\"column \(number)\"", at: 1,
      ",\"place\":\(place),\"contains\":{\"card\":[\(cards.joined(separator: ","))]}")
  }

  private static func board(at date: Int, _ columns: String...) -> String {
    record(
      "board", id(10), "\"name\":\"work\"", at: date,
      ",\"place\":0,\"contains\":{\"column\":[\(columns.joined(separator: ","))]}")
  }

  private func send(_ payload: String, n: Int? = nil) -> [String] {
    let n = n.map { "\"n\":\($0)," } ?? ""
    return ask("{\"type\":\"transferUserInfo\",\(n)\"payload\":\(payload)}", on: "phone")
  }

  private func send(
    _ type: String, _ kind: String, _ id: String, _ record: String? = nil, n: Int? = nil
  ) -> [String] {
    let record = record.map { ",\"record\":\($0)" } ?? ""
    return send(
      "{\"type\":\"recordUpdate\",\"payload\":{\"type\":\"\(type)\",\"kind\":\"\(kind)\",\"id\":\"\(id)\"\(record)}}",
      n: n)
  }

  /// - Returns: the error that the last payload was answered with; nil where it was taken.
  private func fault(_ answers: [String]) -> String? {
    answers.contains { $0.contains("didFinishUserInfoTransfer") }
      ? nil : answers.last?.replacingOccurrences(of: "\\\"", with: "\"") ?? "no answer"
  }

  private func view(_ kind: String) -> String {
    ask("sync.view kind=\(kind)", on: "watch").joined()
  }

  /// What the phone is told next.
  private func told() -> String {
    world.pass(seconds: 1)
    return world.client("phone").takeLines().joined()
  }

  // MARK: Lists in lists

  @Test func listsInLists() {
    let made = Self.board(
      at: 2, Self.column(20, 0, Self.card(30, 0), Self.card(31, 1)), Self.column(21, 1))
    #expect(fault(send("created", "board", Self.id(10), made)) == nil)
    let cards = view("card")
    #expect(cards.contains("\"text\":\"card 30\""), "\(cards)")
    #expect(cards.contains("\"column\":\"\(Self.id(20))\""), "\(cards)")
    // What somebody else does two lists down is told with the board.
    _ = ask("sync.edit kind=card record=\(Self.id(31)) set={\"text\":\"other\"}", on: "watch")
    let later = told()
    #expect(later.contains("\"kind\":\"board\""), "\(later)")
    #expect(
      later.contains("\"column\":[{\"contains\":{\"card\":[{\"createdAt\":0"), "\(later)")
    #expect(later.contains("\"text\":\"other\""), "\(later)")
  }

  /// A card that the phone shows in another column has gone there, and keeps what others changed in it.
  @Test func fromOneListToAnother() {
    _ = send(
      "created", "board", Self.id(10),
      Self.board(
        at: 2, Self.column(20, 0, Self.card(30, 0), Self.card(31, 1)), Self.column(21, 1)))
    _ = ask("sync.edit kind=card record=\(Self.id(30)) set={\"text\":\"other\"}", on: "watch")
    let moved = Self.board(
      at: 785_412_009, Self.column(20, 0, Self.card(31, 0)), Self.column(21, 1, Self.card(30, 0)))
    #expect(fault(send("updated", "board", Self.id(10), moved)) == nil)
    let cards = view("card")
    #expect(
      cards.contains("\"text\":\"other\",\"label\":null,\"column\":\"\(Self.id(21))\""), "\(cards)")
    // With a column that is gone its cards are, and come back with it.
    let without = Self.board(at: 785_412_019, Self.column(20, 0, Self.card(31, 0)))
    #expect(fault(send("updated", "board", Self.id(10), without)) == nil)
    #expect(!view("card").contains("other"))
    _ = ask("sync.restore kind=column record=\(Self.id(21))", on: "watch")
    #expect(view("card").contains("other"))
  }

  // MARK: Records that name others

  @Test func nullWhileItIsHidden() {
    let label = Self.record("label", Self.id(40), "\"name\":\"red\"", at: 2)
    let named = "\"\(Self.id(40))\""
    let board = Self.board(at: 2, Self.column(20, 0, Self.card(30, 0, label: named)))
    // In whichever order they come.
    #expect(
      fault(
        send(
          "{\"type\":\"fullSync\",\"payload\":{\"records\":[\(board),\(label)],\"syncTimestamp\":3}}"
        )) == nil)
    #expect(view("card").contains("\"label\":\(named)"))
    _ = ask("sync.edit kind=label record=\(Self.id(40)) delete=true", on: "watch")
    let gone = told()
    #expect(gone.contains("\"kind\":\"board\"") && gone.contains("\"deleted\""), "\(gone)")
    #expect(!gone.contains("\"label\":"), "\(gone)")
    _ = ask("acknowledge", on: "phone")
    // The phone changes something else there: the null that it was sent is no edit.
    let renamed = Self.board(at: 785_412_009, Self.column(20, 0, Self.card(30, 0)))
      .replacingOccurrences(of: "work", with: "play")
    #expect(fault(send("updated", "board", Self.id(10), renamed)) == nil)
    _ = ask("sync.restore kind=label record=\(Self.id(40))", on: "watch")
    #expect(view("card").contains("\"label\":\(named)"))
    let back = told()
    #expect(back.contains("\"label\":\(named)") && back.contains("\"play\""), "\(back)")
  }

  @Test func whatContainsItHasToBeThere() {
    let comment = Self.record(
      "comment", Self.id(50), "\"words\":\"well\",\"card\":\"\(Self.id(30))\"", at: 2)
    let refused = fault(send("created", "comment", Self.id(50), comment)) ?? ""
    #expect(
      refused.contains(
        "card of comment \(Self.id(50)) is \(Self.id(30)), and there is no such card"), "\(refused)"
    )
    let board = Self.board(at: 2, Self.column(20, 0, Self.card(30, 0)))
    let answer = send(
      "{\"type\":\"fullSync\",\"payload\":{\"records\":[\(comment),\(board)],\"syncTimestamp\":3}}")
    #expect(fault(answer) == nil && !answer.joined().contains("refused"), "\(answer)")
    #expect(view("comment").contains("well"))
    // It is hidden with its card, and told so.
    _ = ask("sync.edit kind=column record=\(Self.id(20)) delete=true", on: "watch")
    let gone = told()
    #expect(
      gone.contains("\"id\":\"\(Self.id(50))\",\"kind\":\"comment\",\"type\":\"deleted\""),
      "\(gone)")
  }

  /// Who had not seen a delete brings back what contains their record, and with it what that is sent in.
  @Test func whatContainsItComesBack() {
    let comment = Self.record(
      "comment", Self.id(50), "\"words\":\"well\",\"card\":\"\(Self.id(30))\"", at: 2)
    let board = Self.board(at: 2, Self.column(20, 0, Self.card(30, 0)))
    _ = send(
      "{\"type\":\"fullSync\",\"payload\":{\"records\":[\(board),\(comment)],\"syncTimestamp\":3}}")
    #expect(view("comment").contains("\"at\":2,"))
    let deleted = send("updated", "board", Self.id(10), Self.board(at: 3, Self.column(20, 0)))
    #expect(deleted.joined().contains("\"type\":\"deleted\""), "\(deleted)")
    _ = ask("acknowledge", on: "phone")
    let edited = ask(
      "sync.edit kind=comment record=\(Self.id(50)) set={\"words\":\"no\"} asOf=2", on: "watch")
    #expect(edited.joined().contains("this edit brings it back"), "\(edited)")
    let back = told()
    #expect(back.contains("\"kind\":\"board\"") && back.contains("card 30"), "\(back)")
  }

  // MARK: What there is one of

  @Test func itIsMadeAgain() {
    let settings = Self.record("settings", "settings", "\"theme\":\"dark\"", at: 2)
    #expect(fault(send("created", "settings", "settings", settings, n: 1)) == nil)
    _ = ask("sync.edit kind=settings record=settings delete=true", on: "watch")
    #expect(told().contains("\"deleted\""))
    _ = ask("acknowledge", on: "phone")
    #expect(!view("settings").contains("dark"))
    // Also with a clock that was set back.
    let again = Self.record("settings", "settings", "\"theme\":\"light\"", at: 1)
    #expect(fault(send("created", "settings", "settings", again, n: 2)) == nil)
    #expect(view("settings").contains("light"))
  }

  // MARK: Bad input

  @Test(arguments: [
    (
      "\"kind\":\"label\"", "\"kind\":\"labels\"",
      "kind is \"labels\", which is not sent by itself; did you mean label?"
    ),
    ("\"kind\":\"label\",", "", "kind is missing"),
    ("\"kind\":\"label\"", "\"kind\":\"card\"", "kind is \"card\", which is not sent by itself"),
    ("\"id\":\"\(id(40))\"", "\"id\":\"40\"", "id must be a UUID"),
    (
      "\"updatedAt\":2", "\"updatedAt\":2,\"place\":0",
      "record.place is given, but a label has no place"
    ),
    (
      "\"updatedAt\":2", "\"updatedAt\":2,\"contains\":{\"card\":[]}",
      "record.contains.card is not known here"
    ),
    (
      "\"record\":{\"kind\":\"label\",\"id\":\"\(id(40))\"",
      "\"record\":{\"kind\":\"label\",\"id\":\"\(id(41))\"",
      "it is about label \(id(40)), but the record is label \(id(41)); they must agree"
    ),
  ])
  func refuses(_ old: String, _ new: String, _ reason: String) {
    let label = Self.record("label", Self.id(40), "\"name\":\"red\"", at: 2)
    let payload =
      "{\"type\":\"recordUpdate\",\"payload\":{\"type\":\"created\",\"kind\":\"label\",\"id\":\"\(Self.id(40))\",\"record\":\(label)}}"
    let answer = fault(send(payload.replacingOccurrences(of: old, with: new))) ?? ""
    #expect(answer.contains(reason), "\(answer)")
    #expect(!view("label").contains("red"))
  }

  @Test func thereIsOne() {
    let settings = Self.record("settings", "others", "\"theme\":\"dark\"", at: 2)
    let answer = fault(send("created", "settings", "others", settings)) ?? ""
    #expect(
      answer.contains("id must be \"settings\", as there is one settings; it is \"others\""),
      "\(answer)")
  }
}
