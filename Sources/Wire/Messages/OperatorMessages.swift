extension MessageDescription {
  /// What whoever keeps a server asks; needs no session.
  static let operatorRequests: [MessageDescription] = [
    .request(
      .stats, .operator, clause: "15.1",
      "Tells what the server holds, and has done since it started.",
      members: [shard],
      answers: [("stats", "at once")], errors: [.unauthorized], example: "stats"),
    .request(
      .listPairs, .operator, clause: "15.2", "Lists the pairs that are in use.",
      members: [
        .optional("pair", .text(), "their name; * stands for any characters", standard: "\"*\""),
        .optional("app", .text(), "their app's, likewise", standard: "\"*\""),
        .optional("after", .count, "next of the answer before, to go on", standard: "0"),
        .optional("limit", .integer(1...1000), "pairs in the answer at most", standard: "100"),
        shard,
      ],
      answers: [("pairs", "at once")], errors: [.invalidField, .unauthorized],
      example: "listPairs pair=team-*"),
    .request(
      .listDevices, .operator, clause: "15.3", "Lists the devices of a pair, with their lanes.",
      members: [
        .required("pair", .name, "the pair"),
        .optional("app", .name, "its app", standard: "\"default\""),
      ],
      answers: [("devices", "at once, or when the pair has been read back")],
      errors: [.missingField, .invalidField, .overloaded, .unauthorized],
      example: "listDevices pair=demo"),
    .request(
      .kick, .operator, clause: "15.4",
      "Ends the sessions of a pair, or that of one of its devices.",
      members: [
        .required("pair", .name, "the pair"),
        .optional("app", .name, "its app", standard: "\"default\""),
        .optional("device", .name, "the device", standard: "all of them"),
      ],
      answers: [("accepted", "at once")], delivers: ["sessionDidDeactivate"],
      errors: [.missingField, .invalidField, .unauthorized], example: "kick pair=demo device=watch"),
    .request(
      .tail, .operator, clause: "15.5",
      "Has the lines of pairs told on this connection, from now on; without pair, no longer.",
      members: [
        .optional("pair", .text(), "their name; * stands for any characters", standard: "nobody's"),
        .optional("app", .text(), "their app's, likewise", standard: "\"*\""),
        .optional("payloads", .boolean, "whether payloads are shown", standard: "false"),
      ],
      delivers: ["passed"], errors: [.invalidField, .unauthorized], example: "tail pair=demo"),
  ]

  private static let shard = MemberDescription.optional(
    "shard", .count, "whose pairs they are; needed where servers share several shards",
    standard: "0")

  static let operatorEvents: [MessageDescription] = [
    .event(
      "passed", .operator, clause: "15.5", "A line of a pair that somebody tails.",
      members: [
        .required("now", .moment, "when the server took or wrote it"),
        .required("pair", .name, "the pair"), .required("app", .name, "its app"),
        .required("device", .name, "whose connection it passed on"),
        .required("by", .words(["device", "server"]), "who sent it"),
        .required("size", .count, "its bytes, without the end of the line"),
        .optional(
          "line", .map(.any), "what it says; left out where it is no line of this protocol"),
        .optional("missed", .number, "lines before it that this connection was too slow for"),
      ],
      example:
        #"{"type":"passed","now":1796000000,"pair":"demo","app":"default","device":"phone","by":"device","#
        + #""size":61,"line":{"type":"transferUserInfo","n":1,"payload":"<13 bytes>"}}"#),
    .event(
      "stats", .operator, clause: "15.1", "The answer to stats.", .answer,
      members: [
        .required("now", .moment, "the server's time"),
        .required("connections", .count, "open ones"),
        .required("sessions", .count, "devices with a session"),
        .required("pairs", .count, "pairs that the store knows"),
        .required("pairsInMemory", .count, "those whose queues are in memory"),
        .required("uncommittedBytes", .count, "input that no commit covers yet"),
        .required(
          "bufferedBytes", .count, "input not carried out and output not read, of the others"),
        .required("liveBytes", .count, "payloads in the store that are needed"),
        .required("storedBytes", .count, "all payloads in the store"),
        .required("connectionsEver", .count, "accepted since the start"),
        .required("activationsEver", .count, "sessions begun since the start"),
        .required("accepted", .map(.count), "deliveries queued since the start, by lane"),
        .required("delivered", .map(.count), "those handed out, each once, by lane"),
        .required(
          "waiting", .map(.count),
          "those that wait or are not acknowledged, of pairs in memory, by lane"),
        .required("oldest", .map(.seconds), "how long the oldest of those has waited, in seconds"),
        .required("redelivered", .count, "those handed out again"),
        .required("messages", .count, "live messages handed to their receivers"),
        .required("finished", .count, "transfers that reached the receiving app"),
        .required("failed", .map(.count), "transfers that did not, by the error's number"),
        .required("refused", .map(.count), "lines answered by an error, by its number"),
        .required("slowed", .count, "waits of connections that sent faster than they may"),
        .optional("trouble", .text(), "why nothing new is taken"),
      ],
      example: statsExample),
    .event(
      "pairs", .operator, clause: "15.2", "The answer to listPairs.", .answer,
      members: [
        .required(
          "pairs",
          .list(
            .object([
              .required("pair", .name, "its name"), .required("app", .name, "its app"),
              .required("devices", .count, "that it has"),
              .required("connected", .count, "of them"),
              .required("waiting", .count, "deliveries that wait or are not acknowledged"),
              .required("bytes", .count, "of their payloads"),
              .required("numbered", .count, "deliveries that were ever given a number"),
            ])), "those in use, in the order in which they were made"),
        .optional("next", .number, "where the next answer goes on; left out at the end"),
      ],
      example:
        #"{"type":"pairs","of":"listPairs","pairs":[{"pair":"demo","app":"default","devices":2,"#
        + #""connected":1,"waiting":3,"bytes":120,"numbered":8}]}"#
    ),
    .event(
      "devices", .operator, clause: "15.3", "The answer to listDevices.", .answer,
      members: [
        .required("pair", .name, "the pair"), .required("app", .name, "its app"),
        .required(
          "devices",
          .list(
            .object([
              .required("device", .name, "its name"), .required("role", .role, "what it is"),
              .required("isConnected", .boolean, "whether it has a session"),
              .optional("peer", .text(), "from where, on a server with tokens"),
              .optional("token", .text(), "the id of the token that it showed"),
              .optional("appState", .appState, "of a connected one"),
              .required("lanes", laneStates, "what it receives"),
            ])), "all of the pair"),
      ],
      example:
        #"{"type":"devices","of":"listDevices","pair":"demo","app":"default","devices":[{"#
        + #""device":"phone","role":"phone","isConnected":true,"appState":"foreground","lanes":{"#
        + MemberType.lanes.map {
          "\"\($0)\":{\"waiting\":0,\"handedOut\":0,\"acknowledged\":0,\"isHeld\":false}"
        }.joined(separator: ",") + "}}]}"),
  ]

  private static let statsExample =
    #"{"type":"stats","of":"stats","now":1796000000,"connections":2,"sessions":2,"pairs":1,"#
    + #""pairsInMemory":1,"uncommittedBytes":0,"bufferedBytes":0,"liveBytes":120,"storedBytes":120,"#
    + #""connectionsEver":2,"activationsEver":2,"accepted":{"userInfo":3},"delivered":{"userInfo":0},"waiting":{"userInfo":3},"oldest":{"userInfo":2.5},"#
    + #""redelivered":0,"messages":0,"finished":0,"failed":{},"refused":{"4001":1},"slowed":0}"#
}
