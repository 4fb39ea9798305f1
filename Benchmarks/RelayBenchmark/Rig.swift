import AppModels
import Hub
import Journal
import Relay

/// A relay with activated pairs, fed in memory.
class Rig {
  private let relay: Relay
  private(set) var phones: [Connection] = []
  private(set) var watches: [Connection] = []
  /// Bytes that the relay had to say.
  private(set) var said = 0

  init(pairs: Int) {
    let contents = Contents(identity: "rig", epoch: 1, lastBatch: 0, rows: [], segments: [])
    do {
      // As in the server, which keeps records as well.
      var options = Relay.Options()
      options.hubs = Hubs.keeping(ShippedSchemas.all)
      relay = try Relay(contents, options: options, now: 978_307_200_000_000)
    } catch {
      fatalError("\(error)")
    }
    for pair in 0..<pairs {
      for (role, list) in [("phone", \Rig.phones), ("watch", \Rig.watches)] {
        let connection = relay.opened(now: relay.now)
        feed(
          Array("{\"type\":\"activate\",\"pair\":\"p\(pair)\",\"role\":\"\(role)\"}\n".utf8),
          connection)
        self[keyPath: list].append(connection)
      }
    }
    turn()
    turn()
  }

  func feed(_ bytes: [UInt8], _ connection: Connection) {
    bytes.withUnsafeBytes { relay.received($0, on: connection, now: relay.now) }
  }

  /// The end of a turn: output leaves, and what is to be committed is.
  func turn() {
    repeat {
      relay.nextTurn(now: relay.now)
      drain()
    } while relay.hasMore
    while let batch = relay.takeBatch() {
      relay.committed(through: batch.number, now: relay.now)
      drain()
    }
  }

  private func drain() {
    let effects = relay.takeEffects()
    for work in effects.works {
      work.run()
      relay.done(work, now: relay.now)
    }
    for connection in effects.scheduled {
      let output = relay.takeOutput(connection)
      said += output.count
      heard(output, connection)
      relay.wrote(connection, unsent: 0, now: relay.now)
    }
  }

  func heard(_ output: [UInt8], _ connection: Connection) {}

  /// One line of each phone's for each place of the window, and what devices answer.
  func round() {}

  func run(rounds: Int) {
    for _ in 0..<rounds { round() }
  }
}

/// Live messages, or user info that the watches acknowledge by one line a round.
final class LaneRig: Rig {
  private let chunk: [UInt8]
  private let window: Int
  private let isTransfer: Bool
  private var acknowledged: UInt64 = 0

  init(pairs: Int, window: Int, isTransfer: Bool) {
    self.window = window
    self.isTransfer = isTransfer
    let text = String(repeating: "x", count: 200)
    let type = isTransfer ? "transferUserInfo" : "sendMessage"
    let line = "{\"type\":\"\(type)\",\"payload\":{\"data\":\"\(text)\"}}\n"
    chunk = Array(String(repeating: line, count: window).utf8)
    super.init(pairs: pairs)
  }

  override func round() {
    for phone in phones { feed(chunk, phone) }
    turn()
    guard isTransfer else { return }
    acknowledged += UInt64(window)
    let line = Array("{\"type\":\"acknowledge\",\"seq\":\(acknowledged)}\n".utf8)
    for watch in watches { feed(line, watch) }
    turn()
  }
}
