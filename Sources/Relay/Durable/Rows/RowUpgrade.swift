package import Journal

/// Rows of earlier versions of the store.
package enum RowUpgrade {
  /// What a row of version 1 is today.
  ///
  /// - Throws: `JournalError` where it cannot be understood.
  package static func fromVersion1(_ row: Row) throws -> [Row] {
    row.key.table == .device ? try DeviceRow.upgrade(row) : [row]
  }
}
