extension MessageDescription {
  /// What any send is refused for, live or not.
  static let sendErrors: [ErrorCode] = [
    .missingField, .invalidField, .sessionNotSupported, .sessionMissingDelegate,
    .sessionNotActivated, .deviceNotPaired, .watchAppNotInstalled, .payloadTooLarge,
    .payloadUnsupportedTypes, .sessionInactive, .companionAppNotInstalled, .watchOnlyApp,
  ]

  private static let messageErrors =
    sendErrors + [
      .overloaded, .notReachable, .deliveryFailed, .messageReplyFailed, .messageReplyTimedOut,
    ]

  private static let messageAnswers = [
    ("didReceiveReply", "where expectsReply is true and a reply comes"),
    ("error", "where it cannot be delivered, or no reply comes; otherwise nothing"),
  ]

  private static let messageOptions: [MemberDescription] = [
    .optional("expectsReply", .boolean, "whether the receiver is to reply", standard: "false"),
    .optional("timeout", .seconds, "until the reply is overdue", standard: "knob replyTimeout"),
  ]

  /// The live lane.
  static let messageRequests: [MessageDescription] = [
    .request(
      .sendMessage, .message, clause: "5.5",
      "Hands a dictionary to the reachable counterpart now, or fails.",
      session: "WCSession.sendMessage(_:replyHandler:errorHandler:)",
      members: [.required("payload", .dictionary, "the message")] + messageOptions,
      answers: messageAnswers, delivers: ["didReceiveMessage"], errors: messageErrors,
      example: "sendMessage payload={\"question\":\"ready?\"} expectsReply=true id=q1"),
    .request(
      .sendMessageData, .message, clause: "5.5",
      "Hands raw data to the reachable counterpart now, or fails.",
      session: "WCSession.sendMessageData(_:replyHandler:errorHandler:)",
      members: [.required("data", .base64, "the message")] + messageOptions,
      answers: messageAnswers, delivers: ["didReceiveMessageData"],
      errors: messageErrors.filter { $0 != .payloadUnsupportedTypes },
      example: "sendMessageData data=aGVsbG8="),
    .request(
      .reply, .message, clause: "5.5", "Answers a message that came with an id.",
      session: "the replyHandler of session(_:didReceiveMessage:replyHandler:)",
      members: [
        .required("re", .text(), "the id of the didReceiveMessage… line"),
        .optional("payload", .dictionary, "the reply; or data"),
        .optional("data", .base64, "the reply, where there is no payload"),
        .optional("code", .integer(7001...7019), "the WCError with which it fails at its sender"),
      ],
      eitherOf: [["payload"], ["data"], ["code"]],
      answers: [("accepted", "where the reply had an id of its own")],
      delivers: ["didReceiveReply", "error 7011 where the reply cannot be sent, or the code's"],
      errors: sendErrors, example: "reply re=m1.1 payload={\"answer\":\"yes\"}"),
  ]
}
