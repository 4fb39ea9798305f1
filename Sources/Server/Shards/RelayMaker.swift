import Journal
import Relay
import Storage

/// Makes the relay of a shard from what its copy has. That looks at each pair, so it is done on the thread that has followed the
/// shard, while the loop serves others.
struct RelayMaker: Sendable {
  private let options: Relay.Options
  private let directory: String
  private let clock: ServerClock

  /// - Parameters:
  ///   - options: of the server's relays.
  ///   - clock: the loop's; any reading of it.
  ///   - directory: of the copy.
  init(
    _ options: Relay.Options, shard: Int, of shards: Int, directory: String, _ clock: ServerClock
  ) {
    var options = options
    options.place = .shard(shard, of: shards)
    options.isShared = true
    (self.options, self.directory, self.clock) = (options, directory, clock)
  }

  func make(_ contents: Contents) throws(StoreError) -> Relay {
    var clock = clock
    _ = MachineClocks.read(into: &clock)
    do {
      return try Relay(contents, options: options, now: clock.elapsed)
    } catch {
      throw StoreError(.corrupt, function: "read", path: directory, "\(error)")
    }
  }
}
