extension MessageDescription {
  private static let stopped = MemberDescription.optional(
    "lane", .lane, "which", standard: "all of them")

  /// What a receiver says of its deliveries.
  static let receiverRequests: [MessageDescription] = [
    .request(
      .acknowledge, .receiver, clause: "5.10",
      "Says that everything up to seq in a lane is safely processed.",
      members: [
        .optional("lane", .lane, "which", standard: "\"userInfo\""),
        .optional(
          "seq", .count, "the last one processed", standard: "the last on this connection"),
      ],
      answers: [("accepted", "once it is on disk, where it had an id")],
      delivers: ["didFinishUserInfoTransfer", "didFinishFileTransfer"],
      errors: [.invalidField, .sessionNotActivated], example: "acknowledge lane=userInfo seq=1"),
    .request(
      .refuse, .receiver, clause: "5.10",
      "Fails one delivered item with a WCError that its sender then gets.",
      members: [
        .required("lane", .words(["userInfo", "complication", "file"]), "of the item"),
        .required("seq", .number, "of the item"),
        .required("code", .integer(7001...7019), "a WCError's number"),
      ],
      answers: [("accepted", "once it is on disk, where it had an id")],
      delivers: ["didFinishUserInfoTransfer", "didFinishFileTransfer"],
      errors: [.missingField, .invalidField, .overloaded, .sessionNotActivated],
      example: "refuse lane=userInfo seq=1 code=7015"),
    .request(
      .hold, .receiver, clause: "5.11", "Stops deliveries to this device; they wait.",
      members: [stopped], errors: [.invalidField, .sessionNotActivated],
      example: "hold lane=userInfo"),
    .request(
      .release, .receiver, clause: "5.11", "Lets deliveries go on, or lets count of them through.",
      members: [
        stopped,
        .optional("count", .number, "how many may pass while the lane stays held"),
      ],
      errors: [.invalidField, .sessionNotActivated], example: "release lane=userInfo count=1"),
  ]

  /// What has to do with the connection and the server alone; needs no session.
  static let serverRequests: [MessageDescription] = [
    .request(
      .ping, .server, clause: "1", "Asks for a sign of life and the server's time.",
      answers: [("pong", "at once")], example: "ping id=1"),
    .request(
      .help, .server, clause: "2", "Explains the protocol, or one word of it.",
      members: [
        .optional(
          "topic", .text(),
          "a request, an answer, a knob, an error, or lanes, knobs, errors, events")
      ],
      answers: [("help", "several lines, at once")], errors: [.invalidField],
      example: "help transferUserInfo"),
    .request(
      .advance, .server, clause: "11", "Moves the clock of a server run with --clock manual.",
      members: [.required("seconds", .seconds, "how far")],
      answers: [("advanced", "once it is on disk, after all that became due")],
      errors: [.missingField, .invalidField, .unauthorized], example: "advance seconds=60"),
    .request(
      .authenticate, .server, clause: "14.2",
      "Shows a token, for all that this connection asks from here on.",
      members: [.required("token", .text(), "as watchline token create has shown it")],
      answers: [("accepted", "at once")],
      errors: [.missingField, .invalidField, .unauthorized],
      example: "authenticate token=wl1_…"),
    .request(
      .quit, .server, clause: "1",
      "Closes the connection when what is owed has been sent; replies are not waited for.",
      answers: [], example: "quit"),
  ]
}
