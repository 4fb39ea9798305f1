/// What is committed, entry by entry, in order: the store itself. Everything else that a store has on its disk is
/// a copy that is brought up behind it.
///
/// An entry has a sequence, which rises and may leave numbers out. Whoever appends says behind which sequence; so
/// of two writers that know the same log only one goes on (compare-and-append).
/// One thread at a time uses a log. `LogConformance` in the tests holds those in a file and in memory to what stands here.
package protocol Log: AnyObject {
  /// The sequence of the last entry, or of the one behind which a log without entries goes on.
  var last: UInt64 { get }
  /// What it takes on its medium, up to the end of the last entry.
  var byteCount: Int { get }

  /// Appends an entry. When this returns it is durable.
  ///
  /// After a throw other than `conflict` nobody can say whether the entry is there. Appending behind the same
  /// sequence once more, the same or another one, replaces it; or the earlier one comes through instead, where others
  /// may know it already. `last` says which.
  ///
  /// - Parameters:
  ///   - sequence: higher than `previous`.
  ///   - previous: the sequence of the entry before.
  /// - Throws: `conflict` where the last entry is another one: nothing was appended. `full`, `io`.
  func append(
    _ entry: [UInt8], sequence: UInt64, behind previous: UInt64
  ) throws(StoreError)

  /// Entries up to a sequence are not needed any more. `last` stays what it is.
  func trim(through sequence: UInt64)
}
