import Wire

/// What has happened since the start, counted where it happens.
struct Counts {
  /// Deliveries that were queued, and that were handed out for the first time, by lane.
  let accepted = LaneCounts()
  let delivered = LaneCounts()
  /// Deliveries that wait or are not acknowledged, of the pairs in memory.
  let waiting = LaneCounts()
  /// Deliveries that were handed out again.
  var redelivered = 0
  /// Live messages that were handed to their receivers.
  var messages = 0
  /// Transfers that have reached their receivers' apps.
  var finished = 0
  /// Transfers that have not, by the error that their senders are told.
  var failed: [ErrorCode: Int] = [:]
  /// Lines that were answered by an error.
  var refused: [ErrorCode: Int] = [:]
  /// How often a limit or a quota was in the way, by its name.
  var limits: [String: Int] = [:]
  /// How often a connection had to wait, since it had sent faster than it may.
  var slowed = 0
  var connections = 0
  var activations = 0
}

/// A number for each lane, in plain memory: they are counted where every instruction is.
final class LaneCounts {
  private let counts: UnsafeMutablePointer<Int>

  init() {
    counts = .allocate(capacity: LaneName.allCases.count)
    counts.initialize(repeating: 0, count: LaneName.allCases.count)
  }

  deinit { counts.deallocate() }

  @inline(__always)
  func add(_ lane: LaneName, _ count: Int = 1) { counts[Int(lane.rawValue)] &+= count }

  subscript(_ lane: LaneName) -> Int { counts[Int(lane.rawValue)] }
}

/// What an operator sees of a relay.
package struct RelayFigures {
  package var connections = 0
  package var sessions = 0
  package var pairsInMemory = 0
  package var pairsStored = 0
  /// Bytes of input that no commit covers yet.
  package var uncommittedBytes = 0
  /// Bytes of input that is not consumed, and of output that is not read.
  package var bufferedBytes = 0
  /// Payload bytes in the store that are needed, and all of them.
  package var liveBytes = 0
  package var storedBytes = 0
  package var accepted: [(lane: String, count: Int)] = []
  package var delivered: [(lane: String, count: Int)] = []
  package var waiting: [(lane: String, count: Int)] = []
  /// How long the oldest of those has waited.
  package var oldest: [(lane: String, microseconds: Int64)] = []
  package var redelivered = 0
  package var messages = 0
  package var finished = 0
  package var failed: [(code: Int, count: Int)] = []
  package var refused: [(code: Int, count: Int)] = []
  package var limits: [String: Int] = [:]
  package var slowed = 0
  package var connectionsEver = 0
  package var activationsEver = 0
  /// Why nothing new is taken; nil where all is well.
  package var storeTrouble: String?

  package init() {}
}

extension RelayFigures {
  /// The members of `stats`, the time apart.
  func write(_ json: inout JSONWriter) {
    json.member("connections", connections)
    json.member("sessions", sessions)
    json.member("pairs", pairsStored)
    json.member("pairsInMemory", pairsInMemory)
    json.member("uncommittedBytes", uncommittedBytes)
    json.member("bufferedBytes", bufferedBytes)
    json.member("liveBytes", liveBytes)
    json.member("storedBytes", storedBytes)
    json.member("connectionsEver", connectionsEver)
    json.member("activationsEver", activationsEver)
    json.object("accepted") { json in for (lane, count) in accepted { json.member(lane, count) } }
    json.object("delivered") { json in for (lane, count) in delivered { json.member(lane, count) } }
    json.object("waiting") { json in for (lane, count) in waiting { json.member(lane, count) } }
    json.object("oldest") { json in
      for (lane, microseconds) in oldest {
        var seconds: [UInt8] = []
        seconds.append(seconds: microseconds)
        json.raw(lane, String(decoding: seconds, as: UTF8.self))
      }
    }
    json.member("redelivered", redelivered)
    json.member("messages", messages)
    json.member("finished", finished)
    json.object("failed") { json in for (code, count) in failed { json.member("\(code)", count) } }
    json.object("refused") { json in for (code, count) in refused { json.member("\(code)", count) }
    }
    json.member("slowed", slowed)
    if let storeTrouble { json.member("trouble", storeTrouble) }
  }
}

extension Relay {
  /// Whether nothing new is taken, since the store cannot write or has no room.
  package var isInTrouble: Bool { storeFailure != nil || storeFullness != nil }

  /// Whether nothing is to be written that makes the store no smaller.
  var isDiskFull: Bool { storeFullness?.isDisk == true }

  /// - Complexity: linear in the connections, some 10 ns each, and in the devices in memory.
  package var figures: RelayFigures {
    var figures = RelayFigures()
    figures.connections = connectionCount
    figures.sessions = connections.count { $0?.device != nil }
    figures.pairsInMemory = pairs.count
    figures.pairsStored = numbers.count
    figures.uncommittedBytes = uncommittedTotal
    figures.bufferedBytes = buffered
    figures.liveBytes = segments.liveBytes
    figures.storedBytes = segments.bytes
    figures.accepted = LaneName.delivered.map { ("\($0)", counts.accepted[$0]) }
    figures.delivered = LaneName.delivered.map { ("\($0)", counts.delivered[$0]) }
    figures.waiting = LaneName.delivered.map { ("\($0)", counts.waiting[$0]) }
    figures.oldest = oldest
    figures.redelivered = counts.redelivered
    figures.messages = counts.messages
    figures.finished = counts.finished
    figures.failed = Self.sorted(counts.failed)
    figures.refused = Self.sorted(counts.refused)
    figures.limits = counts.limits
    figures.slowed = counts.slowed
    figures.connectionsEver = counts.connections
    figures.activationsEver = counts.activations
    figures.storeTrouble = storeFailure ?? storeFullness?.reason
    return figures
  }

  /// How long the oldest delivery of each lane has waited, of the pairs in memory.
  private var oldest: [(lane: String, microseconds: Int64)] {
    var batches: [LaneName: UInt64] = [:]
    for pair in pairs.values {
      for device in pair.devices {
        for lane in LaneName.delivered {
          guard let first = device[lane].items.first else { continue }
          batches[lane] = min(batches[lane] ?? .max, first.batch)
        }
      }
    }
    // A manual clock may go further than a line can say.
    let most = Fields.longestSeconds * 1_000_000
    return LaneName.delivered.map { lane in
      ("\(lane)", batches[lane].map { min(batchTimes.age(of: $0, now: now), most) } ?? 0)
    }
  }

  /// A pair has come into memory, or leaves it.
  func countWaiting(of pair: Pair, isComing: Bool) {
    for device in pair.devices {
      for lane in LaneName.allCases {
        counts.waiting.add(lane, isComing ? device[lane].count : -device[lane].count)
      }
    }
  }

  /// Where the count of what waits is not what waits: for tests.
  package var waitingFault: String? {
    for lane in LaneName.allCases {
      let there = pairs.values.reduce(0) { $0 + $1.devices.reduce(0) { $0 + $1[lane].count } }
      guard counts.waiting[lane] == there else {
        return "\(counts.waiting[lane]) are counted in lane \(lane), where \(there) wait"
      }
    }
    return nil
  }

  private static func sorted(_ counts: [ErrorCode: Int]) -> [(code: Int, count: Int)] {
    counts.map { ($0.key.rawValue, $0.value) }.sorted { $0.code < $1.code }
  }
}
