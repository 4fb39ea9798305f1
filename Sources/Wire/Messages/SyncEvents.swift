extension MessageDescription {
  private static let schema = MemberDescription.required("schema", .name, "whose records")
  private static let at = MemberDescription.required(
    "at", .count, "position in the hub's log that this is as of")
  private static let vector = MemberDescription.required(
    "vector", .map(.text()), "what the hub holds: {replica: seq}")
  private static let short = MemberDescription.required(
    "vector", .text(), "what the hub holds, in short: device:seq,…")
  private static let head = MemberType.object([
    .required("seq", .text(), "the last operation"),
    .required("hash", .text(), "the chain's hash there, in hexadecimal"),
  ])
  private static let last = MemberDescription.optional("last", .flag, "no more lines follow")
  private static let outcome = MemberType.object([
    .optional("field", .text(), "the field or group; left out for a delete"),
    .required("result", .words(["lost", "won"]), "how this edit fared"),
    .required("sentence", .text(), "the same for a person"),
  ])

  /// What the hub says.
  static let syncEvents: [MessageDescription] = [
    .event(
      "sync.opened", .sync, clause: "12.2", "The answer to sync.open.", .answer,
      members: [
        schema, at, vector,
        .required("frontier", .count, "positions below it are no longer known one by one"),
        .required("now", .count, "the hub's clock, in milliseconds since 1970"),
        .required("rank", .integer(1...2), "the rank that stamps of this role have"),
        .required("schemaDigest", .text(), "SHA-256 of the schema, in hexadecimal"),
        .optional("head", head, "where the hub's chain of that replica ends"),
        .optional("retired", .flag, "that replica may write no more; a snapshot follows"),
      ],
      example: """
        {"type":"sync.opened","of":"sync.open","schema":"todoTimers","at":0,"vector":{},\
        "frontier":0,"now":978307200000,"rank":2,"schemaDigest":"9f…"}
        """),
    .event(
      "sync.ops", .sync, clause: "12.3", "Operations of others, in the order of the hub's log.",
      members: [schema, .required("ops", .list(.any), "in canonical form"), at],
      example: #"{"type":"sync.ops","schema":"todoTimers","ops":[{"actions":["…"]}],"at":1}"#),
    .event(
      "sync.snapshot", .sync, clause: "12.3", "A piece of what the log amounts to up to at.",
      members: [
        schema, .required("piece", .any, "in canonical form"),
        .required("index", .count, "which piece, from 0"), last, at,
      ],
      example: """
        {"type":"sync.snapshot","schema":"todoTimers","piece":{},"index":0,"last":true,"at":90}
        """),
    .event(
      "sync.changed", .sync, clause: "12.5",
      "Records changed; for who opened without a replica.",
      members: [
        schema, .required("by", .name, "the device that wrote"),
        .required(
          "records",
          .list(
            .object([
              .required("kind", .text(), "its kind"), .required("record", .text(), "its id"),
            ])), "what changed"),
        at,
      ],
      example: """
        {"type":"sync.changed","schema":"todoTimers","by":"watch",\
        "records":[{"kind":"timer","record":"B5C20E1A-0000-4000-8000-000000000001"}],"at":2}
        """),
    .event(
      "sync.accepted", .sync, clause: "12.4", "All operations of the push are on disk.", .answer,
      members: [schema, at, vector, .required("head", head, "of the replica that pushed")],
      example: """
        {"type":"sync.accepted","re":1,"schema":"todoTimers","at":3,"vector":{},\
        "head":{"seq":"3","hash":"5a…"}}
        """),
    .event(
      "sync.retime", .sync, clause: "12.4",
      "A stamp is not of this time: nothing was taken; correct the clock and push again.", .answer,
      members: [
        schema, .required("now", .count, "the hub's clock, in milliseconds since 1970"),
        .required("stamp", .text(), "the first stamp at fault"),
        .required("head", head, "the last operation that was accepted"),
        .required("code", .integer(4040...4040), "clockAhead"),
        .required("message", .text(), "one sentence for a person"),
      ],
      example: """
        {"type":"sync.retime","re":1,"schema":"todoTimers","now":978307200000,\
        "stamp":"978310800000.2.0","head":{"seq":"0","hash":""},"code":4040,\
        "message":"the clock is 3600 s ahead of the hub's"}
        """),
    .event(
      "sync.edited", .sync, clause: "12.6", "The record as it is after the edit.", .answer,
      members: [
        schema, .required("kind", .text(), "its kind"), .required("id", .text(), "its id"),
        .required("record", .any, "the merged record; null where it is hidden"),
        .required("outcomes", .list(outcome), "what this edit lost to, or won against, unseen"),
        at, short,
      ],
      example: """
        {"type":"sync.edited","re":1,"schema":"todoTimers","kind":"timer",\
        "id":"B5C20E1A-0000-4000-8000-000000000001","record":{"name":"Tea"},"outcomes":[],\
        "at":1,"vector":"phone:1"}
        """),
    .event(
      "sync.records", .sync, clause: "12.5", "The merged records of one kind.", .answer,
      members: [
        schema, .required("kind", .text(), "which"),
        .required("records", .list(.map(.any)), "in their order"), at, short, last,
      ],
      example: """
        {"type":"sync.records","re":1,"schema":"todoTimers","kind":"timer","records":[],"at":0,\
        "vector":"","last":true}
        """),
    .event(
      "sync.feed", .sync, clause: "12.7", "What lost and is kept.", .answer,
      members: [
        schema,
        .required(
          "entries",
          .list(
            .object([
              .required("kind", .text(), "the record's kind"),
              .required("record", .text(), "the record's id"),
              .optional("field", .text(), "the field or group; left out for a delete"),
              .optional("lost", .any, "the value that lost"),
              .required("by", .text(), "the device that wrote it"),
              .required("to", .text(), "the device that it lost to"),
              .required("sentence", .text(), "the same for a person"),
            ])), "by time, oldest first"), at, last,
      ],
      example: #"{"type":"sync.feed","re":1,"schema":"todoTimers","entries":[],"at":2,"last":true}"#
    ),
    .event(
      "sync.digests", .sync, clause: "12.8", "What two replicas compare.", .answer,
      members: [
        schema, at, vector, .required("heads", .map(head), "by replica"),
        .required("schemaDigest", .text(), "SHA-256 of the schema"),
        .required("viewDigest", .text(), "SHA-256 of the canonical view"),
      ],
      example: """
        {"type":"sync.digests","re":1,"schema":"todoTimers","at":0,"vector":{},"heads":{},\
        "schemaDigest":"9f…","viewDigest":"44…"}
        """),
    .event(
      "sync.frontier", .sync, clause: "12.9",
      "Seal: use nothing that was dead at this position as a place for new text any more.",
      members: [
        schema, at,
        .required("vector", .map(.text()), "what had been taken in at that position"),
      ],
      example: #"{"type":"sync.frontier","schema":"todoTimers","at":40,"vector":{}}"#),
    .event(
      "sync.purge", .sync, clause: "12.9", "Collect what was dead, here in the log.",
      members: [
        schema, .required("frontier", .map(.text()), "what every device had sealed"),
        .required("horizon", .count, "kept from here on, in milliseconds since 1970"), at,
      ],
      example: """
        {"type":"sync.purge","schema":"todoTimers","frontier":{},"horizon":978307200000,"at":41}
        """),
  ]
}
