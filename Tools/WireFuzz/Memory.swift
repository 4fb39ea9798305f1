internal import Merge

/// Who is at a connection, as far as the author knows.
struct Person {
  var name: String
  var world: Int
  var role: String
  /// The device's name; nil for the role's.
  var device: String?
  /// The schema that it has whole records of.
  var bridge: Schema?
  /// The replica that it writes operations as; nil for a person at a keyboard.
  var replica: String?
  var isActive = false
  /// The schema opened.
  var schema: Name?
  /// Its last line was torn: what it sends next is in that line.
  var isTorn = false
  /// The last line of its that was short.
  var short: [UInt8] = []
  /// What its operations go on from: the last one that the hub has, and the last one pushed.
  var head: Int64 = 0
  var pushed: Int64 = 0
  /// The last message that it was handed and that expects a reply of it.
  var asked: JSON?
  /// What the line that is being written is about, where it is about records.
  var kind: Schema.Kind?
  /// Operations drawn for the line that is being written.
  var drawn: Int64 = 0
  /// What the last stamp was.
  var stamp: (ms: Int64, counter: Int64) = (0, 0)
  /// The upload that it is at: what the file holds and how much of it was sent.
  var upload: (transfer: String?, bytes: [UInt8], sent: Int)?

  mutating func isLost() {
    isActive = false
    schema = nil
  }

  mutating func hasPushed() { pushed += drawn }
}

/// What the clients of one pair were told: values by the name of their member, and the records.
struct Memory {
  let number: Int
  let pair: String
  let app: String
  /// The last ones of each name.
  private var told: [String: [JSON]] = [:]
  /// By kind: each record's id, and its container's.
  private(set) var records: [Name: [(id: String, home: String?)]] = [:]
  /// Elements of texts and lists, by what they are in.
  private(set) var elements: [String: [String]] = [:]
  /// What texts were set to.
  var texts: [String: String] = [:]

  init(number: Int, pair: String, app: String) {
    self.number = number
    self.pair = pair
    self.app = app
  }

  var tag: String { Tag.text(number) }

  func told(_ name: String) -> [JSON] { told[name] ?? [] }

  mutating func note(_ name: String, _ value: JSON) {
    told[name, default: []].append(value)
    if told[name]!.count > 8 { told[name]!.removeFirst() }
  }

  mutating func note(record id: String, _ kind: Name, home: String?) {
    if let place = records[kind]?.firstIndex(where: { $0.id == id }) {
      if let home { records[kind]![place].home = home }
    } else {
      records[kind, default: []].append((id, home))
      if records[kind]!.count > 12 { records[kind]!.removeFirst() }
    }
  }

  mutating func note(element: String, of list: String) {
    elements[list, default: []].append(element)
    if elements[list]!.count > 12 { elements[list]!.removeFirst() }
  }

  /// All scalars of a line, by name.
  mutating func note(_ line: JSON, depth: Int = 0) {
    guard depth < 4 else { return }
    for member in line.members where member.name != "re" {
      switch member.value {
      case .string(let text): if text.utf8.count < 200 { note(member.name, member.value) }
      case .plain(let text): if text != "true", text != "false" { note(member.name, member.value) }
      case .object:
        note(member.name, member.value)
        note(member.value, depth: depth + 1)
      case .array(let elements):
        for element in elements.suffix(4) { note(element, depth: depth + 1) }
      }
    }
  }
}

extension Author {
  /// Takes in what a client was sent.
  mutating func hear(_ line: JSON, on name: String) {
    guard let place = clients.firstIndex(where: { $0.name == name }) else { return }
    let world = clients[place].world
    let type = line["type"]?.text ?? ""
    switch type {
    case "hello": clients[place].isLost()
    case "help", "state", "configured", "error":
      if line["code"]?.number == 7004 { clients[place].isLost() }
      if line["of"]?.text == "sync.push" || line["code"]?.number == 4007 {
        clients[place].pushed = clients[place].head
      }
      if line["code"]?.number == 4012 { clients[place].replica = newReplica() }
      return
    case "activationDidComplete": clients[place].isActive = true
    case "sessionDidDeactivate": clients[place].isLost()
    case "didReceiveMessage", "didReceiveMessageData":
      if let id = line["id"] { clients[place].asked = id }
      return
    case "sync.opened":
      clients[place].schema = line["schema"]?.text.map { Name($0) }
      if line["retired"] != nil { clients[place].replica = newReplica() }
      head(line, place)
    case "sync.accepted", "sync.retime": head(line, place)
    case "sync.edited", "sync.records":
      let records = line["record"].map { [$0] } ?? line["records"]?.elements ?? []
      guard let kind = line["kind"]?.text.map({ Name($0) }) else { break }
      let owner = clients[place].schema.flatMap { name in
        schemas.first { $0.name == name }?[kind]?.container?.field
      }
      for record in records.suffix(8) {
        guard let id = record["id"]?.text else { continue }
        worlds[world].note(record: id, kind, home: owner.flatMap { record[$0.text]?.text })
      }
    case "accepted":
      if let transfer = line["transfer"]?.text, line["offset"] != nil,
        clients[place].upload?.transfer == nil
      {
        clients[place].upload?.transfer = transfer
      }
    default: break
    }
    if case .plain(let text)? = line["now"], let now = Double(text) {
      clock = Int64((now * 1000).rounded())
    }
    worlds[world].note(line)
  }

  private mutating func head(_ line: JSON, _ place: Int) {
    guard let seq = line["head"]?["seq"]?.text.flatMap({ Int64($0) }) else { return }
    clients[place].head = seq
    clients[place].pushed = seq
  }
}
