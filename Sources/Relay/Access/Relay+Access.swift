import Wire

/// Who may do what, on a server with tokens.
extension Relay {
  /// Shows a token, for all that this connection asks from here on.
  func authenticate(_ call: Call) throws(WireError) {
    let text = try call.fields.string(.token)
    if let access = options.access {
      guard let token = access.token(text, at: wall) else { throw refusal(call.connection, text) }
      try checkQuota(of: token, call.connection)
      present(token, on: call.connection)
    }
    acceptNow(call)
  }

  /// The peer has shown a certificate that is believed, before its first line. Where its names are those of a token, the
  /// connection holds that one. Where so many hold it as its quota allows, it holds none.
  package func showed(certificateOf names: [String], on connection: Connection, now time: Int64) {
    setTime(time)
    guard let token = options.access?.token(ofCertificate: names, at: wall) else {
      return log("event=unknownCertificate connection=\(connection.number)\(peer(connection))")
    }
    do throws(WireError) {
      try checkQuota(of: token, connection)
      present(token, on: connection)
    } catch {
      send(error, to: connection)
    }
    settle()
  }

  /// Lets a device activate, before anything of its pair is looked at.
  ///
  /// - Returns: a token that the connection is to hold once it has taken the device's session over, since it is the old
  ///   connection's until then; nil where there is no more to do.
  /// - Throws: 4010 without a token, or one line for each token that will not do: whoever asks learns
  ///   neither whether there is such a token nor whether there is such a pair.
  func admit(_ request: ActivationRequest, _ call: Call) throws(WireError) -> Token? {
    guard let access = options.access else { return nil }
    let connection = call.connection
    let text = try call.fields.optionalString(.token)
    if text == nil, connection.token == nil {
      throw WireError(
        .unauthorized,
        "this server asks for a token, such as: activate pair=demo role=phone token=wl1_…")
    }
    let shown = text.map { access.token($0, at: wall) } ?? connection.token
    guard let token = shown, token.isValid(at: wall),
      token.admits(pair: request.pair, role: request.role, device: request.device)
    else { throw refusal(connection, text) }
    do {
      try checkQuota(of: token, connection)
    } catch {
      // Whoever comes back may be there before it is known that the old connection is gone.
      guard holder(of: request)?.token?.id == token.id else { throw error }
      return token
    }
    present(token, on: connection)
    return nil
  }

  /// The connection that has the session of the device that is to activate.
  private func holder(of request: ActivationRequest) -> Connection? {
    pair(PairName(app: request.app, name: request.pair))?.device(named: request.device)?.connection
  }

  /// Whether a connection may do what a grant is for.
  func allows(_ grant: Grant, _ connection: Connection) -> Bool {
    options.access == nil || connection.token?.grants.contains(grant) == true
  }

  /// - Throws: 4010 where the connection's token has not that grant.
  func check(_ grant: Grant, _ call: Call) throws(WireError) {
    guard !allows(grant, call.connection) else { return }
    guard let token = call.connection.token else {
      throw WireError(
        .unauthorized,
        "this server asks for a token with the grant \(grant.rawValue): authenticate token=wl1_…")
    }
    throw WireError(
      .unauthorized,
      "token \(token.id) has no grant \(grant.rawValue), which \(call.request.rawValue) needs")
  }

  /// - Throws: 4008 where so many connections hold the token as its quota allows.
  private func checkQuota(of token: Token, _ connection: Connection) throws(WireError) {
    guard let most = token.quota.connections, connection.token?.id != token.id,
      holders[token.id] >= most
    else { return }
    throw WireError(
      limit: "quota.connections",
      "\(most) connections hold token \(token.id) already, as many as its quota allows",
      "close one of them")
  }

  /// - Throws: 4008 where so many pairs were made with the token as its quota allows.
  func checkQuota(ofPairs token: Token?) throws(WireError) {
    guard let token, let most = token.quota.pairs, makers[token.id] >= most else { return }
    throw WireError(
      limit: "quota.pairs",
      "\(most) pairs were made with token \(token.id) already, as many as its quota allows",
      "no new pair can begin, and those that there are go on")
  }

  func present(_ token: Token, on connection: Connection) {
    connection.refusals = 0
    guard connection.token != token else { return }
    hold(token, connection)
    awaitExpiry(of: token, on: connection)
  }

  /// A connection holds another token from now on, or none.
  func hold(_ token: Token?, _ connection: Connection) {
    holders.remove(connection.token?.id)
    holders.add(token?.id)
    connection.token = token
    setPace(of: connection)
  }

  // MARK: Refusals

  /// Refusals of one connection that have no delay.
  private static let freeRefusals = 2
  /// Microseconds for which a connection waits after each further one.
  private static let refusalDelay: Int64 = 1_000_000

  private func refusal(_ connection: Connection, _ text: String?) -> WireError {
    connection.refusals += 1
    // A manual clock may stand still, and nobody could move it any more.
    if connection.refusals > Self.freeRefusals, !options.hasManualClock {
      delay(connection, by: Self.refusalDelay)
    }
    logRefusal(
      of: text.map { Token.id(in: $0) } ?? connection.token?.id,
      "connection=\(connection.number)\(peer(connection))")
    return WireError(
      .unauthorized,
      "this token does not allow that: there is no such token, it has expired, or it is for another "
        + "pair, role or device")
  }

  /// Says in the log that a token was refused, and where it was shown; of more than some a second their number.
  ///
  /// - Parameter id: nil where it was none that looks like a token.
  func logRefusal(of id: String?, _ place: String) {
    guard let unlogged = refusalLog.admit(now) else { return }
    let others = unlogged > 0 ? " unlogged=\(unlogged)" : ""
    log("event=refused token=\(id ?? "none") \(place)\(others)")
  }

  /// ` peer=…` for the log; empty where the caller did not say.
  private func peer(_ connection: Connection) -> String {
    connection.peer.isEmpty ? "" : " peer=\(connection.peer)"
  }

  private static func named(_ device: Device) -> String {
    "pair=\(device.pair.name.quoted) device=\(device.name.quoted)"
  }

  /// Says in the log who has done what with which token.
  func audit(_ event: StaticString, _ device: Device, _ connection: Connection) {
    guard let token = connection.token else { return }
    log("event=\(event) token=\(token.id) \(Self.named(device))\(peer(connection))")
  }

  // MARK: Ends

  func awaitExpiry(of token: Token, on connection: Connection) {
    guard let expires = token.expires else { return }
    deadlines.add(.tokenExpires(connection), at: now + max(0, expires - wall))
    pruneDeadlines()
  }

  /// The time of a connection's token may have come; the system's clock may also have been set meanwhile.
  func tokenMayHaveExpired(_ connection: Connection) {
    guard !connection.isEnded, !connection.isAway, let token = connection.token else { return }
    guard token.isValid(at: wall) else { return withdraw(connection, "expired") }
    awaitExpiry(of: token, on: connection)
  }

  /// Takes other tokens in the place of those until now. Sessions that these would not allow end.
  package func takeAccess(_ access: Access, now time: Int64) {
    setTime(time)
    options.access = access
    for case let connection? in connections where !connection.isEnded && !connection.isAway {
      guard let token = connection.token else { continue }
      let renewed = access.renewed(token, at: wall)
      if let renewed, allows(renewed, connection.device) {
        present(renewed, on: connection)
      } else {
        withdraw(connection, "revoked")
      }
    }
    settle()
  }

  /// Whether a token allows the session that there is.
  private func allows(_ token: Token, _ device: Device?) -> Bool {
    device.map { token.admits(pair: $0.pair.name, role: $0.role, device: $0.name) } ?? true
  }

  /// Ends a connection whose token is not taken any more, or whom the operator does not want. What it is owed comes
  /// first.
  func withdraw(_ connection: Connection, _ reason: StaticString) {
    let device = connection.device.map { " " + Self.named($0) } ?? ""
    log(
      "event=withdrawn reason=\(reason) token=\(connection.token?.id ?? "none")\(device)\(peer(connection))"
    )
    hold(nil, connection)
    if let device = connection.device {
      endSession(device)
      tellDeactivatedLast(connection, reason)
    }
    connection.end(.draining)
    connection.input = []
    scheduleOutput(connection)
  }
}

/// Has no more than some lines a second in the log.
struct LogLimit {
  /// Lines a second.
  static let most = 20

  private var second: Int64 = 0
  private var count = 0
  private var unlogged = 0

  /// - Returns: how many were left out before this one; nil where this one is, too.
  mutating func admit(_ now: Int64) -> Int? {
    if now / 1_000_000 != second { (second, count) = (now / 1_000_000, 0) }
    guard count < Self.most else {
      unlogged += 1
      return nil
    }
    count += 1
    defer { unlogged = 0 }
    return unlogged
  }
}
