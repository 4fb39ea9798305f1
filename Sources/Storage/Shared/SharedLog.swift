/// A shard's log, as an engine keeps it for several servers: entries from 1 on, without a gap.
///
/// Its calls block, for about as long as they may and not for ever. One thread at a time makes them.
/// `SharedLogConformance` in the tests holds every adapter to what stands here.
package protocol SharedLog: AnyObject {
  /// What a person knows it by.
  var name: String { get }
  /// The most bytes of an entry.
  var entryBytes: Int { get }

  /// Appends an entry where the last one has that sequence, and nowhere else (compare-and-append).
  ///
  /// - Parameter patience: how long an answer is waited for, in microseconds.
  func append(
    _ entry: [UInt8], behind sequence: UInt64, patience: Int64
  ) -> SharedLogAnswer

  /// Reads entries behind a sequence: some of them, where there are many. What comes may be what the log had a while ago.
  ///
  /// - Throws: `SharedLogSilence`.
  func read(
    behind sequence: UInt64, patience: Int64
  ) throws(SharedLogSilence) -> SharedLogPiece

  /// What it takes where it is kept, in bytes; nil where that cannot be said now.
  var byteCount: Int? { get }

  /// Entries up to a sequence, of one that is there or was, are not needed any more. It may forget them, then or later.
  func trim(through sequence: UInt64)
}

/// How many entries are asked for at a time: more and more while there are as many, and one at the end.
package struct ReadWindow {
  package private(set) var count = 1

  private static let longest = 512
  /// Of the entries that come at a time, about.
  private static let mostBytes = 4 << 20

  package init() {}

  /// These came.
  package mutating func note(_ entries: [[UInt8]]) {
    let bytes = entries.reduce(0) { $0 + $1.count }
    if entries.count < count {
      count = 1
    } else {
      count = bytes > Self.mostBytes ? max(1, count / 2) : min(count * 2, Self.longest)
    }
  }
}

/// URLs, with commas between, as they may be shown: without passwords and options.
package func withoutSecrets(_ urls: String) -> String {
  let plain = urls.prefix { $0 != "?" }
  return plain.split(separator: ",", omittingEmptySubsequences: false).map { part in
    guard let at = part.lastIndex(of: "@") else { return String(part) }
    let host = String(part[part.index(after: at)...])
    guard let scheme = part.firstRange(of: "//") else { return host }
    return String(part[..<scheme.upperBound]) + host
  }.joined(separator: ",")
}

/// What a shard is kept in: its log, and a log of its snapshots, which take the place of what the first one forgets.
package struct SharedLogs {
  package let log: any SharedLog
  package let snapshots: any SharedLog

  package init(log: any SharedLog, snapshots: any SharedLog) {
    (self.log, self.snapshots) = (log, snapshots)
  }
}

package enum SharedLogAnswer: Sendable, Equatable {
  /// The entry is in the log, and as durable as the log keeps anything.
  case appended
  /// Another entry is the last one. This one may be in the log all the same, from an earlier try.
  case refused
  /// Nobody can say whether the entry is there, or will be.
  case unanswered(SharedLogSilence)
}

/// Why a log did not answer: a sentence without an end.
package struct SharedLogSilence: Error, Sendable, Equatable {
  package var reason: String

  package init(_ reason: String) { self.reason = reason }
}

/// Entries that follow each other.
package struct SharedLogPiece: Sendable, Equatable {
  /// The sequence of the first of them, or what it would be. Those before it were trimmed.
  package var first: UInt64
  package var entries: [[UInt8]]

  package init(first: UInt64, entries: [[UInt8]] = []) {
    self.first = first
    self.entries = entries
  }

  /// The sequence of the last one that was seen.
  var last: UInt64 { first + UInt64(entries.count) - 1 }
}
