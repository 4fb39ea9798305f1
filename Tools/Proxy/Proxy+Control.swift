internal import Wire

/// Commands of a person or a program: one JSON object a line, answered by one line.
extension Proxy {
  /// Why a command is not carried out.
  private struct Refusal: Error {
    var reason: String
    init(_ reason: String) { self.reason = reason }
  }

  private enum Command: String, CaseIterable {
    case cut, delay, duplicate, heal, list, oneWay, quit, slice
  }

  /// Carries out a command. `{"re":"cut","connections":[1]}` says to which connections it applied,
  /// `{"error":"…"}` what is wrong with it.
  ///
  /// - Parameter line: without its LF; blank lines are passed over.
  package mutating func control(_ line: [UInt8], now: Int) {
    guard !line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) else { return }
    do throws(Refusal) {
      try perform(line, now: now)
    } catch {
      var writer = JSONWriter()
      writer.object { $0.member("error", error.reason) }
      add(.say(writer.bytes))
    }
  }

  private mutating func perform(_ line: [UInt8], now: Int) throws(Refusal) {
    let members: Members
    do throws(WireError) {
      members = try Members(line)
    } catch {
      throw Refusal("not a JSON object: \(error.message)")
    }
    let known = Command.allCases.map(\.rawValue)
    guard let word = members.string("do") else {
      throw Refusal("\"do\" says what: \(known.joined(separator: ", "))")
    }
    guard let command = Command(rawValue: word) else {
      let advice = Nearest.advice(
        for: word, among: known, else: known.joined(separator: ", "))
      throw Refusal("unknown command \(word); \(advice)")
    }
    let numbers = try numbers(members)
    switch command {
    case .list: return list(now: now)
    case .quit:
      answer(command, nil)
      return add(.quit)
    case .cut: for number in numbers { cut(number, now: now) }
    case .heal:
      if !members.has("connection") { faults = ProxyFaults() }
      for number in numbers { heal(number, now: now) }
    case .delay:
      let time = try integer(members, "milliseconds", 0...ProxyFaults.longest)
      let delay = time > 0 ? time...time : nil
      if !members.has("connection") { faults.delay = delay }
      for number in numbers {
        for direction in Direction.allCases { links[number]![direction].delay = delay }
      }
    case .slice:
      let bytes = try integer(members, "bytes", 0...ProxyFaults.largestSlice)
      let slice = bytes > 0 ? bytes : nil
      if !members.has("connection") { faults.slice = slice }
      for number in numbers {
        for direction in Direction.allCases { links[number]![direction].slice = slice }
      }
    case .oneWay: try stop(members, numbers, now: now)
    case .duplicate: try duplicate(members, numbers, now: now)
    }
    answer(command, numbers)
  }

  private mutating func stop(
    _ members: Members, _ numbers: [Int], now: Int
  ) throws(Refusal) {
    let directions: [Direction]
    switch members.string("direction") {
    case "up": directions = [.up]
    case "down": directions = [.down]
    case "both": directions = [.up, .down]
    default: throw Refusal("\"direction\" is up (from the client), down or both")
    }
    guard let stop = Stop(rawValue: members.string("how") ?? "stall") else {
      throw Refusal("\"how\" is stall (held back) or swallow (gone)")
    }
    for number in numbers { self.stop(number, directions, stop, now: now) }
  }

  private mutating func duplicate(
    _ members: Members, _ numbers: [Int], now: Int
  ) throws(Refusal) {
    guard members.has("connection"), let number = numbers.first, let link = links[number] else {
      throw Refusal("duplicate is of one \"connection\"")
    }
    guard link.original == nil else { throw Refusal("connection \(number) is a copy itself") }
    guard link.prefix.count <= Link.longestPrefix else {
      throw Refusal(
        "connection \(number) has sent more than the \(Link.longestPrefix) bytes that are kept")
    }
    guard links.count < Self.mostConnections else {
      throw Refusal("\(Self.mostConnections) connections are open")
    }
    duplicate(number, now: now)
  }

  private func integer(
    _ members: Members, _ name: String, _ range: ClosedRange<Int>
  ) throws(Refusal) -> Int {
    guard let value = members.integer(name), let number = Int(exactly: value),
      range.contains(number)
    else {
      throw Refusal(
        "\"\(name)\" is a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  private mutating func answer(_ command: Command, _ numbers: [Int]?) {
    var writer = JSONWriter()
    writer.object {
      $0.member("re", command.rawValue)
      if let numbers { $0.array("connections", numbers) { $0.number($1) } }
    }
    add(.say(writer.bytes))
  }

  private mutating func list(now: Int) {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("re", "list")
      writer.array("connections", links.keys.sorted()) { writer, number in
        let link = links[number]!
        writer.object { writer in
          writer.member("connection", number)
          writer.member("client", link.client)
          if let original = link.original { writer.member("of", original) }
          writer.member("age", now - link.openedAt)
          for direction in Direction.allCases {
            writer.object(direction.rawValue) {
              $0.member("bytes", link[direction].total)
              $0.member("waiting", link[direction].waiting)
              $0.member("state", link[direction].stop?.rawValue ?? "flows")
            }
          }
        }
      }
    }
    add(.say(writer.bytes))
  }

  /// The connections that are meant: the one that is named, or all.
  private func numbers(_ members: Members) throws(Refusal) -> [Int] {
    guard members.has("connection") else { return links.keys.sorted() }
    guard let number = members.integer("connection") else {
      throw Refusal("\"connection\" is a connection's number")
    }
    guard let number = Int(exactly: number), links[number] != nil else {
      throw Refusal("there is no connection \(number); {\"do\":\"list\"} shows them")
    }
    return [number]
  }
}
