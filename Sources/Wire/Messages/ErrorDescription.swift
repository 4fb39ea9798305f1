extension ErrorCode {
  /// When a device gets this error; one sentence.
  package var meaning: String {
    switch self {
    case .malformedJSON: "The line is not one strict JSON object, nor a word with name=value pairs."
    case .unknownType: "There is no request of this type."
    case .missingField: "A member that the request needs is not there."
    case .invalidField: "A member is not what it must be, or does not fit the present state."
    case .lineTooLong: "The line is longer than limit line; it is skipped up to its end."
    case .unknownTransfer: "This device has no unfinished transfer of that name."
    case .sequenceGap: "n of a transfer, or seq of an operation, skips numbers."
    case .overloaded:
      "A bound of the server is reached (limit names it), or its store cannot write."
    case .alreadyDelivered: "The transfer has been handed to the receiver."
    case .unauthorized: "The token does not allow it, or there is none."
    case .tooManyConnections:
      "The server, or the peer's address, has as many connections as it may (limit)."
    case .replicaRetired:
      "The replica may write no more: it was set back, or away for longer than operations are kept."
    case .invalidRecord: "A record breaks a rule of its schema; the message is the rule's."
    case .emptyName: "A name is empty, or only blanks."
    case .invalidDuration: "A duration is not greater than 0."
    case .durationTooLong: "A timer would run for more than 24 hours."
    case .emptyText: "A to-do's text is empty, or only blanks."
    case .invalidIncrement: "A billing increment is none that can be chosen."
    case .taskNotRunning: "A task has an end and no start."
    case .invalidClient: "The client is not there, or has been deleted."
    case .invalidProject: "The project is not there, has been deleted, or is another client's."
    case .clockAhead:
      "A stamp is over 60 s ahead of the server's clock, or of before 2020; sync.retime has it."
    case .genericError: "The receiver refused the item with this code."
    case .sessionNotSupported: "The device has been set to have no sessions (isSupported)."
    case .sessionMissingDelegate: "The session has been set to have no delegate (hasDelegate)."
    case .sessionNotActivated: "The connection has no session."
    case .deviceNotPaired:
      "No counterpart has activated, isPaired is false, or the pair was forgotten."
    case .watchAppNotInstalled: "The app is not on the active watch (isWatchAppInstalled=false)."
    case .notReachable: "A live message needs a reachable counterpart, and there is none."
    case .invalidParameter:
      "The context equals the one last handed out, with the knob identicalContext=throw."
    case .payloadTooLarge: "A payload, or a file, is larger than the knob limits allows."
    case .payloadUnsupportedTypes:
      "A payload holds null or a $ tag that is wrong; the message names the place."
    case .messageReplyFailed: "The receiver replied, but the reply could not be sent."
    case .messageReplyTimedOut: "No reply came in time."
    case .fileAccessDenied: "The receiver refused the file with this code."
    case .deliveryFailed:
      "The receiver went, was full, has no reply handler or complication; a file's digest differs."
    case .insufficientSpace: "The receiver refused the item with this code."
    case .sessionInactive: "The phone's watch is being switched."
    case .transferTimedOut: "An upload got no chunk for as long as the knob uploadIdle."
    case .companionAppNotInstalled: "The app is not on the phone (isCompanionAppInstalled=false)."
    case .watchOnlyApp: "The watch app has been set to have no phone app (isWatchOnlyApp=true)."
    }
  }

  /// What to do about it; one sentence.
  package var remedy: String {
    switch self {
    case .malformedJSON: "Correct the line at the byte that the message names."
    case .unknownType: "Use the word that the message suggests, or type help."
    case .missingField: "Add the member that the message names."
    case .invalidField: "Correct the member that the message names."
    case .lineTooLong: "Send less in a line; cut files into smaller chunks."
    case .unknownTransfer: "Look at outstandingTransfers; what it does not list has finished."
    case .sequenceGap: "Go on with the number that the message names."
    case .overloaded:
      "Have the receiver acknowledge, or try again later; where not definite, with the same n."
    case .alreadyDelivered: "Wait for its didFinish… line."
    case .unauthorized: "Show a token that allows it, such as: authenticate token=wl1_…"
    case .tooManyConnections: "Try again later."
    case .replicaRetired:
      "Take a new incarnation, open the schema again, and issue anew what is not here."
    case .invalidRecord: "Correct the field that the message speaks of."
    case .emptyName: "Give it a name."
    case .invalidDuration: "Use at least one second."
    case .durationTooLong: "Use at most 86400 seconds."
    case .emptyText: "Give it a text."
    case .invalidIncrement: "Use 1, 5, 10, 15, 30 or 60 minutes, or 0 for none."
    case .taskNotRunning: "Write startTime and endTime together."
    case .invalidClient: "Name a client that sync.view shows."
    case .invalidProject: "Name a project of the same client."
    case .clockAhead: "Correct the clock by the time in the answer, and stamp anew."
    case .genericError: "Ask the receiver."
    case .sessionNotSupported: "setDeviceState isSupported=true"
    case .sessionMissingDelegate: "setDeviceState hasDelegate=true"
    case .sessionNotActivated: "Send activate first."
    case .deviceNotPaired: "Activate the counterpart, or setDeviceState isPaired=true"
    case .watchAppNotInstalled: "setDeviceState isWatchAppInstalled=true"
    case .notReachable: "Wait for sessionReachabilityDidChange, or use a lane that waits."
    case .invalidParameter: "Send another context, or configure identicalContext=drop."
    case .payloadTooLarge: "Send less, or a file; or configure limits."
    case .payloadUnsupportedTypes: "Leave null out; write data and dates with their tags."
    case .messageReplyFailed: "Take it that the message was processed."
    case .messageReplyTimedOut: "Take it that the message may have been processed."
    case .fileAccessDenied: "Ask the receiver."
    case .deliveryFailed: "Send it again; where it is not definite, it may have been processed."
    case .insufficientSpace: "Send it again when the receiver has room."
    case .sessionInactive: "Activate again after sessionDidDeactivate."
    case .transferTimedOut: "Send the file again."
    case .companionAppNotInstalled: "setDeviceState isCompanionAppInstalled=true"
    case .watchOnlyApp: "setDeviceState isWatchOnlyApp=false"
    }
  }
}
