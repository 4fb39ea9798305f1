/// Where a store keeps its data.
package enum StoreLocation: Sendable, Equatable {
  /// Nothing outlives the process.
  case memory
  /// A directory that holds `watchline.sqlite`, its WAL and its mark; it is created when missing. One store
  /// a directory.
  case directory(String)
}
