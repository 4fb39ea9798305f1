import CPostgreSQL
import Glibc
import Storage

/// A connection to PostgreSQL that waits for no answer longer than it may: libpq's calls that do not block, and `poll`.
///
/// After an answer that did not come the connection is closed, and a new one is made for the next question. The question may
/// be carried out all the same.
final class Session {
  private let url: String
  private var handle: OpaquePointer?

  init(_ url: String) { self.url = url }

  deinit { close() }

  private func close() {
    if let handle { PQfinish(handle) }
    handle = nil
  }

  /// The rows of an answer, with bytes for each value; nil for NULL.
  struct Answer {
    var rows: [[[UInt8]?]] = []
    /// How many rows were written.
    var changed = 0
  }

  /// Why there is none.
  struct Failure: Error {
    var reason: String
    /// SQLSTATE (<https://www.postgresql.org/docs/15/errcodes-appendix.html>); empty where the connection failed.
    var state = ""
  }

  /// Runs a statement.
  ///
  /// - Parameters:
  ///   - parameters: bytes as PostgreSQL's binary format has them.
  ///   - patience: in microseconds.
  func ask(
    _ statement: String, _ parameters: [[UInt8]] = [], patience: Int64
  ) throws(Failure) -> Answer {
    let deadline = monotonicNanoseconds() + UInt64(patience) * 1_000
    do throws(Failure) {
      let handle = try connected(by: deadline)
      try send(statement, parameters, handle)
      return try answer(handle, by: deadline)
    } catch {
      if error.state.isEmpty { close() }
      throw error
    }
  }

  // MARK: The connection

  private func connected(by deadline: UInt64) throws(Failure) -> OpaquePointer {
    if let handle, PQstatus(handle) == CONNECTION_OK { return handle }
    close()
    guard let handle = start() else { throw Failure(reason: "there is no memory") }
    self.handle = handle
    while true {
      switch PQconnectPoll(handle) {
      case PGRES_POLLING_OK:
        PQsetnonblocking(handle, 1)
        return handle
      case PGRES_POLLING_READING: try wait(handle, for: POLLIN, by: deadline)
      case PGRES_POLLING_WRITING: try wait(handle, for: POLLOUT, by: deadline)
      default: throw failure(handle)
      }
    }
  }

  private func start() -> OpaquePointer? {
    let settings = [
      ("dbname", url), ("application_name", "watchline-server"),
      ("options", "-c synchronous_commit=on -c default_transaction_isolation=read\\ committed"),
    ]
    var keys = settings.map { UnsafePointer(strdup($0.0)) }
    var values = settings.map { UnsafePointer(strdup($0.1)) }
    defer { for text in keys + values { free(UnsafeMutablePointer(mutating: text)) } }
    keys.append(nil)
    values.append(nil)
    return PQconnectStartParams(&keys, &values, 1)
  }

  private func send(
    _ statement: String, _ parameters: [[UInt8]], _ handle: OpaquePointer
  ) throws(Failure) {
    let lengths = parameters.map { Int32($0.count) }
    let formats = parameters.map { _ in Int32(1) }
    let copies = parameters.map { parameter in
      let copy = UnsafeMutablePointer<CChar>.allocate(capacity: max(1, parameter.count))
      parameter.withUnsafeBytes {
        UnsafeMutableRawPointer(copy).copyMemory(
          from: $0.baseAddress ?? UnsafeRawPointer(copy), byteCount: $0.count)
      }
      return copy
    }
    defer { for copy in copies { copy.deallocate() } }
    let sent = PQsendQueryParams(
      handle, statement, Int32(parameters.count), nil, copies.map { UnsafePointer($0) }, lengths,
      formats, 1)
    guard sent == 1 else { throw failure(handle) }
  }

  private func answer(
    _ handle: OpaquePointer, by deadline: UInt64
  ) throws(Failure) -> Answer {
    // What is long is written in pieces, while the server may have something to say.
    while true {
      let left = PQflush(handle)
      guard left >= 0 else { throw failure(handle) }
      if left == 0 { break }
      try wait(handle, for: POLLIN | POLLOUT, by: deadline)
      guard PQconsumeInput(handle) == 1 else { throw failure(handle) }
    }
    var answer = Answer()
    var trouble: Failure?
    while true {
      while PQisBusy(handle) == 1 {
        try wait(handle, for: POLLIN, by: deadline)
        guard PQconsumeInput(handle) == 1 else { throw failure(handle) }
      }
      guard let result = PQgetResult(handle) else { break }
      defer { PQclear(result) }
      switch PQresultStatus(result) {
      case PGRES_TUPLES_OK, PGRES_COMMAND_OK: read(result, into: &answer)
      default:
        let state = PQresultErrorField(result, 67).map { String(cString: $0) } ?? ""
        trouble = Failure(reason: Self.line(PQresultErrorMessage(result)), state: state)
      }
    }
    if let trouble { throw trouble }
    return answer
  }

  private func read(_ result: OpaquePointer, into answer: inout Answer) {
    for row in 0..<PQntuples(result) {
      answer.rows.append(
        (0..<PQnfields(result)).map { column in
          guard PQgetisnull(result, row, column) == 0 else { return nil }
          let count = Int(PQgetlength(result, row, column))
          return [UInt8](
            UnsafeRawBufferPointer(start: PQgetvalue(result, row, column), count: count))
        })
    }
    answer.changed = PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0
  }

  private func wait(
    _ handle: OpaquePointer, for events: Int32, by deadline: UInt64
  ) throws(Failure) {
    let now = monotonicNanoseconds()
    var entry = pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
    let milliseconds = now < deadline ? Int32((deadline - now + 999_999) / 1_000_000) : 0
    guard poll(&entry, 1, milliseconds) != 0 else {
      throw Failure(reason: "no answer in time")
    }
  }

  private func failure(_ handle: OpaquePointer) -> Failure {
    Failure(reason: Self.line(PQerrorMessage(handle)))
  }

  /// libpq's messages have lines.
  private static func line(_ message: UnsafePointer<CChar>?) -> String {
    let text = message.map { String(cString: $0) } ?? ""
    return text.split(whereSeparator: \.isNewline).joined(separator: "; ")
  }
}
