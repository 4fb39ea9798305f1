package import Foundation
package import Wire

/// Why something did not happen: a number of WCError's, and a sentence.
package struct DeviceError: Error, Equatable {
  package var code: ErrorCode
  package var sentence: String

  package init(_ code: ErrorCode, _ sentence: String) {
    self.code = code
    self.sentence = sentence
  }
}

/// Something that the session of an app is told, in the order in which it is told.
package enum DeviceEvent {
  case activationDidComplete(DeviceError?)
  case didBecomeInactive
  case didDeactivate
  case watchStateDidChange
  case companionAppDidChange
  case reachabilityDidChange
  case contentIsDrained
  /// - Parameter reply: nil where none is expected.
  case message([UInt8], reply: MessageID?)
  case messageData(Data, reply: MessageID?)
  case applicationContext([UInt8])
  case userInfo([UInt8])
  /// - Parameter at: in the inbox; deleted when the session has returned.
  case file(at: URL, metadata: [UInt8]?)
  case reply(to: UInt64, Result<Reply, DeviceError>)
  /// - Parameter sent: nil for one that could not be made.
  case didFinish(UInt64, sent: SentTransfer?, DeviceError?)
  case progress(UInt64, sent: Int64)
  /// A complication transfer goes as ordinary user info.
  case complicationWasUntagged(UInt64)

  /// What an app has handed over, so that one that was started since can be told of it.
  package struct SentTransfer: Sendable {
    /// Whether it is the current complication info.
    package var isComplication = false
    /// A user info's dictionary, or a file's metadata.
    package var payload: [UInt8]?
    /// Where a file lay; nil for a user info.
    package var file: URL?
  }

  package enum Reply {
    case payload([UInt8])
    case data(Data)
  }

  package struct MessageID: Hashable {
    let text: String
  }
}

/// What the session of an app shows of its device. It changes with the events, just before they are told.
package struct DeviceFacts: Equatable {
  package var activationState = 0
  package var isReachable = false
  package var isPaired = false
  package var isWatchAppInstalled = false
  package var isComplicationEnabled = false
  package var isCompanionAppInstalled = false
  package var iOSDeviceNeedsUnlock = false
  package var applicationContext: [UInt8] = Array("{}".utf8)
  package var receivedApplicationContext: [UInt8] = Array("{}".utf8)
}

/// The session of an app's: what a device tells its running app.
package protocol DeviceSession: AnyObject {
  /// Called on the device's queue, one event at a time.
  func handle(_ event: DeviceEvent)
}
