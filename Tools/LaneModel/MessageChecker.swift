/// The live messages of a run: each is handed out once and to whom it is for, and has one end (clause 5.5).
package struct MessageChecker {
  package init() {}

  package struct Message {
    package let sender: String
    /// Which of its sender's sessions it was sent in.
    package let session: Int
    package let expectsReply: Bool
    /// Whom it is for, where its sender knew.
    package let receiver: String?
    package var deliveries = 0
    package var isReplied = false
    package var ends = 0
    /// Its sender's app was terminated, and nobody there waits for a reply.
    package var isForgotten = false
    /// It was said that certainly nothing was done.
    package var isRefused = false
  }

  package private(set) var messages: [Message] = []
  package private(set) var violations: [Violation] = []
  /// Something between may send lines twice: what follows from that is nobody's fault.
  package var mayRepeat = false
  /// The last one that came from each sender to each receiver.
  private var last: [String: Int] = [:]

  private mutating func report(_ slug: String, _ headline: String, _ story: String) {
    guard !mayRepeat else { return }
    violations.append(Violation(invariant: "I46", slug: slug, headline: headline, story: [story]))
  }

  /// - Parameter receiver: nil where its sender does not know.
  /// - Returns: its number.
  package mutating func add(
    from sender: String, session: Int, to receiver: String?, expectsReply: Bool
  ) -> Int {
    messages.append(
      Message(sender: sender, session: session, expectsReply: expectsReply, receiver: receiver))
    return messages.count - 1
  }

  /// - Parameters:
  ///   - sender: who it is said to come from.
  ///   - isPhone: whether the receiver is the phone.
  package mutating func delivered(
    _ number: Int, from sender: String, to receiver: String, isPhone: Bool
  ) {
    guard messages.indices.contains(number) else {
      return report(
        "message-invented", "A message came that nobody had sent.", "The \(receiver) got it.")
    }
    messages[number].deliveries += 1
    let message = messages[number]
    if message.deliveries > 1 {
      report(
        "message-twice", "A live message was delivered twice.",
        "The \(receiver) got message \(number) of the \(message.sender) again.")
    }
    let isMeant = message.receiver.map { $0 == receiver } ?? true
    if !isMeant || sender != message.sender || sender == receiver {
      report(
        "message-misdelivered", "A live message came to somebody else.",
        "The \(message.sender) sent message \(number) to the \(message.receiver ?? "other one"); "
          + "the \(receiver) got it as the \(sender)'s.")
    }
    if message.isRefused {
      report(
        "refused-delivered", "A message was delivered that certainly was not.",
        "The \(message.sender) was told so of message \(number), and the \(receiver) got it.")
    }
    let way = "\(message.sender) \(receiver)"
    if number < last[way] ?? 0 {
      report(
        "messages-reordered", "Messages came in another order than they were sent.",
        "The \(receiver) got message \(number) after number \(last[way]!).")
    }
    last[way] = number
  }

  package mutating func replied(_ number: Int) { messages[number].isReplied = true }

  package mutating func forget(_ sender: String) {
    for number in messages.indices where messages[number].sender == sender {
      messages[number].isForgotten = true
    }
  }

  /// - Parameters:
  ///   - session: the session in which the sender is told.
  ///   - reply: the message that the reply says it is of; nil for an error.
  package mutating func ended(_ number: Int, session: Int, reply: Int??, isDefinite: Bool) {
    guard messages.indices.contains(number) else { return }
    messages[number].ends += 1
    let message = messages[number]
    let name = "message \(number) of the \(message.sender)"
    if message.ends > 1 {
      report("message-ended-twice", "A message has two ends.", "Of \(name) a second end is told.")
    }
    if message.session != session {
      report(
        "message-outlived", "A reply came to another session than asked for it.",
        "Of \(name) the end is told in a later session.")
    }
    if let reply {
      if reply != number || !message.isReplied || !message.expectsReply {
        report(
          "reply-mixed", "A reply came to another message.",
          "To \(name) came a reply to \(reply.map { "message \($0)" } ?? "nothing that was sent").")
      }
    } else if isDefinite {
      messages[number].isRefused = true
      if message.deliveries > 0 {
        report(
          "refused-delivered", "A message is said not to have been delivered, and was.",
          "Of \(name) certainly nothing was done, the error says.")
      }
    }
  }

  /// What must hold of a sender's present session once all is drained, and everybody has replied.
  package mutating func check(_ sender: String, session: Int) {
    for (number, message) in messages.enumerated()
    where message.sender == sender && message.session == session && message.expectsReply
      && message.ends == 0 && !message.isForgotten
    {
      report(
        "message-unanswered", "Who awaits a reply hears nothing.",
        "Message \(number) of the \(sender) has neither a reply nor an error.")
    }
  }
}
