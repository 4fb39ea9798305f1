package import Storage

/// A shard's log as rows of PostgreSQL: an entry is a row, and one more row has the sequence of the last one.
///
/// Appending is one statement, which changes that row where it is as expected: of two that want the same place the second one
/// waits for the first and then finds another number (READ COMMITTED,
/// <https://www.postgresql.org/docs/15/transaction-iso.html#XACT-READ-COMMITTED>).
package final class PostgreSQL: SharedLog {
  package let name: String
  package let entryBytes = 1 << 20
  private let session: Session
  /// Which of the logs in the tables.
  private let log: [UInt8]
  private var window = ReadWindow()
  private static let patience: Int64 = 5_000_000

  /// Connects, and makes the tables where there are none.
  ///
  /// - Throws: `cannotOpen` where the database cannot be reached or used, or keeps less than it says; `notOurs` where the
  ///   log is another shard's.
  package init(_ settings: PostgreSQLSettings) throws(StoreError) {
    session = Session(settings.url)
    log = Array(settings.log.utf8)
    name = "\(withoutSecrets(settings.url)) log \(settings.log)"
    let description: String
    do throws(Session.Failure) {
      if !settings.allowsUnsynced { try checkSync() }
      for statement in Self.tables {
        do throws(Session.Failure) {
          _ = try session.ask(statement, patience: Self.patience)
        } catch  where error.state == Self.uniqueViolation {
          // Another server makes the same one right now.
        }
      }
      _ = try session.ask(
        "INSERT INTO watchline_log VALUES ($1::text, $2::text, 0) ON CONFLICT DO NOTHING",
        [log, Array(settings.description.utf8)], patience: Self.patience)
      let row = try session.ask(
        "SELECT description FROM watchline_log WHERE log = $1::text", [log],
        patience: Self.patience
      ).rows.first
      description = String(decoding: row?[0] ?? [], as: UTF8.self)
    } catch {
      throw self.error(
        .cannotOpen,
        "cannot be used (\(error.reason)); start PostgreSQL, or correct --cluster")
    }
    guard description == settings.description else {
      throw error(
        .notOurs,
        "is not the log of this shard: its description is \(description.debugDescription), and "
          + "\(settings.description.debugDescription) is expected; the cluster has another number of shards"
      )
    }
  }

  private static let uniqueViolation = "23505"

  private static let tables = [
    """
    CREATE TABLE IF NOT EXISTS watchline_log(
      log text PRIMARY KEY, description text NOT NULL, last bigint NOT NULL)
    """,
    """
    CREATE TABLE IF NOT EXISTS watchline_entry(
      log text NOT NULL, sequence bigint NOT NULL, entry bytea NOT NULL, PRIMARY KEY (log, sequence))
    """,
  ]

  /// A commit that is answered is on the disk only where the server was not told otherwise.
  private func checkSync() throws(Session.Failure) {
    for setting in ["fsync", "full_page_writes"] {
      let value = try session.ask("SHOW \(setting)", patience: Self.patience).rows.first?[0] ?? []
      guard value == Array("on".utf8) else {
        throw Session.Failure(
          reason:
            "its \(setting) is off, so that what is accepted may be lost when the power fails; set it on, or start "
            + "with --allow-unsynced")
      }
    }
  }

  private func error(_ kind: StoreError.Kind, _ message: String) -> StoreError {
    StoreError(kind, function: "PostgreSQL", path: name, message)
  }

  // MARK: SharedLog

  package func append(
    _ entry: [UInt8], behind sequence: UInt64, patience: Int64
  ) -> SharedLogAnswer {
    do throws(Session.Failure) {
      let answer = try session.ask(
        """
        WITH head AS (
          UPDATE watchline_log SET last = last + 1 WHERE log = $1::text AND last = $2::bigint RETURNING last)
        INSERT INTO watchline_entry SELECT $1::text, last, $3::bytea FROM head
        """, [log, Self.bytes(sequence), entry], patience: patience)
      return answer.changed == 1 ? .appended : .refused
    } catch {
      return .unanswered(Self.silence(error))
    }
  }

  package func read(
    behind sequence: UInt64, patience: Int64
  ) throws(SharedLogSilence) -> SharedLogPiece {
    do throws(Session.Failure) {
      let rows = try session.ask(
        """
        SELECT sequence, entry FROM watchline_entry
        WHERE log = $1::text AND sequence > $2::bigint ORDER BY sequence LIMIT \(window.count)
        """, [log, Self.bytes(sequence)], patience: patience
      ).rows
      let entries = rows.map { $0[1] ?? [] }
      window.note(entries)
      if let first = rows.first {
        return SharedLogPiece(first: Self.number(first[0]), entries: entries)
      }
      let ends = try session.ask(
        """
        SELECT last, (SELECT min(sequence) FROM watchline_entry WHERE log = $1::text)
        FROM watchline_log WHERE log = $1::text
        """, [log], patience: patience
      ).rows
      guard let row = ends.first else {
        throw Session.Failure(reason: "its row is gone", state: "-")
      }
      let last = Self.number(row[0])
      let first = row[1] == nil ? last + 1 : Self.number(row[1])
      return SharedLogPiece(first: max(first, min(sequence, last) + 1))
    } catch {
      throw Self.silence(error)
    }
  }

  package var byteCount: Int? {
    let answer = try? session.ask(
      "SELECT coalesce(sum(length(entry)), 0)::bigint FROM watchline_entry WHERE log = $1::text",
      [log], patience: Self.patience)
    return (answer?.rows.first?[0]).map { Int(clamping: Self.number($0)) }
  }

  package func trim(through sequence: UInt64) {
    _ = try? session.ask(
      "DELETE FROM watchline_entry WHERE log = $1::text AND sequence <= $2::bigint",
      [log, Self.bytes(sequence)], patience: Self.patience)
  }

  private static func silence(_ failure: Session.Failure) -> SharedLogSilence {
    switch failure.state {
    case "": SharedLogSilence("PostgreSQL does not answer: \(failure.reason)")
    case "53100": SharedLogSilence("the disk of PostgreSQL is full")
    default: SharedLogSilence("PostgreSQL says \(failure.state): \(failure.reason)")
    }
  }

  // MARK: bigint, as PostgreSQL's binary format has it

  private static func bytes(_ number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: min(number, UInt64(Int64.max)) >> (56 - 8 * $0)) }
  }

  private static func number(_ bytes: [UInt8]?) -> UInt64 {
    (bytes ?? []).reduce(0) { $0 << 8 | UInt64($1) }
  }
}

/// Which log, and where.
package struct PostgreSQLSettings: Sendable {
  /// As libpq takes it (<https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-CONNSTRING>).
  package var url: String
  package var shard = 0
  package var shards = 1
  /// A server that does not sync is taken, too.
  package var allowsUnsynced = false
  private var isSnapshots = false

  package init(url: String) { self.url = url }

  /// The same shard's snapshots.
  package var snapshots: PostgreSQLSettings {
    var settings = self
    settings.isSnapshots = true
    return settings
  }

  var log: String { isSnapshots ? "snapshots \(shard)" : "shard \(shard)" }

  var description: String {
    "Watchline \(isSnapshots ? "snapshots" : "log") 1, shard \(shard) of \(shards)"
  }
}
