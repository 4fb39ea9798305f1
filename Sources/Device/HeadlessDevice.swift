package import AppModels
package import Merge
package import Wire

/// A phone or a watch without a screen: an app, its records, and a session with a server.
///
/// ```
/// typed lines ──► App ──edits──► SyncDevice ──► lines to the server
///                  ▲                 │
///                  └── records ◄─────┴──────◄── lines from the server
/// ```
/// It is pure: clocks and random numbers come in, and what is to be sent, said and saved is asked
/// for. Whoever drives it connects as long as `wantsConnection`, and saves what `saved` gives
/// before it sends what `takeOutput` gives.
package final class HeadlessDevice {
  /// Who the device is.
  package struct Profile {
    package var pair: String
    package var isPhone: Bool
    /// The device's name in the pair.
    package var name: String
    package var idiom: Idiom
    package var secondsFromUTC: Int
    /// For a server that asks for one (clause 14.2).
    package var token: String?

    package init(
      pair: String, isPhone: Bool, name: String, idiom: Idiom, secondsFromUTC: Int = 0
    ) {
      self.pair = pair
      self.isPhone = isPhone
      self.name = name
      self.idiom = idiom
      self.secondsFromUTC = secondsFromUTC
    }
  }

  /// Something to tell the person at the terminal, beside the screen.
  package enum Notice: Hashable, Sendable {
    case info(String)
    /// What a real device would do, such as a haptic or a notification, and how that is told.
    case event(AppEvent, String)
    case error(String)
    /// A table or a longer text, line by line.
    case page([String])
  }

  package let profile: Profile
  /// Why the server does not take this device, where it said so.
  package internal(set) var refusal: String?
  let make: any App.Type
  let sync: any RecordSync
  /// The counterpart's last live message: it may come in another lane as well.
  var lastLive: [UInt8] = []
  package internal(set) var app: any App
  /// False while the device is switched offline, and after another connection has taken over.
  package internal(set) var wantsConnection = true
  /// What can be typed to whoever drives the device, for `help`.
  package var hostCommands: [Command] = []
  /// The person wants to leave.
  package internal(set) var isDone = false

  enum Session {
    case none
    /// `activate` was sent.
    case activating
    case active
  }

  var session = Session.none
  /// For the app, which must not tell the device what it is told.
  var status = SyncStatus() {
    didSet { app.status = status }
  }
  private var output: [[UInt8]] = []
  private var notices: [Notice] = []
  /// When a push that the hub has put off is tried again, in milliseconds since 1970.
  var retryAt: Int64?
  /// How many of the sync's errors were told.
  private var errorsTold = 0

  /// A device that is switched on for the first time.
  ///
  /// - Parameters:
  ///   - app: which app it runs.
  ///   - identifier: the device's own, which no other has.
  ///   - now: milliseconds since 1970.
  ///   - newIdentifier: gives another one at each call.
  ///   - hasWholeRecords: whether it knows whole records only, of TodoTimers.
  package init(
    _ app: any App.Type, schema: Schema, _ profile: Profile, _ identifier: Identifier, now: Int64,
    hasWholeRecords: Bool = false, newIdentifier: @escaping () -> Identifier
  ) {
    self.profile = profile
    make = app
    sync =
      hasWholeRecords
      ? WholeRecordSync(
        identifier, isPhone: profile.isPhone, schema: schema, clock: now,
        newIdentifier: newIdentifier)
      : SyncDevice(
        profile.name, identifier, isPhone: profile.isPhone, schema: schema, clock: now,
        newIdentifier: newIdentifier)
    self.app = app.init(Self.surroundings(profile, sync))
  }

  private static func surroundings(_ profile: Profile, _ sync: any RecordSync) -> Surroundings {
    Surroundings(
      idiom: profile.idiom, records: Records(sync), secondsFromUTC: profile.secondsFromUTC)
  }

  /// The screen as lines of text.
  package func screen(now: Int64) -> [String] { styledScreen(now: now).map(\.text) }

  /// The same, with how it looks where a terminal has colours.
  package func styledScreen(now: Int64) -> [StyledLine] {
    app.screen(now: now).styledLines(columns: profile.idiom.columns)
  }

  /// The visible records by kind, spelled as in operations.
  package var records: Datum { sync.fold.view(sync.schema).canonical }

  /// Online, with everything accepted by the hub and everything of the hub's read.
  package var isSynced: Bool { session == .active && sync.isUpToDate }

  // MARK: What comes out

  /// Lines for the server, without LF.
  package func takeOutput() -> [[UInt8]] {
    defer { output = [] }
    return output
  }

  package func takeNotices() -> [Notice] {
    defer { notices = [] }
    return notices
  }

  func send(_ line: [UInt8]) { output.append(line) }

  func tell(_ notice: Notice) { notices.append(notice) }

  // MARK: What outlives it

  /// What the device keeps: the app's local state, then its records, as lines of JSON.
  package var saved: [[UInt8]] {
    [Datum.sorted([Datum.Member("localState", app.localState)]).canonical] + sync.saved
  }

  /// Takes up again what was saved, on a device that has done nothing yet.
  ///
  /// - Throws: 4001 or 4004 where a line is not as it was written.
  package func restore(_ saved: some Collection<[UInt8]>, now: Int64) throws(WireError) {
    guard let first = saved.first, let state = try Datum(json: first)["localState"] else {
      throw WireError(.invalidField, "a saved device starts with its app's local state")
    }
    try sync.restore(Array(saved.dropFirst()))
    app = make.init(Self.surroundings(profile, sync))
    try app.restore(state, now: now)
    finish(now: now)
  }

  /// The app ends without warning and is started again.
  func relaunch(now: Int64) throws(WireError) {
    let state = app.localState
    app = make.init(Self.surroundings(profile, sync))
    try app.restore(state, now: now)
  }

  // MARK: Time

  /// When `tick` would do something next, in milliseconds since 1970.
  package func nextTick(now: Int64) -> Int64? {
    [app.nextTick(now: now), retryAt].compactMap { $0 }.min()
  }

  package func tick(now: Int64) {
    sync.clock = now
    if let time = retryAt, time <= now {
      retryAt = nil
      sync.waits = 0
      sync.push()
    }
    app.tick(now: now)
    finish(now: now)
  }

  /// Does what the app asks for, and tells it how things stand.
  func finish(now: Int64) {
    for event in app.takeEvents() { carryOut(event) }
    if sync.formShown != app.formShown { sync.formShown = app.formShown }
    if session == .active { output += sync.takeOutput() }
    for error in sync.errors.dropFirst(errorsTold) {
      status.error = error
      tell(.error(error))
    }
    errorsTold = sync.errors.count
    if sync.waits > 0, retryAt == nil { retryAt = now + Int64(sync.waits) }
    if let app = app as? TodoTimersApp, app.order != sync.order { app.order = sync.order }
    let pending = sync.pendingCount
    if status.pending != pending { status.pending = pending }
  }

  private func carryOut(_ event: AppEvent) {
    switch event {
    case .haptic(let kind): tell(.event(event, "haptic \(kind)"))
    case .sound(let name): tell(.event(event, "sound \(name)"))
    case .premiumRequired(let trigger): tell(.event(event, "premium required: \(trigger)"))
    case .notified(let notification):
      let buttons = notification.actions.map { "[\($0.title)]" }
      let body = notification.body.split(whereSeparator: \.isNewline).joined(separator: ": ")
      tell(
        .event(
          event,
          (["notification: \(notification.title) – \(body)"] + buttons + [notification.details])
            .joined(separator: " ")))
    case .scheduled(let notification, let time):
      let due = LocalTime(time, secondsFromUTC: profile.secondsFromUTC)
      tell(
        .event(
          event,
          "scheduled \(notification.id) for \(due.date) \(due.clock):\(due.second.twoDigits) "
            + notification.details))
    case .cancelled(let id): tell(.event(event, "cancelled \(id)"))
    case .message(let payload):
      if sync.carry(payload) { return }
      guard session == .active, status.isReachable else {
        return tell(.info("a live message was not sent: the counterpart cannot be reached"))
      }
      var line = Array(#"{"type":"sendMessage","id":"message","payload":"#.utf8)
      line += payload
      line.append(0x7D)
      send(line)
    case .syncRequested:
      if session == .active {
        sync.syncNow()
      } else {
        tell(.info("offline; everything is synced with the next connection"))
      }
    }
  }
}

extension Notification {
  /// What is not shown of it: its category, badge and sound, and what it carries.
  fileprivate var details: String {
    let carried = userInfo.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    let parts = [category, "badge \(badge)", "sound \(hasSound ? "on" : "off")"] + carried
    return "(\(parts.joined(separator: ", ")))"
  }
}

extension HeadlessDevice.Notice {
  /// What is wrong, where something is.
  package var error: String? {
    if case .error(let text) = self { text } else { nil }
  }
}
