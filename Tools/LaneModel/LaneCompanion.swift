package import Wire

/// What else runs on a device and speaks through its lanes: an app that the hub sends records to.
package protocol LaneCompanion: AnyObject {
  /// What an activation says besides, each member behind a comma.
  func activation() -> String
  /// Everything that the device had stored is gone.
  func reset()
  /// The device acknowledges all user infos that it has processed.
  func acknowledged()
  /// The server has taken such an acknowledge.
  func settled()
  /// A user info of the hub's came.
  func received(_ line: Members, on client: LaneClient)
  /// What it had sent, transfer `id`, was accepted; so what was said before in that session has arrived too.
  func accepted(_ id: Int)
  /// What it had sent, transfer `id`, was answered with an error.
  func refused(_ id: Int, _ line: Members, on client: LaneClient)
  /// What it had sent by a message, and will not send again, was answered with an error.
  func refusedMessage()
}
