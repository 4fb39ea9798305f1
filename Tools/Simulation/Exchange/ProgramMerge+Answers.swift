import Merge
import Wire

/// What a program answers, read strictly.
extension ProgramMerge {
  func done(_ line: [UInt8], _ device: Int) throws(MergeFailure) -> Answer {
    .done(try dispatches(try ask(line, device, expecting: ["done"]), line))
  }

  func ask(
    _ request: [UInt8], _ device: Int, expecting types: [String]
  ) throws(MergeFailure) -> Members {
    let line = request + [0x7D]
    if settings.keepsTranscript { transcript.append("→ \(String(decoding: line, as: UTF8.self))") }
    let answer: [UInt8]
    do throws(ProgramFault) {
      answer = try program.ask(
        line, of: isProcessPerDevice ? device : 0, isStart: types == ["started"])
    } catch {
      guard error.kind != .notStarted else {
        program.stop()
        throw .unavailable((["\(error.message)"] + program.complaints).joined(separator: "; "))
      }
      throw fault(error.kind, error.message, line)
    }
    for byte in answer { behaviour = (behaviour ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    if settings.keepsTranscript {
      transcript.append("← \(String(decoding: answer, as: UTF8.self))")
    }
    let members: Members
    do throws(WireError) {
      members = try Members(answer)
    } catch {
      throw fault(.badAnswer, "It answered \(excerpt(answer)): \(error.message).", line)
    }
    guard let type = members.string("type"), types.contains(type) else {
      throw bad(request, members, "its type must be \(types.joined(separator: " or "))")
    }
    guard members.integer("re") == Int64(number) else {
      throw bad(request, members, "its re must be \(number), the request's id")
    }
    return members
  }

  func read(started answer: Members, _ line: [UInt8]) throws(MergeFailure) -> Started {
    guard let sync = answer.string("sync").flatMap(Started.Sync.init) else {
      throw bad(line, answer, "its sync must be state or messages")
    }
    var can: Set<Started.Ability> = []
    for value in answer.array("can") ?? [] {
      let word = answer.string(value) ?? ""
      guard let ability = Started.Ability(rawValue: word), ability != .restore, ability != .form
      else {
        throw bad(
          line, answer, "can is a list of delete, move, text, restart and kept, not \(word)")
      }
      can.insert(ability)
    }
    return Started(sync, can: can)
  }

  func dispatches(_ answer: Members, _ line: [UInt8]) throws(MergeFailure) -> [Dispatch] {
    var dispatches: [Dispatch] = []
    for send in answer.objects("send") ?? [] {
      guard let lane = send.string("lane").flatMap(Lane.init), let body = send.raw("body") else {
        throw bad(line, answer, "each of send needs a lane (context, userInfo, message) and a body")
      }
      var to: Int?
      if let name = send.string("to") {
        guard let index = names.firstIndex(of: name) else {
          throw bad(line, answer, "there is no device \(name)")
        }
        to = index
      }
      dispatches.append(Dispatch(to: to, lane: lane, body: .json(body)))
    }
    return dispatches
  }

  /// A record's members in the order of their names: in JSON their order means nothing.
  static func fields(_ members: Members) -> [Shown.Field] {
    let fields = members.bytes.withUnsafeBytes { line in
      members.all.map { member in
        var bytes: [UInt8] = []
        Spelling.append(member.value, line, to: &bytes)
        return Shown.Field(Name(member.name), bytes)
      }
    }
    return fields.sorted { $0.name < $1.name }
  }

  // MARK: Faults

  func bad(_ line: [UInt8], _ answer: Members, _ what: String) -> MergeFailure {
    fault(.badAnswer, "It answered \(excerpt(answer.bytes)): \(what).", line + [0x7D])
  }

  private func fault(_ kind: ProgramFault.Kind, _ message: String, _ line: [UInt8]) -> MergeFailure
  {
    program.stop()
    let headline =
      switch kind {
      case .noAnswer: "The program did not answer in time."
      case .ended: "The program ended in the middle of a schedule."
      case .badAnswer, .notStarted: "The program's answer is not what the contract asks for."
      }
    return .fault(
      Finding(
        invariant: "contract", slug: kind.rawValue, headline: headline,
        story: ["It was asked \(excerpt(line)).", message]
          + program.complaints.map { "stderr: \($0)" }))
  }

  private func excerpt(_ bytes: [UInt8]) -> String {
    let text = String(decoding: bytes.prefix(400), as: UTF8.self)
    return bytes.count > 400 ? "\(text)… (\(bytes.count) bytes)" : text.isEmpty ? "nothing" : text
  }
}
