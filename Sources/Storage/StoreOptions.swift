/// What a test or a benchmark may vary. The defaults are measured (`store-benchmark`).
package struct StoreOptions: Sendable {
  /// A registered SQLite VFS; nil is SQLite's own.
  package var vfs: String?
  /// Tables, version and migrations.
  package var schema = Schema.current
  /// Bytes a page of a new store.
  package var pageSize = 16384
  /// Bytes of batches that may share a transaction; one batch may be larger.
  package var groupBytes = 4 << 20
  /// Bytes of reads answered between two commits; one reference may be larger.
  package var readBytes = 256 << 10
  /// Log bytes that are moved into the database when nothing waits…
  package var idleCheckpointBytes = 4 << 20
  /// …and those that are moved even though batches wait.
  package var busyCheckpointBytes = 64 << 20
  /// The first and the longest delay, in nanoseconds, before a failed step is tried again.
  package var retryDelays: ClosedRange<UInt64> = 10_000_000...1_000_000_000
  /// A store up to this size is checked page by page at each opening; a larger one only when it was
  /// not closed cleanly. 240 MiB take 0.15 s from memory.
  package var checkedBytes = 256 << 20

  package init() {}
}
