/// A knob of `configure`: a choice that WatchConnectivity leaves open (PROTOCOL.md clause 8).
package struct KnobDescription: Sendable {
  package var key: Key
  package var type: MemberType
  /// The default as it is written on the wire.
  package var standard: String
  package var summary: String

  package var member: MemberDescription {
    .optional(key.rawValue, type, summary, standard: standard)
  }

  private init(_ key: Key, _ type: MemberType, _ standard: String, _ summary: String) {
    self.key = key
    self.type = type
    self.standard = standard
    self.summary = summary
  }

  private static let bytes = MemberType.integer(0...(1 << 40))

  /// Every knob, in the order in which the server lists them.
  package static let all: [KnobDescription] = [
    KnobDescription(.replyTimeout, .seconds, "300", "until a reply is overdue (7012)"),
    KnobDescription(
      .identicalContext, .words(["drop", "deliver", "throw"]), "\"drop\"",
      "a context equal to the last one handed out: dropped, delivered, or error 7008"),
    KnobDescription(
      .contextRedelivery, .integer(0...100), "0",
      "how many more times an activation brings a context that was delivered"),
    KnobDescription(
      .missingReplyDelegate, .words(["7014", "timeout"]), "\"7014\"",
      "a message with reply to a device without hasReplyDelegate: 7014 at once, or no reply"),
    KnobDescription(
      .cancelCallback, .words(["none", "error"]), "\"none\"",
      "whether a cancelled transfer gets a didFinish… with error 7014"),
    KnobDescription(
      .complicationDisabled, .words(["fallback", "fail"]), "\"fallback\"",
      "a complication transfer without complication: ordinary user info, or error 7014"),
    KnobDescription(
      .complicationBudget, .integer(0...1_000_000), "50", "complication transfers a day"),
    KnobDescription(
      .complicationReset, .seconds, "0",
      "when the day starts, in seconds after midnight UTC, below 86400"),
    KnobDescription(
      .complicationCharge, .words(["call", "delivery"]), "\"call\"",
      "whether the budget is charged when the phone asks or when the watch is handed the item"),
    KnobDescription(
      .limits,
      .object([
        .optional("message", bytes, "of a message or reply", standard: "65536"),
        .optional("userInfo", bytes, "of user info or a file's metadata", standard: "65536"),
        .optional("context", bytes, "of an application context", standard: "262144"),
        .optional("file", bytes, "of a file", standard: "0"),
      ]),
      "{\"message\":65536,\"userInfo\":65536,\"context\":262144,\"file\":0}",
      "the largest payloads; 0: no bound"),
    KnobDescription(
      .sizeMeasure, .words(["bplist", "json"]), "\"bplist\"",
      "what is measured: the payload as a binary property list, or its JSON text"),
    KnobDescription(
      .crossKindOrder, .words(["independent", "sent"]), "\"independent\"",
      "between contexts, user infos and files: as they come, or in the order sent"),
    KnobDescription(
      .wakePhoneOnBackgroundTransfer, .boolean, "false",
      "whether a transfer wakes a phone's app that is suspended or terminated"),
    KnobDescription(
      .wakeWatchOnBackgroundTransfer, .boolean, "true",
      "whether a transfer wakes a watch's app that is suspended or terminated"),
    KnobDescription(
      .outstandingOnSwitch, .words(["keep", "fail"]), "\"keep\"",
      "what waits for a watch that is switched away from: kept, or error 7016"),
    KnobDescription(
      .errorHandlerTwice, .boolean, "false",
      "a fault: a lost counterpart gives pending messages 7007 at once, and their end later"),
    KnobDescription(
      .preconditionOrder, .text(),
      "\"supported,delegate,activated,paired,installed,parameter,types,size,reachable\"",
      "the order of a send's checks"),
    KnobDescription(
      .bgTaskBudget, .seconds, "0",
      "how long a woken app may take to drain what waits before it is ended; 0 for ever"),
    KnobDescription(
      .uploadIdle, .seconds, "86400", "silence after which an unfinished upload fails (7017)"),
  ]
}
