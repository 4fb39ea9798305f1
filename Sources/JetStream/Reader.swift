import CNATS
import Glibc
import Storage

/// Reads messages of a stream by their sequences, many questions at a time. Any node that has the stream answers
/// (`DIRECT.GET`, <https://docs.nats.io/reference/reference-protocols/nats_api_reference>), also one that was left behind.
final class Reader {
  private let connection: Connection
  private let question: String
  private let inbox: Inbox
  private var window = ReadWindow()
  /// Tells the answers of this call from late ones.
  private var round = 0

  init(_ connection: Connection, _ settings: JetStreamSettings) throws(StoreError) {
    self.connection = connection
    question = "$JS.API.DIRECT.GET.\(settings.stream)"
    inbox = try Inbox(connection, settings)
  }

  /// - Returns: the entries behind a sequence that follow each other; none where the next one is not there.
  func read(behind sequence: UInt64, patience: Int64) throws(SharedLogSilence) -> [[UInt8]] {
    round += 1
    for number in sequence + 1...sequence + UInt64(window.count) {
      let ask = "{\"seq\":\(number)}"
      let status = natsConnection_PublishRequestString(
        connection.handle, question, "\(inbox.subject).\(round).\(number)", ask)
      guard status == NATS_OK else { throw connection.silence(status) }
    }
    var found: [UInt64: [UInt8]] = [:]
    var answers = 0
    let deadline = monotonicNanoseconds() + UInt64(patience) * 1_000
    while answers < window.count {
      let message: OpaquePointer
      do throws(NATSFailure) {
        message = try inbox.next(until: deadline)
      } catch {
        guard error.status == NATS_TIMEOUT, found[sequence + 1] != nil else {
          throw connection.silence(error.status)
        }
        break
      }
      defer { natsMsg_Destroy(message) }
      guard let number = number(message) else { continue }
      answers += 1
      if let entry = entry(message) { found[number] = entry }
    }
    var entries: [[UInt8]] = []
    while let entry = found[sequence + UInt64(entries.count) + 1] { entries.append(entry) }
    window.note(entries)
    return entries
  }

  /// The sequence that was asked for; nil where that was in an earlier call.
  private func number(_ message: OpaquePointer) -> UInt64? {
    let words = String(cString: natsMsg_GetSubject(message)).split(separator: ".")
    guard words.count >= 2, Int(words[words.count - 2]) == round else { return nil }
    return UInt64(words[words.count - 1])
  }

  /// nil where the message is not there.
  private func entry(_ message: OpaquePointer) -> [UInt8]? {
    var status: UnsafePointer<CChar>?
    guard natsMsgHeader_Get(message, "Status", &status) != NATS_OK else { return nil }
    let count = Int(natsMsg_GetDataLength(message))
    guard count > 0, let bytes = natsMsg_GetData(message) else { return nil }
    return [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
  }
}
