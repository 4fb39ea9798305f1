/// What a device may ask of the server: the `type` of a line that goes to it.
///
/// The names of the lanes' requests are WCSession's own.
package enum Request: String, CaseIterable, Sendable {
  // Session
  case activate, deactivate, selectWatch, setAppState, setDeviceState, configure, hold, release
  case forgetPair, getState
  // Lanes
  case sendMessage, sendMessageData, reply
  case updateApplicationContext
  case transferUserInfo, transferCurrentComplicationUserInfo
  case transferFile, fileChunk
  case acknowledge, refuse, cancelTransfer, outstandingTransfers
  // The merged replica
  case syncOpen = "sync.open"
  case syncPush = "sync.push"
  case syncEdit = "sync.edit"
  case syncRestore = "sync.restore"
  case syncView = "sync.view"
  case syncConflicts = "sync.conflicts"
  case syncDigest = "sync.digest"
  case syncAcknowledge = "sync.acknowledge"
  // The connection and the server
  case ping, help, quit, advance, authenticate
  // The operator
  case stats, listPairs, listDevices, kick, tail

  /// Position in `allCases`.
  package var index: Int { Int(unsafeBitCast(self, to: UInt8.self)) }

  /// The name as UTF-8, in memory that is never freed.
  package var text: UnsafeRawBufferPointer { Self.texts.base[index] }

  private struct Texts: @unchecked Sendable {
    let base: UnsafePointer<UnsafeRawBufferPointer>
  }

  private static let texts: Texts = {
    let texts = UnsafeMutablePointer<UnsafeRawBufferPointer>.allocate(capacity: allCases.count)
    for request in allCases {
      let name = Array(request.rawValue.utf8)
      let text = UnsafeMutableRawBufferPointer.allocate(byteCount: name.count, alignment: 1)
      text.copyBytes(from: name)
      (texts + request.index).initialize(to: UnsafeRawBufferPointer(text))
    }
    return Texts(base: texts)
  }()

  /// The request with these bytes as its name; nil when there is none, or when its name has more
  /// than 32 bytes.
  package init?(name: UnsafeRawBufferPointer) {
    guard let base = name.baseAddress,
      let index = NameTable.requests.find(
        base.assumingMemoryBound(to: UInt8.self), from: 0, to: name.count, limit: name.count)
    else { return nil }
    self = unsafeBitCast(index, to: Request.self)
  }
}
