extension MessageDescription {
  private static let schema = MemberDescription.required("schema", .name, "whose records")
  private static let at = MemberDescription.required(
    "at", .count, "the position in the hub's log that this is as of")
  private static let vector = MemberDescription.required(
    "vector", .vector, "what the hub holds: {replica: seq}")
  private static let short = MemberDescription.required(
    "vector", .text(), "what the hub holds, in short: device:seq,…")
  private static let hash = MemberType.either([.hexadecimal(64), .words([""])])
  private static let head = MemberType.object([
    .required("seq", .digits, "of the last operation; 0 where there is none"),
    .required("hash", hash, "of the chain there; empty where there is none"),
  ])
  private static let last = MemberDescription.optional("last", .flag, "no more lines follow")
  private static let now = MemberDescription.required(
    "now", .moment, "the hub's clock")
  private static let schemaDigest = MemberDescription.required(
    "schemaDigest", .hexadecimal(64), "SHA-256 of the schema")
  private static let outcome = MemberType.object([
    .optional("field", .text(), "the field or group; left out where it is about a delete"),
    .required("result", .words(["lost", "won"]), "how this edit fared"),
    .required("sentence", .text(), "the same for a person"),
  ])

  /// What the hub says.
  static let syncEvents: [MessageDescription] = [
    .event(
      "sync.opened", .sync, clause: "12.2", "The records are open.", .answer,
      members: [
        schema, at, vector,
        .required("frontier", .count, "the log goes back to here; no asOf may be below"),
        now, .required("rank", .integer(1...2), "of this role's stamps: 2 for the phone"),
        schemaDigest,
        .optional("head", head, "the hub's last operation of the replica opened"),
        .optional("retired", .flag, "that replica may write no more; a snapshot follows"),
      ],
      example: """
        {"type":"sync.opened","of":"sync.open","schema":"todoTimers","at":0,"vector":{},\
        "frontier":0,"now":1790000000,"rank":2,"schemaDigest":"9f…"}
        """),
    .event(
      "sync.ops", .sync, clause: "12.3", "Operations of others, in the order of the hub's log.",
      members: [schema, at, .required("ops", .list(.operation), "in canonical form")],
      example: """
        {"type":"sync.ops","schema":"todoTimers","at":12,"ops":[{"actions":[{"action":"delete",\
        "kind":"timer","record":"B5C20E1A-0000-4000-8000-000000000001"}],\
        "replica":"6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F.1","seq":"12",\
        "stamp":"1790000000000.2.0","wall":"1790000000000"}]}
        """),
    .event(
      "sync.snapshot", .sync, clause: "12.3", "A piece of what the log amounts to up to at.",
      members: [
        schema, at, .required("index", .count, "which piece, from 0"),
        .required("piece", .any, "in canonical form"), last,
      ],
      example: """
        {"type":"sync.snapshot","schema":"todoTimers","at":90,"index":0,"piece":{},"last":true}
        """),
    .event(
      "sync.changed", .sync, clause: "12.5",
      "Another device has changed records; sync.view shows them. For who opened without replica.",
      members: [
        schema, at, .required("by", .name, "the device that wrote"),
        .required(
          "records",
          .list(
            .object([
              .required("kind", .text(), "its kind"), .required("record", .text(), "its id"),
            ])), "what changed"),
      ],
      example: """
        {"type":"sync.changed","schema":"todoTimers","at":2,"by":"watch",\
        "records":[{"kind":"timer","record":"B5C20E1A-0000-4000-8000-000000000001"}]}
        """),
    .event(
      "sync.accepted", .sync, clause: "12.4", "All operations of the push are on disk.", .answer,
      members: [
        schema, at, vector, .required("head", head, "the hub's last operation of your replica"),
      ],
      example: """
        {"type":"sync.accepted","re":1,"schema":"todoTimers","at":3,"vector":{},\
        "head":{"seq":"3","hash":"5a…"}}
        """),
    .event(
      "sync.retime", .sync, clause: "12.4",
      "A stamp is not of this time: nothing was taken; correct the clock and push again.", .answer,
      members: [
        schema, now, .required("stamp", .text(), "the first one at fault"),
        .required("head", head, "the last operation taken; stamp what is above it anew"),
        .required("code", .integer(4040...4040), "clockAhead"),
        .required("message", .text(), "one sentence for a person"),
      ],
      example: """
        {"type":"sync.retime","re":1,"schema":"todoTimers","now":1790000000,\
        "stamp":"1790003600000.2.0","head":{"seq":"0","hash":""},"code":4040,\
        "message":"the clock is 3600 s ahead of the hub's"}
        """),
    .event(
      "sync.edited", .sync, clause: "12.6", "The record as it is after the edit.", .answer,
      members: [
        schema, at, short, .required("kind", .text(), "its kind"),
        .required("id", .text(), "its id"),
        .required(
          "record", .either([.map(.any), .null]), "merged; null where it is hidden"),
        .required("outcomes", .list(outcome), "what this edit lost to, or won against, unseen"),
      ],
      example: """
        {"type":"sync.edited","re":1,"schema":"todoTimers","at":1,"vector":"phone:1",\
        "kind":"timer","id":"B5C20E1A-0000-4000-8000-000000000001",\
        "record":{"id":"B5C20E1A-0000-4000-8000-000000000001","name":"Tea",\
        "durationInSeconds":300,"sortOrder":0},"outcomes":[]}
        """),
    .event(
      "sync.records", .sync, clause: "12.5", "The merged records of one kind.", .answer,
      members: [
        schema, at, short, .required("kind", .text(), "which"),
        .required("records", .list(.map(.any)), "by container, and in the order of their list"),
        last,
      ],
      example: """
        {"type":"sync.records","re":1,"schema":"todoTimers","at":0,"vector":"","kind":"timer",\
        "records":[],"last":true}
        """),
    .event(
      "sync.feed", .sync, clause: "12.7", "What lost, and is kept.", .answer,
      members: [
        schema, at,
        .required(
          "entries",
          .list(
            .object([
              .required("kind", .text(), "the record's kind"),
              .required("record", .text(), "the record's id"),
              .optional("field", .text(), "the field or group; left out for a delete"),
              .optional("lost", .any, "the value; left out for a delete and a move"),
              .required("by", .text(), "the device that wrote it"),
              .required("to", .text(), "the device whose write holds now"),
              .required("sentence", .text(), "the same for a person"),
            ])), "by stamp, oldest first"), last,
      ],
      example: #"{"type":"sync.feed","re":1,"schema":"todoTimers","at":2,"entries":[],"last":true}"#
    ),
    .event(
      "sync.digests", .sync, clause: "12.8", "What two replicas compare.", .answer,
      members: [
        schema, at, vector, .required("heads", .map(head), "by replica"),
        schemaDigest, .required("viewDigest", .hexadecimal(64), "SHA-256 of the canonical view"),
      ],
      example: """
        {"type":"sync.digests","re":1,"schema":"todoTimers","at":0,"vector":{},"heads":{},\
        "schemaDigest":"9f…","viewDigest":"44…"}
        """),
    .event(
      "sync.purge", .sync, clause: "12.9", "Collect what was dead, here in the log.",
      members: [
        schema, at, .required("frontier", .vector, "what every device has acknowledged"),
        .required(
          "horizon", .count, "what is older need not be kept, in milliseconds since 1970"),
      ],
      example: """
        {"type":"sync.purge","schema":"todoTimers","at":41,"frontier":{},"horizon":1787408000000}
        """),
  ]
}
