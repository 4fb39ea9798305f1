/// Every bound of the server in one place (PROTOCOL.md clause 9). Sizes in bytes, times in
/// microseconds, the rest are counts. Set by `watchline-server --limits name=value,…`.
package struct Limits: Sendable, Equatable {
  /// The longest line, its LF not counted: 4/3 of the largest context and room for an envelope.
  package var line = 1 << 20
  /// The longest line of a connection that has not activated yet.
  package var firstLine = 4 << 10
  /// Output that may wait for such a connection; above it its lines wait.
  package var firstOutput = 16 << 10
  /// What all connections hold together: input that is not consumed, output that is not read.
  package var buffers = 256 << 20
  /// Connections at once. The server lowers it to what its file descriptors allow.
  package var connections = 100_000
  /// The same of one address that is not this machine's.
  package var addressConnections = 1_000
  /// What a connection may send in a second, and at once; 0 for any number.
  package var linesPerSecond = 0
  package var bytesPerSecond = 0
  /// Output that may wait for a connection; above it items wait in the store.
  package var waitingOutput = 256 << 10
  /// How long a live message waits for a full receiver.
  package var receiverGrace = 2_000_000
  /// Input of one connection that no commit covers yet.
  package var uncommittedInput = 1 << 20
  /// The same, of all connections.
  package var uncommittedTotal = 64 << 20
  /// Transfers that may wait for one receiver.
  package var queueItems = 2_000_000
  /// Payload bytes that may wait for one receiver.
  package var queueBytes = 1 << 30
  /// Outcomes kept for a sender that is away; the oldest goes first.
  package var outcomes = 10_000
  /// Messages of one connection that await a reply.
  package var pendingReplies = 10_000
  /// Holes in a lane: runs of cancelled, refused or replaced items above its watermark.
  package var holes = 4_096
  /// Bytes that a pair may hold: what waits, files on their way, contexts and merged records. 0 for any number.
  package var pairBytes = 0
  /// What the store may take: what its database uses, the WAL, and the log. 0 for what it has at the start and nine tenths
  /// of what is free on the disk then.
  package var storeBytes = 0
  /// Pairs that the store knows: some 200 bytes on disk and up to 200 in memory each.
  package var pairs = 1_000_000
  /// Watches of one pair.
  package var watches = 64
  /// Incarnations of one device.
  package var incarnations = 1_024
  /// Failed transfers of which the outcome is remembered for a retry by `n`.
  package var rememberedFailures = 1_000
  /// Operations of a hub's log that every device has read before they are collected.
  package var syncLog = 4_096
  /// Operations of a hub's log that are not collected, and records in a hub, deleted ones included.
  package var syncEntries = 1_000_000
  package var syncRecords = 1_000_000
  /// Seconds of silence before the kernel probes a connection, and gives unacknowledged bytes up.
  package var keepalive = 30
  /// The same of connections from this machine; 0 for never. There a peer that takes nothing is no dead
  /// one, but one that a debugger or a person has paused.
  package var loopbackKeepalive = 0

  /// Records that one commit compares with what bridged devices hold, at least 1: some 10 µs each. The rest comes with
  /// the next. Not to be set, since nothing that a device can see depends on it.
  package var comparisons = 256

  /// Records of a hub above which what goes through all of them is done aside (`LongWork`). Not to be set, since nothing
  /// that a device can see depends on it.
  package var aside = 1_000

  /// How long nobody has to be connected to a pair before it is evicted, in microseconds: longer than
  /// a reconnect takes. Not to be set, since nothing that a device can see depends on it.
  package static let idleGrace: Int64 = 30_000_000
  /// Transfers that are written down at once when pairs are evicted: about half a megabyte. A pair
  /// with more is written whole.
  package static let evictedAtOnce = 16_384

  /// How long a device may be silent and still hold up collection, in milliseconds: 90 days.
  package static let silentDevice: UInt64 = 90 * 86_400_000
  /// How long what was archived or deleted is kept, in milliseconds: 30 days.
  package static let archiveRetention: UInt64 = 30 * 86_400_000

  package init() {}

  /// The limits that are times.
  package static let durations: Set<String> = ["receiverGrace"]

  /// Those that are times as well, in whole seconds.
  package static let seconds: Set<String> = ["keepalive", "loopbackKeepalive"]

  /// Least values other than 1: with less no line could be answered.
  package static let least = ["buffers": 1 << 20, "storeBytes": 4 << 20]

  /// What holds where nothing is said, and no number says it.
  package static func fallback(_ name: String) -> String {
    name == "storeBytes" ? "nine tenths of what is free on the disk" : "none"
  }

  /// The limits' names, in the order of this file.
  package static let names: [(name: String, path: any WritableKeyPath<Limits, Int> & Sendable)] = [
    ("line", \.line), ("firstLine", \.firstLine), ("firstOutput", \.firstOutput),
    ("buffers", \.buffers), ("connections", \.connections),
    ("addressConnections", \.addressConnections), ("linesPerSecond", \.linesPerSecond),
    ("bytesPerSecond", \.bytesPerSecond), ("waitingOutput", \.waitingOutput),
    ("receiverGrace", \.receiverGrace), ("uncommittedInput", \.uncommittedInput),
    ("uncommittedTotal", \.uncommittedTotal), ("queueItems", \.queueItems),
    ("queueBytes", \.queueBytes), ("outcomes", \.outcomes), ("pendingReplies", \.pendingReplies),
    ("holes", \.holes), ("pairBytes", \.pairBytes), ("storeBytes", \.storeBytes),
    ("pairs", \.pairs), ("watches", \.watches),
    ("incarnations", \.incarnations),
    ("rememberedFailures", \.rememberedFailures), ("syncLog", \.syncLog),
    ("syncEntries", \.syncEntries), ("syncRecords", \.syncRecords),
    ("keepalive", \.keepalive), ("loopbackKeepalive", \.loopbackKeepalive),
  ]
}
