/// A wish to have the rows of one pair back from the store.
///
/// The answer has them as of all batches submitted before, committed or not.
package struct PairRead: Sendable, Hashable {
  package var pair: UInt32
  /// Which rows, and in which order: table by table, each by item, rising.
  package var tables: [Row.Table]

  package init(pair: UInt32, tables: [Row.Table]) {
    self.pair = pair
    self.tables = tables
  }
}
