package import Merge
package import Wire

/// What a device looks like to an app.
package enum Idiom: String, CaseIterable, Sendable {
  case phone, watch, pad

  /// Columns of its screens within their frame.
  package var columns: Int {
    switch self {
    case .phone: 37
    case .watch: 24
    case .pad: 60
    }
  }
}

/// What surrounds an app on its device.
package struct Surroundings {
  package var idiom: Idiom
  package var records: Records
  /// Seconds that the local time is ahead of UTC; days begin at local midnight.
  package var secondsFromUTC: Int

  package init(idiom: Idiom, records: Records, secondsFromUTC: Int = 0) {
    self.idiom = idiom
    self.records = records
    self.secondsFromUTC = secondsFromUTC
  }
}

/// How the device stands to its counterpart and the hub.
package struct SyncStatus: Equatable, Sendable {
  /// The connection to the server is open.
  package var isConnected = false
  /// The counterpart would receive a live message.
  package var isReachable = false
  /// The edits that the hub has not accepted yet.
  package var pending = 0
  /// The last thing that went wrong and was not made good since.
  package var error: String?

  package init() {}
}

/// An app on a device without a screen: typed commands in, screens as text and events out.
///
/// It has no clock and no randomness: `now` is milliseconds since 1970, and ids come from the
/// keeper of its records. What is shared with the counterpart are records; the rest, such as which
/// timer runs, is `localState` and stays on the device.
package protocol App: AnyObject {
  /// The name of its schema.
  static var schema: Name { get }

  init(_ surroundings: Surroundings)

  /// What is on the screen.
  func screen(now: Int64) -> Screen

  /// What can be typed on this screen, in the order in which `help` lists it.
  var commands: [Command] { get }

  /// Does what was typed. What the app itself would tell its user, such as a form's validation
  /// error, it shows on its screen.
  ///
  /// - Throws: 4001 for words that this screen does not know, with the nearest that it does; 4004
  ///   for arguments that make no sense. Nothing has changed then.
  func perform(_ line: CommandLine, now: Int64) throws(WireError)

  /// Lets time pass up to `now`.
  func tick(now: Int64)

  /// When time would change something next; nil where nothing is under way.
  func nextTick(now: Int64) -> Int64?

  /// Records have changed from elsewhere. A form that is open keeps what was typed into it.
  func recordsDidChange(now: Int64)

  /// A live message of the counterpart's: a JSON object. What is not the app's it passes over.
  func didReceive(message: [UInt8], now: Int64)

  /// What the oldest open form was opened on; nil where none is open.
  var formShown: VersionVector? { get }

  /// Set by the device.
  var status: SyncStatus { get set }

  /// What survives the app's end on this device and goes nowhere else.
  var localState: Datum { get }

  /// Takes up again after the app was killed, as of `now`.
  ///
  /// - Throws: 4004 where it is no state of this app's; nothing has changed then.
  func restore(_ localState: Datum, now: Int64) throws(WireError)

  /// What has happened since the last call, in order.
  func takeEvents() -> [AppEvent]
}

/// Something that a device would do beside its screen.
package enum AppEvent: Hashable, Sendable {
  /// `light`, `medium`, `rigid`, `heavy`, `success` or `selection`.
  case haptic(String)
  /// A sound is played: `complete`.
  case sound(String)
  /// Something was refused for want of what can be bought; what leads to it.
  case premiumRequired(trigger: String)
  /// A notification is shown.
  case notified(Notification)
  /// A notification will be shown at a time, in milliseconds since 1970.
  case scheduled(Notification, at: Int64)
  /// A scheduled notification will not be shown.
  case cancelled(id: String)
  /// A live message for the counterpart, a JSON object; lost where it cannot be reached.
  case message([UInt8])
  /// The user wants to sync at once.
  case syncRequested
}

/// A local notification.
package struct Notification: Hashable, Sendable {
  package var id: String
  package var category: String
  package var title: String
  package var body: String
  package var badge: Int
  /// By id, in the order of their buttons.
  package var actions: [Action]
  package var userInfo: [String: String]
  package var hasSound: Bool

  package struct Action: Hashable, Sendable {
    package var id: String
    package var title: String

    package init(id: String, title: String) {
      self.id = id
      self.title = title
    }
  }

  package init(
    id: String, category: String, title: String, body: String, badge: Int = 1,
    actions: [Action] = [], userInfo: [String: String] = [:], hasSound: Bool = true
  ) {
    self.id = id
    self.category = category
    self.title = title
    self.body = body
    self.badge = badge
    self.actions = actions
    self.userInfo = userInfo
    self.hasSound = hasSound
  }
}
