public import Foundation
import WatchlineDevices
import Wire

/// The session between an app and its counterpart, as WatchConnectivity has it.
///
/// Its device is the one whose app's code runs (`WatchPair`'s `run`, or a callback of its delegate); else the phone of
/// a pair that all of the process shares.
open class WCSession: NSObject {
  let device: LinkDevice
  private weak var receiver: SessionReceiver?
  /// A delegate has no method for messages that expect a reply; set by the default one.
  var lacksReplyVariant = false
  private var calls: [UInt64: Handlers] = [:]
  private var transfers: [UInt64: AnyObject] = [:]
  var observers = Observers()

  private struct Handlers {
    var reply: (([String: Any]) -> Void)?
    var data: ((Data) -> Void)?
    var error: ((any Error) -> Void)?
  }

  @available(*, unavailable, message: "use WCSession.default")
  public override init() { fatalError("WCSession has no init") }

  init(_ device: LinkDevice) {
    self.device = device
    super.init()
    // An app's Documents and Caches are always there, and app code writes what it transfers there.
    for folder in [FileManager.SearchPathDirectory.documentDirectory, .cachesDirectory] {
      for url in FileManager.default.urls(for: folder, in: .userDomainMask) {
        try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      }
    }
  }

  /// The session of the running app.
  open class var `default`: WCSession { session(of: .ofCode(isPhone: isPhoneFlavour)) }

  /// The session of a device's running app.
  private class func session(of device: LinkDevice) -> WCSession {
    device.session(of: SessionReceiver.self) {
      let session = WCSession(device)
      let receiver = SessionReceiver(session)
      session.receiver = receiver
      return receiver
    }.session
  }

  #if WATCHLINE_PHONE
    private class var isPhoneFlavour: Bool? { true }
  #elseif WATCHLINE_WATCH
    private class var isPhoneFlavour: Bool? { false }
  #else
    private class var isPhoneFlavour: Bool? { nil }
  #endif

  /// Whether this device can have a session: always.
  open class func isSupported() -> Bool { true }

  // MARK: Its state

  open weak var delegate: (any WCSessionDelegate)?

  /// Asks for activation; `activationDidCompleteWith` is the first thing that the delegate is told.
  open func activate() {
    guard let receiver else { return }
    device.activate(receiver, hasDelegate: delegate != nil)
  }

  /// The only property that is valid in every state.
  open var activationState: WCSessionActivationState {
    WCSessionActivationState(rawValue: device.facts.activationState) ?? .notActivated
  }

  private var activated: DeviceFacts? {
    device.facts.activationState == 0 ? nil : device.facts
  }

  open var isReachable: Bool {
    activated != nil && device.pretendedReachability ?? device.facts.isReachable
  }
  /// Whether something has come that the delegate has not been given.
  open var hasContentPending: Bool { activated != nil && device.hasContentPending }

  #if !WATCHLINE_WATCH
    open var isPaired: Bool { activated?.isPaired ?? false }
    open var isWatchAppInstalled: Bool { activated?.isWatchAppInstalled ?? false }
    open var isComplicationEnabled: Bool { activated?.isComplicationEnabled ?? false }
    open var remainingComplicationUserInfoTransfers: Int {
      activated == nil ? 0 : device.remainingComplications
    }
    /// A folder of the active watch's; nil where there is none.
    open var watchDirectoryURL: URL? {
      activated.flatMap { $0.isPaired ? device.watchDirectory : nil }
    }
  #else
    @available(*, unavailable, message: "isPaired is the phone's")
    open var isPaired: Bool { false }
    @available(*, unavailable, message: "isWatchAppInstalled is the phone's")
    open var isWatchAppInstalled: Bool { false }
    @available(*, unavailable, message: "isComplicationEnabled is the phone's")
    open var isComplicationEnabled: Bool { false }
    @available(*, unavailable, message: "remainingComplicationUserInfoTransfers is the phone's")
    open var remainingComplicationUserInfoTransfers: Int { 0 }
    @available(*, unavailable, message: "watchDirectoryURL is the phone's")
    open var watchDirectoryURL: URL? { nil }
  #endif
  #if !WATCHLINE_PHONE
    open var isCompanionAppInstalled: Bool {
      activated?.isCompanionAppInstalled ?? false
    }
    open var iOSDeviceNeedsUnlockAfterRebootForReachability: Bool {
      activated != nil && device.needsUnlock
    }
  #else
    @available(*, unavailable, message: "isCompanionAppInstalled is the watch's")
    open var isCompanionAppInstalled: Bool { false }
    @available(
      *, unavailable, message: "iOSDeviceNeedsUnlockAfterRebootForReachability is the watch's"
    )
    open var iOSDeviceNeedsUnlockAfterRebootForReachability: Bool { false }
  #endif

  // MARK: Messages

  open func sendMessage(
    _ message: [String: Any], replyHandler: (([String: Any]) -> Void)?,
    errorHandler: ((any Error) -> Void)? = nil
  ) {
    do {
      send(try Payload.json(message), Handlers(reply: replyHandler, error: errorHandler))
    } catch {
      refuse(errorHandler, error)
    }
  }

  open func sendMessageData(
    _ data: Data, replyHandler: ((Data) -> Void)?, errorHandler: ((any Error) -> Void)? = nil
  ) {
    send(
      Array("\"\(data.base64EncodedString())\"".utf8),
      Handlers(data: replyHandler, error: errorHandler), isData: true)
  }

  private func send(_ payload: [UInt8], _ handlers: Handlers, isData: Bool = false) {
    device.perform {
      let number = device.sendMessage(
        payload, isData: isData, expectsReply: handlers.reply != nil || handlers.data != nil)
      calls[number] = handlers
    }
  }

  private func refuse(_ errorHandler: ((any Error) -> Void)?, _ fault: UnsupportedValue) {
    device.perform {
      let number = device.messageFailed(DeviceError(.payloadUnsupportedTypes, fault.sentence))
      calls[number] = Handlers(error: errorHandler)
    }
  }

  // MARK: Context

  /// - Throws: a `WCError`.
  open func updateApplicationContext(_ applicationContext: [String: Any]) throws {
    let payload: [UInt8]
    do {
      payload = try Payload.json(applicationContext)
    } catch {
      throw WCError(DeviceError(.payloadUnsupportedTypes, error.sentence))
    }
    do {
      try device.updateApplicationContext(payload)
    } catch {
      throw WCError(error)
    }
  }

  open var applicationContext: [String: Any] {
    Payload.dictionary(device.facts.applicationContext)
  }
  open var receivedApplicationContext: [String: Any] {
    activated.map { Payload.dictionary($0.receivedApplicationContext) } ?? [:]
  }

  // MARK: Transfers

  @discardableResult
  open func transferUserInfo(_ userInfo: [String: Any] = [:]) -> WCSessionUserInfoTransfer {
    transfer(userInfo, isComplication: false)
  }

  #if !WATCHLINE_WATCH
    @discardableResult
    open func transferCurrentComplicationUserInfo(
      _ userInfo: [String: Any] = [:]
    ) -> WCSessionUserInfoTransfer { transfer(userInfo, isComplication: true) }
  #else
    @available(*, unavailable, message: "transferCurrentComplicationUserInfo is the phone's")
    @discardableResult
    open func transferCurrentComplicationUserInfo(
      _ userInfo: [String: Any] = [:]
    ) -> WCSessionUserInfoTransfer { transfer(userInfo, isComplication: true) }
  #endif

  private func transfer(
    _ userInfo: [String: Any], isComplication: Bool
  ) -> WCSessionUserInfoTransfer {
    device.perform {
      let number: UInt64
      do {
        number = device.transferUserInfo(
          try Payload.json(userInfo), isComplication: isComplication)
      } catch {
        number = device.transferFailed(
          isComplication ? .complication : .userInfo, "{…}",
          DeviceError(.payloadUnsupportedTypes, (error as? UnsupportedValue)?.sentence ?? ""))
      }
      let transfer = WCSessionUserInfoTransfer(
        userInfo, number, device, isCurrentComplicationInfo: isComplication)
      transfers[number] = transfer
      return transfer
    }
  }

  open var outstandingUserInfoTransfers: [WCSessionUserInfoTransfer] {
    device.perform {
      device.outstanding.compactMap {
        transfer($0, device.sent($0)) as? WCSessionUserInfoTransfer
      }
    }
  }

  @discardableResult
  open func transferFile(_ file: URL, metadata: [String: Any]?) -> WCSessionFileTransfer {
    device.perform {
      let number: UInt64
      var size: Int64 = 0
      do {
        let contents = try Data(contentsOf: file)
        size = Int64(contents.count)
        let metadata = try metadata.map(Payload.json)
        number = device.transferFile(file, contents, metadata: metadata)
      } catch let fault as UnsupportedValue {
        number = device.transferFailed(
          .file, file.lastPathComponent, DeviceError(.payloadUnsupportedTypes, fault.sentence))
      } catch {
        number = device.transferFailed(
          .file, file.lastPathComponent,
          DeviceError(
            .fileAccessDenied, "\(file.path) cannot be read: \(error.localizedDescription)"))
      }
      let transfer = WCSessionFileTransfer(
        WCSessionFile(file, metadata), number, device, size: size)
      transfers[number] = transfer
      return transfer
    }
  }

  open var outstandingFileTransfers: [WCSessionFileTransfer] {
    device.perform {
      device.outstanding.compactMap { transfer($0, device.sent($0)) as? WCSessionFileTransfer }
    }
  }

  // MARK: What it is told

  fileprivate func handle(_ event: DeviceEvent) {
    // A property has changed with the event, before the delegate is told of that; and may as it has been told.
    observers.tell()
    tell(event)
    observers.tell()
  }

  private func tell(_ event: DeviceEvent) {
    let delegate = delegate
    switch event {
    case .activationDidComplete(let error):
      delegate?.session(
        self, activationDidCompleteWith: activationState, error: error.map { WCError($0) })
    case .didBecomeInactive:
      #if !WATCHLINE_WATCH
        delegate?.sessionDidBecomeInactive(self)
      #endif
    case .didDeactivate:
      #if !WATCHLINE_WATCH
        delegate?.sessionDidDeactivate(self)
      #endif
    case .watchStateDidChange:
      #if !WATCHLINE_WATCH
        delegate?.sessionWatchStateDidChange(self)
      #endif
    case .companionAppDidChange:
      #if !WATCHLINE_PHONE
        delegate?.sessionCompanionAppInstalledDidChange(self)
      #endif
    case .reachabilityDidChange: delegate?.sessionReachabilityDidChange(self)
    case .contentIsDrained: break
    case .message(let payload, nil):
      delegate?.session(self, didReceiveMessage: Payload.dictionary(payload))
    case .message(let payload, let id?):
      answer(id) { delegate, once in
        delegate.session(self, didReceiveMessage: Payload.dictionary(payload)) { reply in
          once { self.reply(to: id, reply) }
        }
      }
    case .messageData(let data, nil): delegate?.session(self, didReceiveMessageData: data)
    case .messageData(let data, let id?):
      answer(id) { delegate, once in
        delegate.session(self, didReceiveMessageData: data) { reply in
          once {
            self.device.reply(
              to: id, Array("\"\(reply.base64EncodedString())\"".utf8), isData: true)
          }
        }
      }
    case .applicationContext(let payload):
      delegate?.session(self, didReceiveApplicationContext: Payload.dictionary(payload))
    case .userInfo(let payload):
      delegate?.session(self, didReceiveUserInfo: Payload.dictionary(payload))
    case .file(let url, let metadata):
      delegate?.session(
        self, didReceive: WCSessionFile(url, metadata.map(Payload.dictionary)))
      try? FileManager.default.removeItem(at: url.deletingLastPathComponent())
    case .reply(let number, let result): finish(number, result)
    case .didFinish(let number, let sent, let error):
      finish(number, sent, error.map { WCError($0) })
    case .complicationWasUntagged(let number):
      (device.perform { transfers[number] } as? WCSessionUserInfoTransfer)?
        .isCurrentComplicationInfo = false
    case .progress(let number, let sent):
      (device.perform { transfers[number] } as? WCSessionFileTransfer)?.advance(to: sent)
    }
  }

  private func answer(
    _ id: DeviceEvent.MessageID,
    _ tell: (any WCSessionDelegate, _ once: @escaping (() -> Void) -> Void) -> Void
  ) {
    guard let delegate else { return device.failMessage(id) }
    lacksReplyVariant = false
    var isAnswered = false
    tell(delegate) { [device] body in
      let isFirst = device.perform { () -> Bool in
        defer { isAnswered = true }
        return !isAnswered
      }
      if isFirst { body() }
    }
    if lacksReplyVariant { device.failMessage(id) }
  }

  private func reply(to id: DeviceEvent.MessageID, _ reply: [String: Any]) {
    do {
      device.reply(to: id, try Payload.json(reply), isData: false)
    } catch {
      device.failReply(id)
    }
  }

  private func finish(_ number: UInt64, _ result: Result<DeviceEvent.Reply, DeviceError>) {
    guard let handlers = device.perform({ calls.removeValue(forKey: number) }) else { return }
    switch result {
    case .success(.payload(let payload)): handlers.reply?(Payload.dictionary(payload))
    case .success(.data(let data)): handlers.data?(data)
    case .failure(let error): handlers.error?(WCError(error))
    }
  }

  /// The object of a transfer; of one that an earlier launch of the app made, a new one.
  private func transfer(_ number: UInt64, _ sent: DeviceEvent.SentTransfer?) -> AnyObject? {
    if let known = transfers[number] { return known }
    guard let sent else { return nil }
    let payload = sent.payload.map(Payload.dictionary)
    let made: AnyObject
    if let file = sent.file {
      made = WCSessionFileTransfer(WCSessionFile(file, payload), number, device, size: 0)
    } else {
      made = WCSessionUserInfoTransfer(
        payload ?? [:], number, device, isCurrentComplicationInfo: sent.isComplication)
    }
    transfers[number] = made
    return made
  }

  private func finish(
    _ number: UInt64, _ sent: DeviceEvent.SentTransfer?, _ error: WCError?
  ) {
    let ended = device.perform {
      defer { transfers[number] = nil }
      return transfer(number, sent)
    }
    switch ended {
    case let transfer as WCSessionUserInfoTransfer:
      delegate?.session(self, didFinish: transfer, error: error)
    case let transfer as WCSessionFileTransfer:
      transfer.end(error == nil)
      delegate?.session(self, didFinish: transfer, error: error)
    default: break
    }
  }
}

/// Hands a session what its device tells.
final class SessionReceiver: DeviceSession {
  let session: WCSession

  init(_ session: WCSession) { self.session = session }

  func handle(_ event: DeviceEvent) { session.handle(event) }
}
