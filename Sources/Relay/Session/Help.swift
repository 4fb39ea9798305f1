import Wire

/// What the server says of itself, from the descriptions of its messages. Each line is one line of
/// JSON that a person can read in a terminal.
enum Help {
  /// A line of help: appends its members to the line's opening.
  typealias Line = (inout [UInt8]) -> Void

  // MARK: Everything

  /// `help` alone.
  static func overview() -> [Line] {
    var lines = introduction.map(text)
    for group in MessageDescription.Group.allCases {
      lines.append(text(group.rawValue.uppercased()))
      for request in MessageDescription.requests where request.group == group {
        lines.append { output in
          output.append(",\"topic\":", quoted: request.name)
          output.append(",\"summary\":", quoted: request.summary)
          example(of: request, &output)
        }
      }
    }
    lines.append(
      text(
        "help WORD tells all about one, such as: help transferUserInfo. "
          + "Also: help lanes, help sync, help knobs, help errors, help events."))
    return lines
  }

  private static let introduction = [
    "Watchline plays a phone and a watch. Each connection is one device; each line you type is a "
      + "request.",
    "Begin with: activate pair=demo role=phone. In a second terminal: activate pair=demo role=watch.",
    "A line is a word and name=value pairs, such as: transferUserInfo payload={} n=1. "
      + "A payload is JSON.",
    "It stands for a JSON object, which you can type as well: examples with quotes are shown so.",
    "Answers are always JSON, one line each.",
  ]

  // MARK: One word

  /// The lines on one topic; nil where there is none.
  static func lines(on topic: String) -> [Line]? {
    switch topic {
    case "lanes": return lanes.map(text)
    case "sync": return sync.map(text)
    case "knobs": return knobs()
    case "errors": return errors()
    case "events":
      return MessageDescription.events.map { event in
        { output in
          output.append(",\"topic\":", quoted: event.name)
          output.append(",\"summary\":", quoted: event.summary)
        }
      }
    default: break
    }
    let messages = MessageDescription.all.filter { $0.name == topic }
    if !messages.isEmpty { return messages.flatMap(lines(about:)) }
    if let knob = KnobDescription.all.first(where: { $0.key.rawValue == topic }) {
      return [member(knob.member), text("configure \(topic)=VALUE sets it for the pair.")]
    }
    return ErrorCode.allCases.first { $0.name == topic || "\($0.rawValue)" == topic }.map(lines)
  }

  /// The words that `lines(on:)` knows, for a suggestion.
  static let topics: [String] =
    MessageDescription.all.map(\.name) + KnobDescription.all.map(\.key.rawValue)
    + ErrorCode.allCases.map(\.name) + ["lanes", "sync", "knobs", "errors", "events"]

  private static func lines(about message: MessageDescription) -> [Line] {
    var lines: [Line] = [
      { output in
        output.append(",\"topic\":", quoted: message.name)
        output.append(",\"summary\":", quoted: message.summary)
      },
      text(
        (message.direction == .toServer ? "A request" : "A line from the server")
          + "; PROTOCOL.md clause \(message.clause)."),
    ]
    if let session = message.session {
      lines.append { $0.append(",\"session\":", quoted: session) }
    }
    lines += message.members.map(member)
    if message.direction == .toServer { lines.append(member(.identifier)) }
    for answer in message.answers {
      lines.append { $0.append(",\"answer\":", quoted: "\(answer.name), \(answer.when)") }
    }
    for line in message.delivers {
      lines.append { $0.append(",\"counterpart\":", quoted: line) }
    }
    if !message.errors.isEmpty { lines.append(errors(of: message)) }
    lines.append { example(of: message, &$0) }
    return lines
  }

  /// An example that can be typed as it is shown: as words where they have no quotes, which JSON
  /// would escape, else as the JSON line that they spell.
  private static func example(of message: MessageDescription, _ output: inout [UInt8]) {
    output.append(",\"example\":")
    if !message.example.utf8.contains(0x22) {
      output.append(jsonString: message.example)
    } else if message.direction == .toDevice {
      output.append(text: message.example)
    } else {
      let words = Array(message.example.utf8)
      let isSpelled = words.withUnsafeBytes { words in
        do throws(WireError) {
          try Words.json(words, into: &output)
          return true
        } catch {
          return false
        }
      }
      precondition(isSpelled, "the example of \(message.name) cannot be typed")
    }
  }

  private static func member(_ member: MemberDescription) -> Line {
    { output in
      output.append(",\"member\":", quoted: member.name)
      output.append(",\"is\":", quoted: member.type.readable)
      if member.isRequired { output.append(",\"required\":true") }
      if let standard = member.standard {
        output.append(",\"default\":")
        // A value as it is written on the wire, or else words about it.
        let isValue = standard.utf8.contains { $0 == 0x22 || 0x30...0x39 ~= $0 }
        if isValue || standard == "true" || standard == "false" {
          output.append(text: standard)
        } else {
          output.append(jsonString: standard)
        }
      }
      output.append(",\"text\":", quoted: member.summary)
    }
  }

  private static func errors(of message: MessageDescription) -> Line {
    { output in
      output.append(",\"errors\":[")
      for (index, error) in message.errors.sorted(by: { $0.rawValue < $1.rawValue }).enumerated() {
        if index > 0 { output.append(",") }
        output.append(decimal: error.rawValue)
      }
      output.append("],\"text\":\"help NUMBER explains one\"")
    }
  }

  // MARK: Tables

  private static let lanes = [
    "Each device receives in lanes. In a lane the items come in order, each with a seq.",
    "userInfo: transferUserInfo, all of them, in order.",
    "complication: transferCurrentComplicationUserInfo; goes before all others.",
    "context: updateApplicationContext, the newest of each sender.",
    "file: transferFile, one file after the other.",
    "outcome: didFinish… of your own transfers that failed, or ended while you were away.",
    "After processing an item: acknowledge lane=userInfo seq=N. It covers all below N in that lane.",
    "What is not acknowledged comes again after the next activate, with redelivered true.",
    "Messages (sendMessage) have no lane: they are delivered at once or fail.",
  ]

  private static let sync = [
    "The server keeps the records of an app for the pair, merged from all who edit them: the hub.",
    "Begin with: sync.open schema=todoTimers. In the other terminal too. "
      + "There are also timeTracker and pomodoro.",
    "sync.edit makes and changes records; help sync.edit shows how. The answer has the record's id.",
    "The start of an id names its record: 4 characters, where no other of its kind starts so.",
    "sync.view shows the records. Your next edit is taken to have seen them as they were then.",
    "Edits of two sides that had not seen each other: different fields both stay, notes are merged, "
      + "and of one field the later write holds.",
    "A delete loses to a later edit that had not seen it. sync.restore brings a record back.",
    "What lost is kept: sync.conflicts lists it, with what it lost to.",
    "To play having been away, add asOf=N to an edit: the at of an older answer.",
    "A program can keep operations itself: sync.open with replica, then sync.push and sync.ops. "
      + "PROTOCOL.md clause 12.",
  ]

  private static func knobs() -> [Line] {
    [
      text(
        "Knobs are choices that WatchConnectivity leaves open. Set them for the pair: "
          + "configure replyTimeout=10 cancelCallback=error")
    ] + KnobDescription.all.map { member($0.member) }
  }

  private static func errors() -> [Line] {
    [text("An error's definite says whether it is certain that nothing was done.")]
      + ErrorCode.allCases.map { error in
        { output in
          output.append(",\"topic\":", quoted: "\(error.rawValue) \(error.name)")
          output.append(",\"summary\":", quoted: error.meaning)
        }
      }
  }

  private static func lines(about error: ErrorCode) -> [Line] {
    [
      { output in
        output.append(",\"topic\":", quoted: "\(error.rawValue) \(error.name)")
        output.append(",\"summary\":", quoted: error.meaning)
      },
      text(error.remedy),
    ]
  }

  private static func text(_ text: String) -> Line {
    { $0.append(",\"text\":", quoted: text) }
  }
}
