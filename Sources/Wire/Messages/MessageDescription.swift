/// One message of the protocol in words: what help says, and what the schemas are made from.
///
/// The tables beside this file describe every request of `Request` and every line that the server
/// sends; PROTOCOL.md has the rules behind them.
package struct MessageDescription: Sendable {
  package enum Direction: String, CaseIterable, Sendable {
    /// From a device to the server.
    case toServer
    /// From the server to a device.
    case toDevice
  }

  /// Under which heading help lists a message.
  package enum Group: String, CaseIterable, Sendable {
    case session = "Sessions"
    case message = "Live messages"
    case transfer = "Sending what must arrive"
    case receiver = "Receiving"
    case sync = "Merged records"
    case server = "The connection and the server"
    case `operator` = "Keeping a server"
  }

  /// How a line that the server sends names the request that it answers.
  package enum Correlation: Sendable {
    /// It answers nothing.
    case none
    /// `re` with the request's `id`, or `of` with its type where it had none.
    case answer
    /// The same where the request could be made out.
    case answerWhereKnown
  }

  package struct Answer: Sendable {
    package var name: String
    /// When it comes, as the end of a sentence.
    package var when: String
  }

  package var name: String
  package var direction: Direction
  package var group: Group
  /// The clause of PROTOCOL.md.
  package var clause: String
  /// One sentence.
  package var summary: String
  /// The call of WCSession, or the callback of its delegate, that it stands for.
  package var session: String?
  package var correlation = Correlation.none
  /// Its members but for `type`, `id`, `re` and `of`.
  package var members: [MemberDescription]
  /// Sets of optional members of which one has to be there; empty for no such demand.
  package var eitherOf: [[String]] = []
  /// What the sender of a request hears.
  package var answers: [Answer] = []
  /// What the counterpart hears of a request.
  package var delivers: [String] = []
  /// Errors of its own, beside those of any line.
  package var errors: [ErrorCode] = []
  /// A request as it is typed; for what the server sends, a line as it is sent.
  package var example: String

  /// Every member of the line but `type`, the correlation's included.
  package var allMembers: [MemberDescription] {
    switch (direction, correlation) {
    case (.toServer, _): [.identifier] + members
    case (.toDevice, .none): members
    case (.toDevice, .answer), (.toDevice, .answerWhereKnown): [.inReplyTo, .of] + members
    }
  }
}

extension MessageDescription {
  /// A request. `answers` pairs a name with the end of a sentence that says when it comes.
  static func request(
    _ request: Request, _ group: Group, clause: String, _ summary: String,
    session: String? = nil, members: [MemberDescription] = [], eitherOf: [[String]] = [],
    answers: [(String, String)] = [("accepted", "at once")], delivers: [String] = [],
    errors: [ErrorCode] = [], example: String
  ) -> MessageDescription {
    MessageDescription(
      name: request.rawValue, direction: .toServer, group: group, clause: clause,
      summary: summary, session: session, members: members, eitherOf: eitherOf,
      answers: answers.map { Answer(name: $0.0, when: $0.1) }, delivers: delivers, errors: errors,
      example: example)
  }

  /// A line that the server sends.
  static func event(
    _ name: String, _ group: Group, clause: String, _ summary: String, session: String? = nil,
    _ correlation: Correlation = .none, members: [MemberDescription] = [], example: String
  ) -> MessageDescription {
    MessageDescription(
      name: name, direction: .toDevice, group: group, clause: clause, summary: summary,
      session: session, correlation: correlation, members: members, example: example)
  }
}

extension MessageDescription {
  /// Every request, in the order in which help lists them.
  package static let requests: [MessageDescription] =
    sessionRequests + messageRequests + transferRequests + receiverRequests + syncRequests
    + serverRequests + operatorRequests

  /// Everything that the server sends.
  package static let events: [MessageDescription] =
    serverEvents + sessionEvents + messageEvents + transferEvents + receiverEvents
    + syncEvents + operatorEvents

  package static let all: [MessageDescription] = requests + events
}
