extension MessageDescription {
  private static let schema = MemberDescription.optional(
    "schema", .name, "the one that the session has opened; it says no more than that")
  private static let kind = MemberDescription.required(
    "kind", .text(), "a kind of the schema, such as timer or todo")
  private static let asOf = MemberDescription.optional(
    "asOf", .either([.count, .text(), .vector]),
    "what you had seen: an at, a vector, lastSeen",
    standard: "the at of the last view or edit")
  private static let name = MemberType.either([.text(), .count])
  private static let record = "the record's id, or 4 or more characters that it alone starts with"

  /// Requests to the hub, the replica of a pair's records that the server merges.
  static let syncRequests: [MessageDescription] = [
    .request(
      .syncOpen, .sync, clause: "12.2",
      "Opens the merged records of an app; every other sync request needs it first.",
      members: [
        .required("schema", .name, "todoTimers, timeTracker, pomodoro, or one of your own"),
        .optional(
          "replica", .replica,
          "for a program that keeps operations itself; at a keyboard leave it out"),
        .optional(
          "vector", .vector, "what that program holds: {replica: seq}",
          standard: "nothing"),
      ],
      answers: [
        ("sync.opened", "once the opening is on disk"),
        ("sync.snapshot", "with replica, where it holds less than the log goes back"),
        ("sync.ops", "with replica: what it lacks, and whatever comes later"),
        ("sync.changed", "without: whenever another device has changed records"),
      ],
      errors: [.missingField, .invalidField, .overloaded, .sessionNotActivated],
      example: "sync.open schema=todoTimers"),
    .request(
      .syncPush, .sync, clause: "12.4",
      "Hands in operations that a device made itself; all of them are taken, or none.",
      members: [
        schema, .required("ops", .list(.operation), "of the replica opened, in the order of seq"),
      ],
      answers: [
        ("sync.accepted", "once all of them are on disk"),
        ("sync.retime", "where the device's clock is wrong; nothing was taken"),
      ],
      delivers: ["sync.ops", "sync.changed"],
      errors: [
        .missingField, .invalidField, .sequenceGap, .overloaded, .replicaRetired,
        .sessionNotActivated,
      ],
      example: """
        sync.push ops=[{"actions":[{"action":"create","kind":"timer",\
        "record":"B5C20E1A-0000-4000-8000-000000000001"}],\
        "replica":"6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F.1","seq":"1",\
        "stamp":"1790000000000.2.0","wall":"1790000000000"}]
        """),
    .request(
      .syncEdit, .sync, clause: "12.6",
      "Makes, changes, moves or deletes a record, for you who typed it.",
      members: [
        schema, kind,
        .optional("record", name, record, standard: "a new one, for set"),
        .optional(
          "set", .map(.any), "fields and their values; what is as you saw it is not written"),
        .optional("delete", .flag, "hides the record and what it contains; sync.restore undoes it"),
        .optional(
          "move",
          .object([
            .optional(
              "after", .either([.text(), .count, .null]), "the record before it; null: it is first"),
            .optional("before", name, "the record after it"),
            .optional("into", name, "the container whose list it goes to"),
          ]), "its new place, the last where neither is named"),
        asOf,
      ],
      eitherOf: [["set"], ["delete"], ["move"]],
      answers: [("sync.edited", "once it is on disk")],
      delivers: ["sync.ops", "sync.changed"],
      errors: [
        .missingField, .invalidField, .overloaded, .invalidRecord, .emptyName, .invalidDuration,
        .durationTooLong, .emptyText, .invalidIncrement, .taskNotRunning, .invalidClient,
        .invalidProject, .sessionNotActivated,
      ],
      example: #"sync.edit kind=timer set={"name":"Tea","durationInSeconds":300}"#),
    .request(
      .syncRestore, .sync, clause: "12.6",
      "Brings a deleted record back, with what it contained.",
      members: [schema, kind, .required("record", name, record), asOf],
      answers: [("sync.edited", "once it is on disk")],
      delivers: ["sync.ops", "sync.changed"],
      errors: [.missingField, .invalidField, .overloaded, .sessionNotActivated],
      example: "sync.restore kind=timer record=B5C2"),
    .request(
      .syncView, .sync, clause: "12.5",
      "Shows the merged records, and lets your next edit know that you have seen them.",
      members: [
        schema, .optional("kind", .text(), "only this kind; record needs it", standard: "all"),
        .optional("record", name, record, standard: "all"),
      ],
      answers: [("sync.records", "a line or more a kind, the last with last; once it is on disk")],
      errors: [.invalidField, .overloaded, .sessionNotActivated], example: "sync.view kind=timer"),
    .request(
      .syncConflicts, .sync, clause: "12.7",
      "Lists the values and deletes that lost to a change that they had not seen.",
      members: [
        schema, .optional("kind", .text(), "only this kind; record needs it", standard: "all"),
        .optional("record", name, record, standard: "all"),
      ],
      answers: [("sync.feed", "a line or more, the last with last; once it is on disk")],
      errors: [.invalidField, .overloaded, .sessionNotActivated], example: "sync.conflicts"),
    .request(
      .syncDigest, .sync, clause: "12.8",
      "Shows what two replicas compare to know that they agree.", members: [schema],
      answers: [("sync.digests", "once what it shows is on disk")],
      errors: [.invalidField, .overloaded, .sessionNotActivated], example: "sync.digest"),
    .request(
      .syncAcknowledge, .sync, clause: "12.9",
      "Says how far a device with a replica has taken in the log and kept it.",
      members: [
        schema, .required("at", .count, "the at of the last line taken in"),
        .optional(
          "horizon", .count,
          "what was deleted before it the device leaves alone from now on, in milliseconds since 1970",
          standard: "0"),
      ],
      answers: [("accepted", "where it had an id, once it is on disk")],
      delivers: ["sync.purge"],
      errors: [.missingField, .invalidField, .overloaded, .sessionNotActivated],
      example: "sync.acknowledge at=17 horizon=1787408000000"),
  ]
}
