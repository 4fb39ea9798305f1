/// The number of an `error` line. 7001-7019 are WCError's; 4000-4999 are Watchline's own.
///
/// Source of the WCError numbers: the annotations of Apple's public header `WCError.h`.
package enum ErrorCode: Int, CaseIterable, Sendable {
  case malformedJSON = 4001
  case unknownType = 4002
  case missingField = 4003
  case invalidField = 4004
  case lineTooLong = 4005
  case unknownTransfer = 4006
  case sequenceGap = 4007
  case overloaded = 4008
  case alreadyDelivered = 4009
  case unauthorized = 4010
  case tooManyConnections = 4011
  case replicaRetired = 4012

  // What the rules of schemas say about records.
  case invalidRecord = 4020
  case emptyName = 4021
  case invalidDuration = 4022
  case durationTooLong = 4023
  case emptyText = 4024
  case invalidIncrement = 4025
  case taskNotRunning = 4026
  case invalidClient = 4027
  case invalidProject = 4028
  case clockAhead = 4040

  case genericError = 7001
  case sessionNotSupported = 7002
  case sessionMissingDelegate = 7003
  case sessionNotActivated = 7004
  case deviceNotPaired = 7005
  case watchAppNotInstalled = 7006
  case notReachable = 7007
  case invalidParameter = 7008
  case payloadTooLarge = 7009
  case payloadUnsupportedTypes = 7010
  case messageReplyFailed = 7011
  case messageReplyTimedOut = 7012
  case fileAccessDenied = 7013
  case deliveryFailed = 7014
  case insufficientSpace = 7015
  case sessionInactive = 7016
  case transferTimedOut = 7017
  case companionAppNotInstalled = 7018
  case watchOnlyApp = 7019

  /// The name that goes with the number on the wire.
  package var name: String { "\(self)" }
}
