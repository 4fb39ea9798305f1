extension MessageDescription {
  private static let from = MemberDescription.required("from", .name, "the sender's device name")
  private static let transfer = MemberDescription.required(
    "transfer", .text(), "names the transfer for good")
  private static let seq = MemberDescription.required(
    "seq", .number, "its number in the lane, for acknowledge")
  private static let redelivered = MemberDescription.optional(
    "redelivered", .flag, "it may have been handed out before")
  private static let messageIdentifier = MemberDescription.optional(
    "id", .text(), "where a reply is expected: send it back as re of reply")

  /// The live lane, as its ends hear it.
  static let messageEvents: [MessageDescription] = [
    .event(
      "didReceiveMessage", .message, clause: "5.5", "A message; with an id it expects a reply.",
      session: "session(_:didReceiveMessage:), session(_:didReceiveMessage:replyHandler:)",
      members: [from, messageIdentifier, .required("payload", .dictionary, "the message")],
      example: #"{"type":"didReceiveMessage","from":"watch","id":"m1.1","payload":{"a":1}}"#),
    .event(
      "didReceiveMessageData", .message, clause: "5.5",
      "A message of raw data; with an id it expects a reply.",
      session: "session(_:didReceiveMessageData:), session(_:didReceiveMessageData:replyHandler:)",
      members: [from, messageIdentifier, .required("data", .base64, "the message")],
      example: #"{"type":"didReceiveMessageData","from":"watch","data":"aGVsbG8="}"#),
    .event(
      "didReceiveReply", .message, clause: "5.5", "The reply to a message of this device.",
      session: "the replyHandler of sendMessage(_:replyHandler:errorHandler:)", .answer,
      members: [
        .optional("payload", .dictionary, "the reply; or data"),
        .optional("data", .base64, "the reply, where it is raw data"),
      ],
      example: #"{"type":"didReceiveReply","re":"q1","payload":{"answer":"yes"}}"#),
  ]

  /// The durable lanes, as a receiver hears them.
  static let receiverEvents: [MessageDescription] = [
    .event(
      "didReceiveApplicationContext", .receiver, clause: "5.6", "The sender's latest context.",
      session: "session(_:didReceiveApplicationContext:)",
      members: [from, .required("payload", .dictionary, "the context"), seq, redelivered],
      example: """
        {"type":"didReceiveApplicationContext","from":"phone","payload":{"theme":"dark"},"seq":1}
        """),
    .event(
      "didReceiveUserInfo", .receiver, clause: "5.7",
      "A queued dictionary; tagged where it is the current complication's.",
      session: "session(_:didReceiveUserInfo:)",
      members: [
        from, .required("payload", .dictionary, "the user info"), seq,
        .optional(
          "isCurrentComplicationInfo", .flag, "it has its seq in the complication lane"),
        redelivered,
      ],
      example: #"{"type":"didReceiveUserInfo","from":"phone","payload":{"steps":412},"seq":1}"#),
    .event(
      "didReceiveFile", .receiver, clause: "5.9",
      "A file begins; its bytes follow in fileChunk lines.",
      session: "session(_:didReceive:) of a WCSessionFile, once all chunks are there",
      members: [
        transfer, from,
        .required("name", .text(1...1024), "a label, never a path"),
        .required("size", .count, "its bytes"),
        .required("sha256", .hexadecimal(64), "its digest"),
        .optional("metadata", .dictionary, "what came along"),
        .optional("offset", .number, "where a resumed download goes on"),
        redelivered,
      ],
      example: """
        {"type":"didReceiveFile","transfer":"phone:0#1","from":"phone","name":"hello.txt",\
        "size":5,"sha256":"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"}
        """),
    .event(
      "fileChunk", .receiver, clause: "5.9", "The next bytes of the file that is being received.",
      members: [
        transfer,
        .required("offset", .count, "where the bytes belong"),
        .required("data", .base64, "the bytes"),
        .optional("last", .flag, "the file is whole: check its digest"),
        .optional("seq", .number, "with last: the file's number in the lane, for acknowledge"),
      ],
      example: """
        {"type":"fileChunk","transfer":"phone:0#1","offset":0,"data":"aGVsbG8=","last":true,\
        "seq":1}
        """),
  ]

  private static let failure = MemberDescription.optional(
    "error",
    .object([
      .required("code", .integer(7001...7019), "a WCError's number"),
      .required("name", .text(), "its name"),
      .required("message", .text(), "one sentence"),
    ]), "why it failed; none where the receiver has acknowledged it")

  private static let finishMembers: [MemberDescription] = [
    transfer, .optional("n", .number, "the sender's own number, where it gave one"),
    .optional("re", .identifier, "the id of the request"),
    .optional("of", .text(), "the request, where a retry without id is answered"), failure,
    .optional("seq", .number, "its number in lane outcome, where it has to be acknowledged"),
    redelivered,
  ]

  /// What a sender hears of its transfers.
  static let transferEvents: [MessageDescription] = [
    .event(
      "transferProgress", .transfer, clause: "5.9", "More of an upload is on disk.",
      session: "WCSessionFileTransfer.progress",
      members: [
        transfer, .required("offset", .count, "the bytes below it are on disk"),
        .required("size", .count, "the file's bytes"),
      ],
      example: #"{"type":"transferProgress","transfer":"phone:0#1","offset":5,"size":5}"#),
    .event(
      "isCurrentComplicationInfoDidChange", .transfer, clause: "5.8",
      "A complication transfer that waits goes as ordinary user info: a newer one took its place.",
      session: "WCSessionUserInfoTransfer.isCurrentComplicationInfo",
      members: [transfer, .required("isCurrentComplicationInfo", .boolean, "false")],
      example: """
        {"type":"isCurrentComplicationInfoDidChange","transfer":"phone:0.1",\
        "isCurrentComplicationInfo":false}
        """),
    .event(
      "didFinishUserInfoTransfer", .transfer, clause: "5.4",
      "A user info or complication transfer has ended.",
      session: "session(_:didFinish:error:) of a WCSessionUserInfoTransfer",
      members: finishMembers,
      example: #"{"type":"didFinishUserInfoTransfer","transfer":"phone:0.1","n":1}"#),
    .event(
      "didFinishFileTransfer", .transfer, clause: "5.4", "A file transfer has ended.",
      session: "session(_:didFinish:error:) of a WCSessionFileTransfer", members: finishMembers,
      example: """
        {"type":"didFinishFileTransfer","transfer":"phone:0#1","error":{"code":7014,\
        "name":"deliveryFailed","message":"Payload could not be delivered."},"seq":1}
        """),
    .event(
      "outstandingTransfers", .transfer, clause: "5.10", "The transfers that have not finished.",
      session: "WCSession.outstandingUserInfoTransfers, outstandingFileTransfers", .answer,
      members: [
        .required("count", .count, "how many there are"),
        .required("n", .count, "the last n accepted of this incarnation"),
        .required("transfers", .list(.object(outstandingMembers)), "at most limit of them"),
        .optional("after", .number, "there are more: give this as after"),
      ],
      example: """
        {"type":"outstandingTransfers","of":"outstandingTransfers","count":1,"n":1,\
        "transfers":[{"transfer":"phone:0.1","n":1,"isCurrentComplicationInfo":false,\
        "lane":"userInfo","isTransferring":false}]}
        """),
  ]

  private static let outstandingMembers: [MemberDescription] = [
    transfer, .optional("n", .number, "the sender's own number, where it gave one"),
    .optional("isCurrentComplicationInfo", .boolean, "not told of an upload under way"),
    .required("lane", .words(["userInfo", "complication", "file"]), "the lane it is in"),
    .required("isTransferring", .boolean, "handed out, and so past cancelling"),
    .optional("name", .text(1...1024), "a file's"),
    .optional("size", .count, "a file's"),
    .optional("offset", .count, "a file's bytes on disk"),
  ]
}
