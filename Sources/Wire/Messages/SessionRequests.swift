extension MessageDescription {
  /// What a device says about itself and its pair.
  static let sessionRequests: [MessageDescription] = [
    .request(
      .activate, .session, clause: "4.1",
      "Begins the session of a device; only ping, help, advance, authenticate and quit go without it.",
      session: "WCSession.activate()",
      members: [
        .required("pair", .name, "names the phone and its watches; use the same on both"),
        .required("role", .role, "what this device is"),
        .optional("device", .name, "its name; a second watch needs one", standard: "the role"),
        .optional("app", .name, "apps are separate worlds", standard: "\"default\""),
        .optional(
          "incarnation", .text(0...64),
          "a new one after the device lost its storage: n starts again at 1", standard: "\"\""),
        .optional(
          "acknowledge", .words(["manual", "automatic"]),
          "automatic: the server acknowledges what the device's kernel has confirmed",
          standard: "\"manual\""),
        .optional(
          "received", .either([.count, .eachLane(.count, isRequired: false)]),
          "last seq processed in each lane; an integer means userInfo"),
        .optional("store", .text(), "the store that received is of; of another it is ignored"),
        .optional("files", .map(.count), "bytes held of each unfinished download, by transfer"),
        .optional(
          "bridge", .text(),
          "a schema: the hub takes its whole records, and sends it what others change"),
        .optional("protocol", .integer(1...1), "the version spoken", standard: "1"),
        .optional(
          "token", .text(), "who this is, on a server that asks", standard: "the connection's"),
      ],
      answers: [
        ("activationDidComplete", "once what the device had under way is on disk"),
        ("didReceive…", "for all that waits, after that"),
      ],
      delivers: [
        "sessionReachabilityDidChange", "sessionWatchStateDidChange",
        "sessionCompanionAppInstalledDidChange",
      ],
      errors: [.missingField, .invalidField, .overloaded, .unauthorized],
      example: "activate pair=demo role=phone"),
    .request(
      .deactivate, .session, clause: "4.2", "Ends the session; the connection may activate again.",
      answers: [("sessionDidDeactivate", "with reason deactivated")],
      delivers: ["sessionReachabilityDidChange"], errors: [.sessionNotActivated],
      example: "deactivate"),
    .request(
      .getState, .session, clause: "4.1", "Shows the session, its lanes, the pair and its knobs.",
      session: "WCSession's properties", answers: [("state", "at once")],
      errors: [.sessionNotActivated], example: "getState"),
    .request(
      .setAppState, .session, clause: "4.4", "Says in which state this device's app is.",
      members: [.required("state", .appState, "an activation starts in foreground")],
      delivers: ["sessionReachabilityDidChange"],
      errors: [.missingField, .invalidField, .sessionNotActivated],
      example: "setAppState state=background"),
    .request(
      .setDeviceState, .session, clause: "4.6",
      "Sets facts that WatchConnectivity reports or fails on.",
      members: [
        .optional("isPaired", .boolean, "the phone's: it is paired with the watch"),
        .optional("isLocked", .boolean, "the phone's: not unlocked since it started"),
        .optional("isCompanionAppInstalled", .boolean, "the phone's: its app is installed"),
        .optional("isWatchAppInstalled", .boolean, "the watch's: its app is installed"),
        .optional("isComplicationEnabled", .boolean, "the watch's: complication on its face"),
        .optional("isWatchOnlyApp", .boolean, "the watch's: its app has no phone app"),
        .optional("isSupported", .boolean, "this device's: it has sessions at all"),
        .optional("hasDelegate", .boolean, "this device's: its session has a delegate"),
        .optional("hasReplyDelegate", .boolean, "this device's: it takes messages with reply"),
      ],
      answers: [("accepted", "once it is on disk")],
      delivers: [
        "sessionWatchStateDidChange", "sessionCompanionAppInstalledDidChange",
        "sessionReachabilityDidChange",
      ],
      errors: [.invalidField, .overloaded, .sessionNotActivated, .deviceNotPaired],
      example: "setDeviceState isWatchAppInstalled=false"),
    .request(
      .selectWatch, .session, clause: "4.5", "Switches the phone to another watch of its pair.",
      members: [.required("device", .name, "the watch's device name")],
      answers: [
        ("sessionDidBecomeInactive", "at once, where the watch is another"),
        ("accepted", "once it is on disk"),
        ("sessionDidDeactivate", "with reason watchSwitched; then activate again"),
      ],
      delivers: ["sessionReachabilityDidChange"],
      errors: [
        .missingField, .invalidField, .overloaded, .sessionNotActivated, .sessionInactive,
      ],
      example: "selectWatch device=watch2"),
    .request(
      .configure, .session, clause: "8", "Sets the pair's knobs; help knobs explains them.",
      members: KnobDescription.all.map(\.member) + [
        .optional(
          "knobs", .object(KnobDescription.all.map(\.member)),
          "the same one level down; here an unknown name is an error")
      ],
      answers: [("configured", "with all knobs, once it is on disk")],
      errors: [.invalidField, .overloaded, .sessionNotActivated, .unauthorized],
      example: "configure replyTimeout=10 identicalContext=deliver"),
    .request(
      .forgetPair, .session, clause: "4.7", "Unpairs: all queues are emptied, all sessions end.",
      members: [
        .optional(
          "erase", .boolean, "all that the server has of the pair goes, its records as well",
          standard: "false")
      ],
      answers: [
        ("sessionDidDeactivate", "with reason forgotten, at once"),
        ("accepted", "once it is on disk"),
      ],
      delivers: ["sessionDidDeactivate"],
      errors: [.invalidField, .overloaded, .sessionNotActivated, .unauthorized],
      example: "forgetPair"),
  ]
}
