public import Foundation
import WatchlineDevices
import Wire

/// Why something did not happen; Apple's codes, and beside them a sentence in `localizedDescription`.
///
/// Source of the numbers: the annotations of Apple's public header `WCError.h`.
public struct WCError: CustomNSError, LocalizedError, Hashable, Sendable {
  /// What went wrong, 7001 to 7019.
  @nonexhaustive
  public enum Code: Int, Sendable {
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

    /// Whether an error is a WCError of this code.
    public static func ~= (code: Code, error: any Error) -> Bool {
      (error as? WCError)?.code == code
    }
  }

  public let code: Code
  /// A sentence that a person can act on: it names the key path, the size or the state.
  public let sentence: String

  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    self.code = code
    sentence = userInfo[NSLocalizedDescriptionKey] as? String ?? "\(code)"
  }

  init(_ code: Code, _ sentence: String) {
    self.code = code
    self.sentence = sentence
  }

  init(_ error: DeviceError) {
    let code =
      Code(rawValue: error.code.rawValue)
      ?? {
        switch error.code {
        case .lineTooLong: .payloadTooLarge
        case .invalidField, .missingField, .malformedJSON: .invalidParameter
        case .overloaded: .insufficientSpace
        default: .genericError
        }
      }()
    self.init(code, "\(code): \(error.sentence)")
  }

  public static var errorDomain: String { WCErrorDomain }
  public var errorCode: Int { code.rawValue }
  public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: sentence] }
  public var errorDescription: String? { sentence }
  public var userInfo: [String: Any] { errorUserInfo }
  public var localizedDescription: String { sentence }

  public static var genericError: Code { .genericError }
  public static var sessionNotSupported: Code { .sessionNotSupported }
  public static var sessionMissingDelegate: Code { .sessionMissingDelegate }
  public static var sessionNotActivated: Code { .sessionNotActivated }
  public static var deviceNotPaired: Code { .deviceNotPaired }
  public static var watchAppNotInstalled: Code { .watchAppNotInstalled }
  public static var notReachable: Code { .notReachable }
  public static var invalidParameter: Code { .invalidParameter }
  public static var payloadTooLarge: Code { .payloadTooLarge }
  public static var payloadUnsupportedTypes: Code { .payloadUnsupportedTypes }
  public static var messageReplyFailed: Code { .messageReplyFailed }
  public static var messageReplyTimedOut: Code { .messageReplyTimedOut }
  public static var fileAccessDenied: Code { .fileAccessDenied }
  public static var deliveryFailed: Code { .deliveryFailed }
  public static var insufficientSpace: Code { .insufficientSpace }
  public static var sessionInactive: Code { .sessionInactive }
  public static var transferTimedOut: Code { .transferTimedOut }
  public static var companionAppNotInstalled: Code { .companionAppNotInstalled }
  public static var watchOnlyApp: Code { .watchOnlyApp }
}

public let WCErrorDomain = "WCErrorDomain"
