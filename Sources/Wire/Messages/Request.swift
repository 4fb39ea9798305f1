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
  case ping, help, quit, advance

  /// The request with these bytes as its name; nil when there is none.
  package init?(name: UnsafeRawBufferPointer) {
    let candidates = Self.byLength
    guard name.count < candidates.count else { return nil }
    for candidate in candidates[name.count] where name.elementsEqual(candidate.name) {
      self = candidate.request
      return
    }
    return nil
  }

  private static let byLength: [[(name: [UInt8], request: Request)]] = {
    var table: [[(name: [UInt8], request: Request)]] = []
    for request in allCases {
      let name = Array(request.rawValue.utf8)
      while table.count <= name.count { table.append([]) }
      table[name.count].append((name, request))
    }
    return table
  }()
}
