extension MessageDescription {
  /// What the server says for itself, and the answers that many requests share.
  static let serverEvents: [MessageDescription] = [
    .event(
      "hello", .server, clause: "1", "The first line of every connection.",
      members: [
        .required("server", .text(), "the server's name and version"),
        .required("protocol", .integer(1...1), "the version spoken"),
        .optional("auth", .words(["token"]), "activate needs a token"),
        .optional("tls", .flag, "this connection is encrypted"),
        .required("hint", .text(), "how to begin"),
      ],
      example: """
        {"type":"hello","server":"watchline 0.1.0","protocol":1,\
        "hint":"type help, or activate pair=demo role=phone"}
        """),
    .event(
      "accepted", .server, clause: "3.2",
      "The request has been carried out; what is durable is on disk.", .answer,
      members: [
        .optional("transfer", .text(), "names the transfer that was made, or resumed"),
        .optional("offset", .count, "a file's bytes on disk: go on here"),
        .optional(
          "remainingComplicationUserInfoTransfers", .count, "what remains of the day's budget"),
        .optional(
          "isCurrentComplicationInfo", .boolean,
          "false: the complication item goes as ordinary user info"),
        .optional(
          "dropped", .words(["identicalToPrevious"]),
          "the context equals the one last handed out and is not delivered again"),
        .optional(
          "left", .list(.words(MemberType.lanes)),
          "lanes with deliveries of this connection that are not acknowledged"),
        .optional(
          "refused",
          .list(
            .object([
              .required("kind", .text(), "of the record"),
              .required("record", .text(), "its id"),
              .required("code", .integer(4000...4999), "the error's number"),
              .required("message", .text(), "one sentence that a person can act on"),
            ])), "records of a list of whole ones that were not taken; the others were"),
      ],
      example: #"{"type":"accepted","re":1,"transfer":"phone:0.1"}"#),
    .event(
      "error", .server, clause: "7", "The line was refused, or a message of this device failed.",
      session: "an error handler, or a thrown WCError", .answerWhereKnown,
      members: [
        .optional("line", .number, "the line at fault, counted from 1 on this connection"),
        .required("code", .either([.integer(4000...4999), .integer(7001...7019)]), "its number"),
        .required("name", .words(ErrorCode.allCases.map(\.name)), "its name"),
        .required("message", .text(), "one sentence that a person can act on"),
        .optional("limit", .text(), "the limit of clause 9, or the quota, that is reached"),
        .required("definite", .boolean, "false: the request may have taken effect"),
      ],
      example: """
        {"type":"error","re":"q1","line":2,"code":7007,"name":"notReachable",\
        "message":"the watch is not reachable: it must be connected with its app in the foreground",\
        "definite":true}
        """),
    .event(
      "pong", .server, clause: "1", "The answer to ping.", .answer,
      members: [.required("now", .moment, "the server's time")],
      example: #"{"type":"pong","re":1,"now":978307200}"#),
    .event(
      "help", .server, clause: "2", "One line of an explanation.", .answer,
      members: [
        .optional("topic", .text(), "the word that this line explains"),
        .optional("text", .text(), "what it says"),
        .optional("summary", .text(), "what the word does"),
        .optional("session", .text(), "what it is in WatchConnectivity"),
        .optional("member", .text(), "a member's name"),
        .optional("is", .text(), "what the member may hold"),
        .optional("required", .flag, "the member must be there"),
        .optional("default", .any, "what counts where it is left out"),
        .optional("answer", .text(), "a line that the sender then gets"),
        .optional("counterpart", .text(), "a line that the counterpart then gets"),
        .optional("errors", .list(.integer(4000...7999)), "errors of its own"),
        .optional(
          "example", .either([.text(), .message]), "a line to type, or one as it is sent"),
      ],
      example: #"{"type":"help","of":"help","topic":"ping","example":"ping id=1"}"#),
    .event(
      "advanced", .server, clause: "11", "The answer to advance.", .answer,
      members: [.required("now", .moment, "the clock")],
      example: #"{"type":"advanced","of":"advance","now":978307260}"#),
  ]
}
