/// How fast a connection may send: two token buckets, of lines and of bytes (RFC 2697, section 3, with one rate).
///
/// Each holds what a second brings, so that so much may come at once. What has come is served, and paid for
/// afterwards: a bucket may fall below nothing, and the connection then waits until it holds something again. So
/// nothing is refused, and no line is too long for its bucket.
struct Pace: Equatable {
  private var lines: Bucket
  private var bytes: Bucket

  /// - Parameters: what a second brings; 0 for any number.
  /// - Returns: nil where neither is bounded.
  init?(linesPerSecond: Int, bytesPerSecond: Int, now: Int64) {
    guard linesPerSecond > 0 || bytesPerSecond > 0 else { return nil }
    lines = Bucket(perSecond: linesPerSecond, now)
    bytes = Bucket(perSecond: bytesPerSecond, now)
  }

  /// Takes another pace, without a new second's worth for it.
  mutating func change(to other: Pace) {
    lines.change(to: other.lines)
    bytes.change(to: other.bytes)
  }

  mutating func spend(lines count: Int = 0, bytes size: Int = 0, _ now: Int64) {
    lines.spend(count, now)
    bytes.spend(size, now)
  }

  /// Microseconds until what came is paid for; 0 where it is.
  var debt: Int64 { max(lines.debt, bytes.debt) }

  private struct Bucket: Equatable {
    /// 0 for a bucket that is never empty.
    var perSecond: Double
    var level: Double
    var filled: Int64

    init(perSecond: Int, _ now: Int64) {
      self.perSecond = Double(perSecond)
      level = self.perSecond
      filled = now
    }

    mutating func change(to other: Bucket) {
      level = perSecond > 0 ? min(level, other.perSecond) : other.perSecond
      perSecond = other.perSecond
    }

    mutating func spend(_ count: Int, _ now: Int64) {
      guard perSecond > 0 else { return }
      level = min(perSecond, level + Double(now - filled) * perSecond / 1e6) - Double(count)
      filled = now
    }

    var debt: Int64 { level < 0 ? Int64(min(-level / perSecond * 1e6, 86_400e6)) + 1 : 0 }
  }
}

extension Relay {
  /// The pace of a connection, by the server's limits and its token's quota; the smaller counts.
  ///
  /// A manual clock may stand still, and nobody who waits could move it: with one there is none.
  func setPace(of connection: Connection) {
    guard !options.hasManualClock else { return }
    func least(_ limit: Int, _ quota: Int?) -> Int {
      guard let quota else { return limit }
      return limit > 0 ? min(limit, quota) : quota
    }
    let quota = connection.token?.quota
    let pace = Pace(
      linesPerSecond: least(limits.linesPerSecond, quota?.linesPerSecond),
      bytesPerSecond: least(limits.bytesPerSecond, quota?.bytesPerSecond), now: now)
    if let pace, connection.pace != nil {
      connection.pace!.change(to: pace)
    } else {
      connection.pace = pace
    }
  }

  /// Counts what a connection has sent, and has its next line wait where that was too fast.
  @inline(never)
  func charge(_ connection: Connection, lines: Int = 0, bytes: Int = 0) {
    connection.pace?.spend(lines: lines, bytes: bytes, now)
    // Where it waits for something else, the next charge sees what it owes.
    guard let debt = connection.pace?.debt, debt > 0, connection.wait.isOver, !connection.isEnded
    else { return }
    counts.slowed += 1
    delay(connection, by: debt)
  }

  /// A connection's next line waits for so many microseconds.
  func delay(_ connection: Connection, by time: Int64) {
    connection.wait(for: .delay)
    deadlines.add(.delayOver(connection), at: now + time)
    pruneDeadlines()
  }

  func delayEnded(_ connection: Connection) {
    guard case .delay = connection.wait else { return }
    connection.endWait()
    unblock(connection)
  }
}
