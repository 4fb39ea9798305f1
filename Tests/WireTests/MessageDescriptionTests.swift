import Testing
import Wire

@Suite struct MessageDescriptionTests {
  @Test func everyRequestIsDescribedOnce() {
    let described = MessageDescription.requests.map(\.name)
    #expect(described.sorted() == Request.allCases.map(\.rawValue).sorted())
    #expect(MessageDescription.requests.allSatisfy { $0.direction == .toServer })
  }

  @Test func everyEventIsDescribedOnce() {
    let described = MessageDescription.events.map(\.name)
    #expect(Set(described).count == described.count)
    #expect(MessageDescription.events.allSatisfy { $0.direction == .toDevice })
  }

  @Test func everyMemberOfARequestIsAKey() {
    for request in MessageDescription.requests {
      for member in request.allMembers {
        #expect(Key(rawValue: member.name) != nil, "\(request.name).\(member.name)")
      }
    }
  }

  @Test func membersAreNamedOnce() {
    for message in MessageDescription.all {
      let names = message.allMembers.map(\.name)
      #expect(Set(names).count == names.count, "\(message.name)")
    }
  }

  @Test func summariesAreSentences() {
    for message in MessageDescription.all {
      #expect(message.summary.last == ".", "\(message.name)")
      for member in message.allMembers {
        #expect(member.summary.last != ".", "\(message.name).\(member.name)")
      }
    }
    for error in ErrorCode.allCases { #expect(error.meaning.last == ".", "\(error)") }
  }

  @Test func answersAreDescribed() {
    let events = Set(MessageDescription.events.map(\.name))
    for request in MessageDescription.requests {
      for name in request.answers.map(\.name) + request.delivers where !name.hasSuffix("…") {
        let event = name.split(separator: " ").first.map(String.init) ?? ""
        #expect(events.contains(event), "\(request.name) is answered by \(name)")
      }
    }
  }

  @Test(arguments: MessageDescription.requests.map(\.name))
  func exampleOfARequestSpellsItsMembers(_ name: String) throws {
    let request = try #require(MessageDescription.requests.first { $0.name == name })
    let line = try #require(spelled(request.example), "\(request.example)")
    try expectDescribed(line, by: request)
  }

  @Test(arguments: MessageDescription.events.map(\.name))
  func exampleOfAnEventSpellsItsMembers(_ name: String) throws {
    let event = try #require(MessageDescription.events.first { $0.name == name })
    try expectDescribed(Array(event.example.utf8), by: event)
  }

  /// Expects a line with this message's type, all members that it needs, and no others.
  private func expectDescribed(_ line: [UInt8], by message: MessageDescription) throws {
    let (type, names) = try #require(typeAndNames(line), "\(String(decoding: line, as: UTF8.self))")
    #expect(type == message.name)
    let known = ["type"] + message.allMembers.map(\.name)
    #expect(names.allSatisfy(known.contains), "\(message.name) has \(names)")
    let needed = message.allMembers.filter(\.isRequired).map(\.name)
    #expect(needed.allSatisfy(names.contains), "\(message.name) has \(names)")
    let isOneThere = message.eitherOf.contains { $0.allSatisfy(names.contains) }
    #expect(message.eitherOf.isEmpty || isOneThere, "\(message.name) has \(names)")
  }

  /// The JSON line of a typed one; nil where it is refused.
  private func spelled(_ typed: String) -> [UInt8]? {
    var line: [UInt8] = []
    let isSpelled = Array(typed.utf8).withUnsafeBytes { typed in
      do throws(WireError) {
        try Words.json(typed, into: &line)
        return true
      } catch {
        return false
      }
    }
    return isSpelled ? line : nil
  }

  /// The type of a line and the names of its members; nil where it is no such line.
  private func typeAndNames(_ line: [UInt8]) -> (type: String, names: [String])? {
    line.withUnsafeBytes { line in
      var envelope = Envelope()
      do throws(WireError) {
        try envelope.scan(line)
        let fields = envelope.fields(of: line)
        let whole = Value(kind: .object, start: 0, end: line.count)
        return (try fields.string(.type), fields.members(of: whole).map(\.name))
      } catch {
        return nil
      }
    }
  }

  @Test func standardsOfKnobsAreJSON() {
    for knob in KnobDescription.all {
      #expect(scanError("{\"knob\":\(knob.standard)}") == nil, "\(knob.key)")
    }
  }
}
