import Foundation
import Wire

/// What an app has handed over, and what has become of it.
struct Outbox {
  final class Transfer {
    let kind: DeliveryHistory.Kind
    /// What a report shows of it.
    let shown: [UInt8]
    /// The members of the request, but for `n` and `id`.
    let members: [UInt8]
    /// The bytes of a file.
    let contents: Data
    var sent: DeviceEvent.SentTransfer
    /// What it is called on the wire; nil until it has been accepted. An outbox is told of it by `accepted`.
    var transfer: String?
    /// Its number on the wire, from the moment on that it is first sent: what is sent again has the same.
    var n: UInt64?
    /// The app has taken it back, and whether the relay had it is not known.
    var isCancelled = false
    var place: DeliveryHistory.Place = nil

    init(
      kind: DeliveryHistory.Kind, shown: [UInt8], members: [UInt8], contents: Data = Data(),
      sent: DeviceEvent.SentTransfer, transfer: String? = nil, n: UInt64? = nil
    ) {
      self.kind = kind
      self.shown = shown
      self.members = members
      self.contents = contents
      self.sent = sent
      self.transfer = transfer
      self.n = n
    }

    /// It is known no more where it was sent to.
    func forgetName() { (transfer, n) = (nil, nil) }
  }

  /// Unfinished transfers, by the order in which the app made them.
  private(set) var transfers: [UInt64: Transfer] = [:]
  /// Those that were accepted, by their names on the wire.
  private var numbers: [String: UInt64] = [:]
  var last: UInt64 = 0
  /// The last `n` that was accepted.
  var n: UInt64 = 0
  /// The last `n` that was given to a transfer; those after `n` are not answered.
  private var given: UInt64 = 0
  /// Transfers that were sent on this connection, and not answered.
  private var posted: Set<UInt64> = []
  /// One was refused, so that those behind it have the wrong `n`, and are sent again.
  private var hasGap = false
  /// A context that was set while there was no connection.
  var hasContext = false
  var lastContext: UInt64 = 0
  var context: DeliveryHistory.Place = nil
  /// Messages that await a reply or an error.
  var awaiting: [UInt64: DeliveryHistory.Place] = [:]
  var lastMessage: UInt64 = 0

  var unsentComplications: Int {
    transfers.values.count { $0.kind == .complication && $0.transfer == nil }
  }

  subscript(number: UInt64) -> Transfer? {
    get { transfers[number] }
    set {
      if newValue == nil, let name = transfers[number]?.transfer { numbers[name] = nil }
      transfers[number] = newValue
      if let name = newValue?.transfer { numbers[name] = number }
    }
  }

  /// A transfer has got its name on the wire.
  mutating func accepted(_ number: UInt64, as name: String) {
    guard let transfer = transfers[number] else { return }
    transfer.transfer = name
    numbers[name] = number
    n = max(n, transfer.n ?? 0)
  }

  // MARK: Posts

  /// A transfer goes out; one that went out before has the `n` that it had.
  ///
  /// - Returns: its `n`.
  mutating func send(_ number: UInt64) -> UInt64 {
    let transfer = transfers[number]!
    let n = transfer.n ?? max(given, n) + 1
    given = max(given, n)
    transfer.n = n
    posted.insert(number)
    return n
  }

  /// The connection is gone: what was not answered is sent again as it was.
  mutating func forgetPosts() { (posted, hasGap, given) = ([], false, 0) }

  /// A transfer was refused, and used up no `n`.
  ///
  /// - Returns: whether it is only behind one that was refused, and is sent again.
  mutating func refused(_ number: UInt64, _ error: DeviceError) -> Bool {
    guard let transfer = transfers[number], let own = transfer.n else { return false }
    transfer.n = nil
    guard error.code == .sequenceGap, own > n + 1 else { return false }
    hasGap = true
    return true
  }

  /// An answer has come.
  ///
  /// - Returns: the transfers to send again, oldest first.
  mutating func answered(_ number: UInt64) -> [UInt64] {
    posted.remove(number)
    guard hasGap, posted.isEmpty else { return [] }
    (hasGap, given) = (false, 0)
    return transfers.filter { $0.value.transfer == nil && $0.value.n == nil }.keys.sorted()
  }

  func number(of transfer: String) -> UInt64? {
    numbers[transfer]
  }

  /// The transfer that was sent with a number, and of which no answer came.
  func number(sentAs n: UInt64) -> UInt64? {
    transfers.first { $0.value.n == n && $0.value.transfer == nil }?.key
  }

  /// Nothing of what was accepted is known any more where it was sent to.
  mutating func forgetNames() {
    for transfer in transfers.values { transfer.forgetName() }
    numbers = [:]
    n = 0
  }
}
