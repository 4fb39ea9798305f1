import CNATS
package import Storage
import Wire

/// A shard's log as a stream of NATS JetStream: an entry is a message, its sequence the message's.
///
/// The fence is the stream's own: a message says behind which sequence it goes
/// (`Nats-Expected-Last-Sequence`, <https://docs.nats.io/nats-concepts/jetstream/headers>). It is the whole stream's and not a
/// subject's, which nats-server 2.9.10 checks before the proposal only.
package final class JetStream: SharedLog {
  package let name: String
  package let entryBytes: Int
  private let connection: Connection
  private let stream: String
  private let subject: String
  private var reader: Reader
  private let inbox: Inbox
  /// Tells the answer to an append from late ones.
  private var round = 0
  /// Answers that were read. To destroy one wakes a thread of the library, and is done while nobody waits.
  private var answers: [OpaquePointer] = []

  /// Connects to a node, and makes the stream where there is none.
  ///
  /// - Throws: `cannotOpen` where no node can be reached, or none that can keep a log; `notOurs` where the stream is not
  ///   as this program makes it.
  package init(_ settings: JetStreamSettings) throws(StoreError) {
    connection = try Connection(settings)
    stream = settings.stream
    subject = settings.subject
    name = settings.name
    try connection.openStream(settings)
    entryBytes = min(1 << 20, connection.maxPayload - Self.headBytes)
    reader = try Reader(connection, settings)
    inbox = try Inbox(connection, settings)
  }

  deinit { destroyAnswers() }

  /// What a message may have beside its entry.
  private static let headBytes = 256

  package func append(
    _ entry: [UInt8], behind sequence: UInt64, patience: Int64
  ) -> SharedLogAnswer {
    round += 1
    let reply = "\(inbox.subject).\(round)"
    let deadline = monotonicNanoseconds() + UInt64(max(0, patience)) * 1_000
    let sent = publish(entry, behind: sequence, reply: reply)
    destroyAnswers()
    guard sent == NATS_OK else { return .unanswered(connection.silence(sent)) }
    while true {
      do throws(NATSFailure) {
        let message = try inbox.next(until: deadline)
        answers.append(message)
        guard String(cString: natsMsg_GetSubject(message)) == reply else { continue }
        return answer(message, behind: sequence)
      } catch {
        return .unanswered(connection.silence(error.status))
      }
    }
  }

  private func publish(_ entry: [UInt8], behind sequence: UInt64, reply: String) -> natsStatus {
    var message: OpaquePointer?
    var status = entry.withUnsafeBytes { bytes in
      natsMsg_Create(
        &message, subject, reply, bytes.bindMemory(to: CChar.self).baseAddress, Int32(bytes.count))
    }
    guard status == NATS_OK else { return status }
    defer { natsMsg_Destroy(message) }
    for (key, value) in [
      ("Nats-Expected-Last-Sequence", String(sequence)), ("Nats-Expected-Stream", stream),
    ] where status == NATS_OK {
      status = natsMsgHeader_Set(message, key, value)
    }
    return status == NATS_OK ? natsConnection_PublishMsg(connection.handle, message) : status
  }

  private func answer(_ message: OpaquePointer, behind sequence: UInt64) -> SharedLogAnswer {
    let bytes = UnsafeRawBufferPointer(
      start: natsMsg_GetData(message), count: Int(natsMsg_GetDataLength(message)))
    // `{"stream":"WL_0","seq":5}`, or `{"error":{"code":400,"err_code":10071,…},…}`.
    guard let members = try? Members(bytes) else {
      return .unanswered(SharedLogSilence("a node's answer is no JSON"))
    }
    guard let error = members.object("error") else {
      return members.integer("seq") == Int64(sequence) + 1
        ? .appended : .unanswered(SharedLogSilence("a node puts an entry where it does not belong"))
    }
    let code = jsErrCode(UInt32(clamping: error.integer("err_code") ?? 0))
    return code == JSStreamWrongLastSequenceErr
      ? .refused : .unanswered(connection.silence(NATS_ERR, code))
  }

  private func destroyAnswers() {
    for message in answers { natsMsg_Destroy(message) }
    answers.removeAll(keepingCapacity: true)
  }

  package func read(
    behind sequence: UInt64, patience: Int64
  ) throws(SharedLogSilence) -> SharedLogPiece {
    let entries = try reader.read(behind: sequence, patience: patience)
    if !entries.isEmpty { return SharedLogPiece(first: sequence + 1, entries: entries) }
    // At its end, or before its start.
    let state = try connection.state(of: stream, patience: patience)
    let first = max(state.first, min(sequence, state.last) + 1)
    return SharedLogPiece(first: first)
  }

  package var byteCount: Int? {
    (try? connection.state(of: stream, patience: 1_000_000)).map { Int(clamping: $0.bytes) }
  }

  package func trim(through sequence: UInt64) {
    connection.purge(stream, through: sequence)
  }
}

/// Which stream, and where.
package struct JetStreamSettings: Sendable {
  /// URLs of nodes, with commas between.
  package var servers: String
  package var shard = 0
  package var shards = 1
  /// On how many nodes an entry is kept; more than half of them have it before it counts.
  package var replicas = 3

  package init(servers: String) { self.servers = servers }

  /// The same shard's snapshots.
  package var snapshots: JetStreamSettings {
    var settings = self
    settings.isSnapshots = true
    return settings
  }

  private var isSnapshots = false

  package var stream: String { isSnapshots ? "WL_\(shard)_SNAP" : "WL_\(shard)" }
  /// What a person is told of it.
  var name: String { "\(withoutSecrets(servers)) stream \(stream)" }
  var subject: String { "watchline.\(isSnapshots ? "snapshot" : "log").\(shard)" }
  /// By this a server knows that the stream is one of Watchline's, and of a cluster with as many shards.
  package var description: String {
    "Watchline \(isSnapshots ? "snapshots" : "log") 1, shard \(shard) of \(shards)"
  }
}
