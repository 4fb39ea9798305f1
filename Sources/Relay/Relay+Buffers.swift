import Wire

/// What connections make the relay hold for them: input that is not consumed, and output that is not read.
extension Relay {
  /// Notes what a connection holds now. Called after whatever may change it.
  @inline(__always)
  func account(_ connection: Connection) {
    // One that is to be closed is as good as gone.
    let bytes =
      connection.isAborted
      ? 0
      : connection.input.count + connection.waiting + (connection.prepared?.bytes ?? 0)
        + connection.yetToSend
    buffered += bytes - connection.buffered
    connection.buffered = bytes
    if buffered > limits.buffers { shed() }
  }

  /// Ends connections until there is room for the others: first those that never activated, the largest
  /// first, then the largest of the others. What waits in the lanes of those is not lost.
  private func shed() {
    let largest = connections.compactMap { $0 }.filter { !$0.isAborted && $0.buffered > 0 }
      .sorted {
        ($0.hasActivated ? 1 : 0, -$0.buffered, $0.number)
          < ($1.hasActivated ? 1 : 0, -$1.buffered, $1.number)
      }
    for connection in largest {
      // Somewhat less than the bound, so that the next byte is not the next time.
      guard buffered > limits.buffers / 8 * 7 else { break }
      log(
        "event=connectionShed connection=\(connection.number) bytes=\(connection.buffered) "
          + "hasActivated=\(connection.hasActivated)")
      abort(connection)
    }
  }

  /// Ends a connection at once. What was on its way to it is dropped, as where a connection breaks.
  private func abort(_ connection: Connection) {
    connection.end(.aborted)
    releasedBytes += connection.buffered
    account(connection)
    if connection.waiting == 0 {
      send(
        WireError(
          limit: "buffers",
          "the server holds \(limits.buffers) bytes for its connections and this one has the most",
          "connect again, end lines sooner, and read what is sent"),
        to: connection)
    }
    connection.input = []
    connection.prepared = nil
    scheduleOutput(connection)
  }

  /// The time for an `activate` is over.
  func activationOverdue(_ connection: Connection) {
    guard !connection.isEnded, !connection.hasActivated, !connection.isAwaited else { return }
    send(
      WireError(
        .sessionNotActivated, "nobody activated here in time, and the connection is closed"),
      to: connection)
    end(connection)
  }
}
