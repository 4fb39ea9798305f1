import Journal
import Wire

/// A phone and its watches, for one app. Pairs share nothing.
package final class Pair {
  package let number: UInt32
  package let app: String
  package let name: String
  /// How many pairs had been erased in the store when it was made: tells it from one that had its name before.
  let generation: UInt64

  // Durable.
  package private(set) var devices: [Device] = []
  @Uncounted private(set) var phone: Device? { didSet { conditionsChanged() } }
  var knobs = Knobs() { didSet { conditionsChanged() } }
  /// The watch that the phone's session is attached to.
  @Uncounted var activeWatch: Device? { didSet { conditionsChanged() } }
  /// The id of the token that it was made with; nil where there was none.
  var maker: String?
  /// The minutes that the store had been served when somebody had a session last (`Relay+Unused`), and what the pair's
  /// row says of that.
  var used: Int64 = 0
  var usedInRow: Int64 = 0
  /// Whether `used` is more than what a row has said.
  var isUseExact = false
  /// What it holds, as counted last, and as its row says; only of one that was made with a token.
  var held = Held()
  var heldInRow = Held()
  /// The number of the next file.
  var nextFile: UInt32 = 1

  /// Files on their way.
  var files: [TransferKey: FileTransfer] = [:]
  /// The phone is inactive, and is deactivated once it has been handed what waited.
  var isSwitching = false
  /// The batch that makes the switch durable; nobody hears of it before.
  var switchBatch: UInt64 = 0
  var toldWatchState = WatchState()

  /// Requests of its devices wait: what is done aside is about to decide what comes next.
  package var standsStill = false
  /// Its hubs.
  package var records = Records.unread

  /// Rises with everything that decides whether a device may send: what was found out about that
  /// holds while it stays the same (`Clearance`).
  private(set) var conditions: UInt64 = 1

  // Bookkeeping.
  var dirtyBatch: UInt64 = 0
  /// The last batch that has to do with it in any way.
  var lastBatch: UInt64 = 0
  /// Whether the store has a queue row of it that still holds, or a batch on its way there.
  var hasQueueRow = false
  /// Its queue row, where that was put together before it is due.
  var queueRow: Row?
  /// The batch that writes its queue row, with whose commit it leaves the memory; 0 for none.
  var evictionBatch: UInt64 = 0
  /// Since when nobody has been connected to it, where that is so.
  var idleSince: Int64 = 0
  /// It is in the store no more.
  var isErased = false
  /// Whether it is among `Relay.idle`.
  var isListedIdle = false

  init(number: UInt32, app: String, name: String, generation: UInt64) {
    self.number = number
    self.app = app
    self.name = name
    self.generation = generation
  }

  /// Both roles have activated since the pair was made or forgotten.
  var isFormed: Bool {
    phone?.hasJoined == true && activeWatch != nil
  }

  /// Whether the app is on the phone, where there is one.
  var hasCompanionApp: Bool { phone?.state.isCompanionAppInstalled == true }

  func conditionsChanged() { conditions &+= 1 }

  func add(_ device: Device) {
    devices.append(device)
    if device.isPhone { phone = device }
  }

  /// It and its devices hold each other. Once it has left the memory, it lets them go.
  func dissolve() {
    (phone, activeWatch) = (nil, nil)
    devices = []
  }

  /// The device with this index, without a count of references.
  @inline(__always)
  func kept(_ index: UInt16) -> Unmanaged<Device> { .passUnretained(devices[Int(index)]) }

  var isConnected: Bool { devices.contains { $0.connection != nil } }

  func device(named name: String) -> Device? { devices.first { $0.name == name } }

  /// The device that a send of `device` is for, where there is one.
  func counterpart(of device: Device) -> Device? {
    device.isPhone ? activeWatch : phone
  }

  /// WCSession.isPaired.
  var isPaired: Bool { isFormed && phone!.state.isPaired }

  /// A watch that is not the active one neither sends to the phone nor hears of it.
  @inline(__always)
  func isParked(_ device: Device) -> Bool { !device.isPhone && !$activeWatch.refers(to: device) }

  /// WCSession.isReachable: asymmetric, by connection and app state (PROTOCOL.md clause 4.3).
  func isReachable(from device: Device) -> Bool {
    guard isPaired, device.activation == .activated, let watch = activeWatch, let phone,
      watch.connection != nil, watch.activation == .activated, watch.appState == .foreground,
      watch.state.isWatchAppInstalled, phone.connection != nil
    else { return false }
    if device.isPhone { return true }
    return device === watch && !phone.state.isLocked && phone.state.isCompanionAppInstalled
      && phone.activation == .activated
  }
}

extension Pair {
  /// What is in memory of its merged records.
  package enum Records {
    /// Nothing: the first request for one has them read.
    case unread
    /// There are none.
    case none
    case read(any PairRecords)
  }
}

extension Pair.Records {
  var here: (any PairRecords)? { if case .read(let records) = self { records } else { nil } }

  /// Whether the store has none, as far as is known.
  var isEmpty: Bool {
    switch self {
    case .unread: false
    case .none: true
    case .read(let records): records.isEmpty
    }
  }

  /// Bytes of their rows; nil where that is not known.
  var bytes: Int? {
    switch self {
    case .unread: nil
    case .none: 0
    case .read(let records): records.bytes
    }
  }
}
