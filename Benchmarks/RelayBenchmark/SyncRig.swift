import Glibc
import Relay

/// Operations through the hub, as `watchline load --workload sync` has them: both devices of a pair
/// edit one record and acknowledge what they read.
final class SyncRig: Rig {
  private let window: Int
  private var ends: [(connection: Connection, end: End)] = []
  private var rounds = 0
  private static let value = String(repeating: "x", count: 200)
  /// Operations in one push at most, as devices do it.
  private static let pushSize = 64
  private static let schema = "\"schema\":\"todoTimers\""

  /// A device of a pair.
  private final class End {
    let replica: String
    let other: String
    let record: String
    let isPhone: Bool
    var seq = 0
    /// The other's operations that it has read.
    var seen = 0
    /// The position of the log up to which it has read.
    var read = 0

    init(pair: Int, isPhone: Bool) {
      let number = String(pair)
      func id(_ kind: String) -> String {
        "\(kind)0000000-0000-4000-8000-" + String(repeating: "0", count: 12 - number.count) + number
      }
      let (phone, watch) = (id("A") + ".1", id("B") + ".1")
      (replica, other) = isPhone ? (phone, watch) : (watch, phone)
      record = id("C")
      self.isPhone = isPhone
    }
  }

  init(pairs: Int, window: Int) {
    self.window = window
    super.init(pairs: pairs)
    for pair in 0..<pairs {
      ends.append((phones[pair], End(pair: pair, isPhone: true)))
      ends.append((watches[pair], End(pair: pair, isPhone: false)))
    }
    for (connection, end) in ends {
      say(
        "\"sync.open\",\(Self.schema),\"replica\":\"\(end.replica)\",\"vector\":{}", connection)
    }
    turn()
    for (connection, end) in ends where end.isPhone { push([create(end)], connection) }
    turn()
  }

  override func round() {
    rounds += 1
    for (connection, end) in ends {
      say("\"sync.acknowledge\",\"at\":\(end.read)", connection)
      var context = "\"context\":{\"\(end.other)\":\"\(end.seen)\"},"
      for start in stride(from: 0, to: window, by: Self.pushSize) {
        let numbers = start..<min(window, start + Self.pushSize)
        push(
          numbers.map { number in
            defer { context = "" }
            return operation(end, [write(end.isPhone ? "name" : "icon", Self.value, end)], context)
          }, connection)
      }
    }
    turn()
  }

  private func say(_ members: String, _ connection: Connection) {
    feed(Array("{\"type\":\(members)}\n".utf8), connection)
  }

  // MARK: Operations

  private func push(_ operations: [String], _ connection: Connection) {
    say("\"sync.push\",\"ops\":[\(operations.joined(separator: ","))]", connection)
  }

  /// The phone's first operation, which makes the record.
  private func create(_ end: End) -> String {
    let about = "\"kind\":\"timer\",\"record\":\"\(end.record)\""
    let actions = [
      "{\"action\":\"create\",\(about)}", write("name", "load", end),
      write("durationInSeconds", "60", end), write("icon", "timer", end),
      write("colorHex", "#007AFF", end),
      "{\"action\":\"write\",\"field\":\"createdAt\",\(about),\"value\":\"700000000\"}",
      "{\"action\":\"move\",\"field\":\"place\",\(about)}",
    ]
    return operation(end, actions, "")
  }

  private func write(_ field: String, _ value: String, _ end: End) -> String {
    "{\"action\":\"write\",\"field\":\"\(field)\",\"kind\":\"timer\",\"record\":\"\(end.record)\","
      + "\"revives\":true,\"value\":\"\(value)\"}"
  }

  /// The end's next operation, in its canonical form. A round's stamps are above those of the round before.
  private func operation(_ end: End, _ actions: [String], _ context: String) -> String {
    end.seq += 1
    let ms = 978_307_200_000 + 2 * rounds + (end.isPhone ? 0 : 1)
    return
      "{\"actions\":[\(actions.joined(separator: ","))],\(context)\"replica\":\"\(end.replica)\","
      + "\"seq\":\"\(end.seq)\",\"stamp\":\"\(ms).\(end.isPhone ? 2 : 1).\(end.seq % 65_536)\","
      + "\"wall\":\"\(ms)\"}"
  }

  // MARK: What devices are told

  override func heard(_ output: [UInt8], _ connection: Connection) {
    guard let (_, end) = ends.first(where: { $0.connection === connection }) else { return }
    output.withUnsafeBytes { bytes in
      var start = 0
      while start < bytes.count,
        let next = memchr(bytes.baseAddress! + start, 0x0A, bytes.count - start)
      {
        let past = next - UnsafeMutableRawPointer(mutating: bytes.baseAddress!) + 1
        heard(UnsafeRawBufferPointer(rebasing: bytes[start..<past]), end)
        start = past
      }
    }
  }

  private func heard(_ line: UnsafeRawBufferPointer, _ end: End) {
    func at(behind type: String) -> Int? {
      let start = "{\"type\":\"\(type)\",\(Self.schema),\"at\":"
      return line.starts(with: start.utf8) ? number(line[start.utf8.count...]) : nil
    }
    if let at = at(behind: "sync.ops") {
      end.read = at
      // The last operation's, behind which there are its stamp and its wall.
      let seq = Array("\"seq\":\"".utf8)
      let start = (0..<line.count - seq.count).last { line[$0...].starts(with: seq) }!
      end.seen = number(line[(start + seq.count)...])
    } else if let at = at(behind: "sync.purge") {
      end.read = at
    } else if line.starts(with: "{\"type\":\"error\"".utf8) || at(behind: "sync.retime") != nil {
      fatalError("the relay said \(String(decoding: line.prefix(400), as: UTF8.self))")
    }
  }

  private func number(_ text: Slice<UnsafeRawBufferPointer>) -> Int {
    var number = 0
    for digit in text.prefix(while: { 0x30...0x39 ~= $0 }) {
      number = 10 * number + Int(digit & 15)
    }
    return number
  }
}
