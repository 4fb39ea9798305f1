extension MessageDescription {
  /// WCSession's properties and the state of the device's queues, as an activation and `getState`
  /// tell them.
  private static let sessionMembers: [MemberDescription] = [
    .required("device", .name, "this device's name"),
    .required("role", .role, "what it is"),
    .required("activationState", .integer(0...2), "0 notActivated, 1 inactive, 2 activated"),
    .required("isReachable", .boolean, "whether a live message would be delivered"),
    .required("isPaired", .boolean, "both roles have activated, and the phone is set to be paired"),
    .optional("isWatchAppInstalled", .boolean, "to a phone: of the active watch"),
    .optional("isComplicationEnabled", .boolean, "to a phone: of the active watch"),
    .optional(
      "remainingComplicationUserInfoTransfers", .count, "to a phone: of today's budget"),
    .optional("activeWatch", .name, "to a phone: the watch that its session is attached to"),
    .optional("isActiveWatch", .boolean, "to a watch: the phone's session is attached to it"),
    .optional("isCompanionAppInstalled", .boolean, "to a watch: of the phone"),
    .optional(
      "iOSDeviceNeedsUnlockAfterRebootForReachability", .boolean, "to a watch: isLocked"),
    .required("hasContentPending", .boolean, "something waits, or is not acknowledged"),
    .required("applicationContext", .dictionary, "what this device last set"),
    .required("receivedApplicationContext", .dictionary, "what it was last handed"),
    .required("n", .count, "the last n accepted of this incarnation"),
    .required("outstanding", .count, "its transfers that have not finished"),
    .required(
      "pending", .eachLane(.count, isRequired: true), "what waits for it or is not acknowledged"),
  ]

  /// The lines about sessions.
  static let sessionEvents: [MessageDescription] = [
    .event(
      "activationDidComplete", .session, clause: "4.1",
      "The session is there, with all that a device needs to go on.",
      session: "session(_:activationDidCompleteWith:error:)", .answer,
      members: sessionMembers + [
        .required("session", .text(), "names this session"),
        .required("store", .text(), "names the store whose numbers these are"),
        .optional(
          "mayHaveMissedDidFinish", .flag,
          "a didFinish… without seq may have been lost: ask outstandingTransfers"),
        .required("protocol", .integer(1...1), "the version spoken"),
        .required(
          "limits",
          .object([
            .required("line", .count, "the longest line"),
            .required("message", .count, "the largest message"),
            .required("userInfo", .count, "the largest user info"),
            .required("context", .count, "the largest context"),
            .required("file", .count, "the largest file"),
          ]), "in bytes; 0 for no bound"),
      ],
      example: """
        {"type":"activationDidComplete","of":"activate","device":"watch","role":"watch",\
        "session":"s1.2","store":"7d0f2c6a","activationState":2,"isReachable":true,\
        "isPaired":true,"isActiveWatch":true,"isCompanionAppInstalled":true,\
        "iOSDeviceNeedsUnlockAfterRebootForReachability":false,"hasContentPending":false,\
        "applicationContext":{},"receivedApplicationContext":{},"n":0,"outstanding":0,\
        "pending":{"userInfo":0,"complication":0,"context":0,"file":0,"outcome":0},\
        "protocol":1,"limits":{"line":1048576,"message":65536,"userInfo":65536,\
        "context":262144,"file":0}}
        """),
    .event(
      "sessionDidDeactivate", .session, clause: "4.2",
      "The session has ended; after replaced, revoked, expired and kicked the connection is closed too.",
      session: "sessionDidDeactivate(_:)", .answerWhereKnown,
      members: [
        .required(
          "reason",
          .words([
            "deactivated", "replaced", "watchSwitched", "forgotten", "revoked", "expired",
            "kicked",
          ]), "why")
      ],
      example: #"{"type":"sessionDidDeactivate","reason":"replaced"}"#),
    .event(
      "sessionDidBecomeInactive", .session, clause: "4.5",
      "The phone's watch is being switched: it cannot send, what had waited still comes.",
      session: "sessionDidBecomeInactive(_:)",
      example: #"{"type":"sessionDidBecomeInactive"}"#),
    .event(
      "sessionReachabilityDidChange", .session, clause: "4.3",
      "A live message would now be delivered, or no longer.",
      session: "sessionReachabilityDidChange(_:)",
      members: [.required("isReachable", .boolean, "the new value")],
      example: #"{"type":"sessionReachabilityDidChange","isReachable":true}"#),
    .event(
      "sessionWatchStateDidChange", .session, clause: "4.6",
      "Something that the phone can know of its watch has changed.",
      session: "sessionWatchStateDidChange(_:)",
      members: [
        .required("isPaired", .boolean, "the new value"),
        .required("isWatchAppInstalled", .boolean, "the new value"),
        .required("isComplicationEnabled", .boolean, "the new value"),
      ],
      example: """
        {"type":"sessionWatchStateDidChange","isPaired":true,"isWatchAppInstalled":false,\
        "isComplicationEnabled":true}
        """),
    .event(
      "sessionCompanionAppInstalledDidChange", .session, clause: "4.6",
      "The app on the watch's phone has come or gone.",
      session: "sessionCompanionAppInstalledDidChange(_:)",
      members: [.required("isCompanionAppInstalled", .boolean, "the new value")],
      example:
        #"{"type":"sessionCompanionAppInstalledDidChange","isCompanionAppInstalled":false}"#),
    .event(
      "appStateDidChange", .session, clause: "4.4",
      "The system has launched, woken or ended this device's app.",
      session: "WKWatchConnectivityRefreshBackgroundTask, or a launch in the background",
      members: [
        .required("state", .appState, "the new state"),
        .required(
          "reason", .words(["message", "transfer", "backgroundTaskBudget"]), "what caused it"),
      ],
      example: #"{"type":"appStateDidChange","state":"background","reason":"transfer"}"#),
    .event(
      "hasContentPendingDidChange", .session, clause: "4.4",
      "All that waited when the app began to run is acknowledged.",
      session: "WCSession.hasContentPending, observed",
      members: [.required("hasContentPending", .boolean, "false")],
      example: #"{"type":"hasContentPendingDidChange","hasContentPending":false}"#),
    .event(
      "state", .session, clause: "4.1", "The answer to getState.", .answer,
      members: sessionMembers + [
        .required("pair", .name, "the pair's name"),
        .required("app", .name, "the app's name"),
        .required("appState", .appState, "in which state this device's app is"),
        .required("lanes", laneStates, "what this device receives"),
        .required(
          "devices",
          .list(
            .object([
              .required("device", .name, "its name"),
              .required("role", .role, "what it is"),
              .required("isConnected", .boolean, "whether it has a session"),
            ])), "all of the pair"),
        .required("knobs", knobs, "the pair's knobs"),
      ],
      example: stateExample),
    .event(
      "configured", .session, clause: "8", "The answer to configure: the pair's knobs as they are.",
      .answer, members: [.required("knobs", knobs, "all of them")],
      example: #"{"type":"configured","of":"configure","knobs":"# + knobsExample + "}"),
  ]

  /// Each lane of a device, as the server tells it.
  static let laneStates = MemberType.eachLane(
    .object([
      .required("waiting", .count, "waiting or not acknowledged"),
      .required("handedOut", .count, "the last seq handed out"),
      .required("acknowledged", .count, "the last seq acknowledged"),
      .required("isHeld", .boolean, "whether hold stops it"),
    ]), isRequired: true)

  /// All knobs, as the server tells them.
  private static let knobs = MemberType.object(
    KnobDescription.all.map { knob in
      var member = knob.member
      member.isRequired = true
      if case .object(let parts) = member.type {
        member.type = .object(parts.map { .required($0.name, $0.type, $0.summary) })
      }
      return member
    })

  private static let knobsExample =
    "{"
    + KnobDescription.all.map { "\"\($0.key.rawValue)\":\($0.standard)" }.joined(separator: ",")
    + "}"

  private static let stateExample =
    """
    {"type":"state","of":"getState","pair":"demo","app":"default","device":"phone",\
    "role":"phone","appState":"foreground","activationState":2,"isReachable":false,\
    "isPaired":false,"isWatchAppInstalled":false,"isComplicationEnabled":false,\
    "remainingComplicationUserInfoTransfers":0,"hasContentPending":false,\
    "applicationContext":{},"receivedApplicationContext":{},"n":0,"outstanding":0,\
    "pending":{"userInfo":0,"complication":0,"context":0,"file":0,"outcome":0},"lanes":{
    """
    + MemberType.lanes.map {
      "\"\($0)\":{\"waiting\":0,\"handedOut\":0,\"acknowledged\":0,\"isHeld\":false}"
    }.joined(separator: ",")
    + #"},"devices":[{"device":"phone","role":"phone","isConnected":true}],"knobs":"#
    + knobsExample + "}"
}
