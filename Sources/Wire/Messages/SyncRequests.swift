extension MessageDescription {
  private static let schema = MemberDescription.optional(
    "schema", .name, "whose records", standard: "the one opened last")
  private static let kind = MemberDescription.required("kind", .text(), "a kind of the schema")
  private static let asOf = MemberDescription.optional(
    "asOf", .either([.map(.count), .text(), .count]),
    "what was seen when the edit began: an at, a vector, its short form, or lastSeen",
    standard: "the last one answered to this device, else now")
  private static let record = "the record's id, or at least 4 characters that it alone starts with"

  /// Requests to the hub, the replica of a pair's records that the server merges.
  static let syncRequests: [MessageDescription] = [
    .request(
      .syncOpen, .sync, clause: "12.2",
      "Opens the records of a schema, to edit them here or to exchange operations.",
      members: [
        .required("schema", .name, "todoTimers, timeTracker, pomodoro, or one of your own"),
        .optional(
          "replica", .text(), "<UUID>.<incarnation> of a device that keeps operations itself"),
        .optional("vector", .map(.text()), "what that device holds: {replica: seq}"),
      ],
      answers: [
        ("sync.opened", "at once"),
        ("sync.snapshot", "to a device that holds too little"),
        ("sync.ops", "to a device, with what it lacks and whatever comes later"),
      ],
      errors: [.missingField, .invalidField, .overloaded, .sessionNotActivated],
      example: "sync.open schema=todoTimers"),
    .request(
      .syncPush, .sync, clause: "12.4", "Hands in a device's own operations, in order.",
      members: [schema, .required("ops", .list(.any), "operations in canonical form")],
      answers: [
        ("sync.accepted", "once all of them are on disk"),
        ("sync.retime", "where the device's clock is wrong; nothing was taken"),
      ],
      delivers: ["sync.ops", "sync.changed"],
      errors: [
        .missingField, .invalidField, .sequenceGap, .overloaded, .replicaRetired,
        .sessionNotActivated,
      ],
      example: #"sync.push ops=[{"actions":[…],"replica":"…","seq":"1","stamp":"…","wall":"…"}]"#),
    .request(
      .syncEdit, .sync, clause: "12.6",
      "Makes, changes, moves or deletes a record; the server mints the operation.",
      members: [
        schema, kind,
        .optional("record", .text(), record, standard: "a new one"),
        .optional("set", .map(.any), "fields and their new values"),
        .optional("delete", .flag, "deletes the record with what it contains"),
        .optional(
          "move",
          .object([
            .optional(
              "after", .either([.text(), .any]), "a record's id; null for the first place"),
            .optional("before", .text(), "a record's id"),
            .optional("into", .text(), "the container that it goes to"),
          ]), "its new place in its list"),
        asOf,
      ],
      eitherOf: [["set"], ["delete"], ["move"]],
      answers: [("sync.edited", "once it is on disk")],
      delivers: ["sync.ops", "sync.changed"],
      errors: [
        .missingField, .invalidField, .overloaded, .invalidRecord, .emptyName, .invalidDuration,
        .durationTooLong, .emptyText, .sessionNotActivated,
      ],
      example: #"sync.edit kind=timer set={"name":"Tea","durationInSeconds":300}"#),
    .request(
      .syncRestore, .sync, clause: "12.6", "Brings a deleted record back.",
      members: [schema, kind, .required("record", .text(), record), asOf],
      answers: [("sync.edited", "once it is on disk")],
      delivers: ["sync.ops", "sync.changed"],
      errors: [.missingField, .invalidField, .overloaded, .sessionNotActivated],
      example: "sync.restore kind=timer record=B5C2"),
    .request(
      .syncView, .sync, clause: "12.5", "Shows the merged records.",
      members: [
        schema, .optional("kind", .text(), "only this kind"),
        .optional("record", .text(), record, standard: "all"),
      ],
      answers: [
        ("sync.records", "a line a kind, the last with last; once what it shows is on disk")
      ],
      errors: [.invalidField, .overloaded, .sessionNotActivated], example: "sync.view kind=timer"),
    .request(
      .syncConflicts, .sync, clause: "12.7", "Lists what lost to a change that it had not seen.",
      members: [
        schema, .optional("kind", .text(), "only this kind"),
        .optional("record", .text(), record, standard: "all"),
      ],
      answers: [("sync.feed", "once what it shows is on disk")],
      errors: [.invalidField, .overloaded, .sessionNotActivated], example: "sync.conflicts"),
    .request(
      .syncDigest, .sync, clause: "12.8",
      "Shows what two replicas compare: vector, chain heads and digests.", members: [schema],
      answers: [("sync.digests", "once what it shows is on disk")],
      errors: [.invalidField, .overloaded, .sessionNotActivated], example: "sync.digest"),
    .request(
      .syncAcknowledge, .sync, clause: "12.9",
      "Says how far a device has taken the log in, behind its own operations.",
      members: [
        schema, .required("at", .count, "the position taken in and kept"),
        .optional("sealed", .count, "the last sync.frontier that it has sealed"),
      ],
      answers: [("accepted", "where it had an id, once it is on disk")],
      delivers: ["sync.purge"],
      errors: [.missingField, .invalidField, .overloaded, .sessionNotActivated],
      example: "sync.acknowledge at=17"),
  ]
}
