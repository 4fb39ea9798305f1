extension MessageDescription {
  private static let number = MemberDescription.optional(
    "n", .number, "your own count of transfers, from 1: makes a retry safe")

  private static let transferErrors = sendErrors + [.unknownTransfer, .sequenceGap, .overloaded]

  /// The durable lanes, from the sender's side.
  static let transferRequests: [MessageDescription] = [
    .request(
      .updateApplicationContext, .transfer, clause: "5.6",
      "Sets the latest state; a newer one replaces one that waits.",
      session: "WCSession.updateApplicationContext(_:)",
      members: [.required("payload", .dictionary, "the context; {} clears it")],
      answers: [("accepted", "once it is on disk")], delivers: ["didReceiveApplicationContext"],
      errors: sendErrors + [.overloaded, .invalidParameter],
      example: "updateApplicationContext payload={\"theme\":\"dark\"}"),
    .request(
      .transferUserInfo, .transfer, clause: "5.7",
      "Queues a dictionary that arrives for certain, in order.",
      session: "WCSession.transferUserInfo(_:)",
      members: [.required("payload", .dictionary, "the user info"), number],
      answers: [
        ("accepted", "with its transfer, once it is on disk"),
        ("didFinishUserInfoTransfer", "when the receiver has acknowledged it, or it has failed"),
      ],
      delivers: ["didReceiveUserInfo"], errors: transferErrors,
      example: "transferUserInfo payload={\"steps\":412} n=1"),
    .request(
      .transferCurrentComplicationUserInfo, .transfer, clause: "5.8",
      "Queues a phone's dictionary ahead of all others, for the complication.",
      session: "WCSession.transferCurrentComplicationUserInfo(_:)",
      members: [.required("payload", .dictionary, "the user info"), number],
      answers: [
        ("accepted", "with its transfer and what remains of the day's budget, once on disk"),
        ("isCurrentComplicationInfoDidChange", "of an older one that waits, once on disk"),
        ("didFinishUserInfoTransfer", "when the receiver has acknowledged it, or it has failed"),
      ],
      delivers: ["didReceiveUserInfo"], errors: transferErrors + [.deliveryFailed],
      example: "transferCurrentComplicationUserInfo payload={\"next\":\"14:30\"}"),
    .request(
      .transferFile, .transfer, clause: "5.9",
      "Announces a file; its bytes follow in fileChunk lines. With transfer alone: resumes.",
      session: "WCSession.transferFile(_:metadata:)",
      members: [
        .optional("name", .text(1...1024), "a label, never a path; a new file needs it"),
        .optional("size", .count, "its bytes, at most limit queueBytes; a new file needs it"),
        .optional(
          "sha256", .hexadecimal(64), "its digest, quoted at a keyboard; a new file needs it"),
        .optional("metadata", .dictionary, "goes along with it"), number,
        .optional("transfer", .text(), "resume this upload instead; needs nothing else"),
      ],
      eitherOf: [["name", "size", "sha256"], ["transfer"]],
      answers: [
        ("accepted", "with its transfer and the offset at which to go on, once on disk"),
        ("transferProgress", "as its bytes get on disk"),
        ("didFinishFileTransfer", "when the receiver has acknowledged it, or it has failed"),
      ],
      delivers: ["didReceiveFile", "fileChunk"], errors: transferErrors,
      example: "transferFile name=hello.txt size=5 sha256=\""
        + "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824\""),
    .request(
      .fileChunk, .transfer, clause: "5.9", "Brings the next bytes of a file that was announced.",
      members: [
        .required("transfer", .text(), "of the accepted line"),
        .required("offset", .count, "where the bytes belong; no gap, and what is there is skipped"),
        .required("data", .base64, "the bytes"),
      ],
      answers: [("accepted", "with the offset reached, once on disk, where it had an id")],
      errors: [
        .missingField, .invalidField, .unknownTransfer, .overloaded, .sessionNotActivated,
      ],
      example: "fileChunk transfer=phone:0#1 offset=0 data=aGVsbG8="),
    .request(
      .outstandingTransfers, .transfer, clause: "5.10",
      "Lists this device's transfers that have not finished.",
      session: "WCSession.outstandingUserInfoTransfers, outstandingFileTransfers",
      members: [
        .optional("limit", .integer(1...1000), "most to list", standard: "1000"),
        .optional("after", .count, "how many to pass over, as the last answer says", standard: "0"),
      ],
      answers: [("outstandingTransfers", "once what it lists is on disk")],
      errors: [.invalidField, .sessionNotActivated], example: "outstandingTransfers"),
    .request(
      .cancelTransfer, .transfer, clause: "5.10",
      "Takes back a transfer that has not been handed out.",
      session: "WCSessionUserInfoTransfer.cancel(), WCSessionFileTransfer.cancel()",
      members: [.required("transfer", .text(), "of the accepted line")],
      answers: [
        ("accepted", "once it is on disk"),
        ("didFinish…", "with error 7014, only with the knob cancelCallback=error"),
      ],
      errors: [
        .missingField, .invalidField, .unknownTransfer, .alreadyDelivered, .overloaded,
        .sessionNotActivated,
      ],
      example: "cancelTransfer transfer=phone:0.1"),
  ]
}
