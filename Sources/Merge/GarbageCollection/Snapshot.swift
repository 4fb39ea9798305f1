/// A fold as canonical values: what a replica starts from that has not seen what came before.
///
/// Equal sets of operations, with the same purges, give equal bytes, whatever the order in which
/// they came, and reading a snapshot back gives a fold that goes on as the first one would.
///
/// It is a list of pieces, each an object with `part`:
/// ```
/// header      format, pieces, horizon, unknown, replicas: [{replica, seq, base, stamp}]
/// records     records: [{kind, record, created, touch, inside, changes, exhumed}]
/// operations  replica, operations: [{seq, stamp, wall, context,
///                 actions: [{action, index, element, archived, lostTo, recovered}]}]
/// text        kind, record, field, runs: [{first, count, step, rank, parent, side, key, dead, text}]
/// list        kind, into, runs
/// graves      graves: [{kind, record, mark}]
/// ```
/// They come in that order, each sorted by its key: records by kind and id, operations by replica
/// and number. Where nothing is to be said a member is left out.
///
/// - Replicas are named by their place in the header: a dot is `<place>/<seq>`, an element
///   `<place>/<seq>/<index>`, a run's key `<element>/<rank>`, a mark `<place>/<seq>/<stamp>`. In actions and contexts they have
///   their own names, as everywhere.
/// - Registers, deletes and what was recovered are told with the actions that made them. Of an
///   operation those are there, and of one after the base apart what it erased; the operations
///   after the base are all there, be it without actions.
/// - A store that keeps the log behind the base beside it leaves out what that has: of an operation after the
///   base its stamp, its wall and what it erased, and of its actions what was done. All of its actions are read then.
/// - A text or list tells which elements were dead at the base. What was erased later is erased
///   again when it is read.
enum Snapshot {
  static let format: Name = "1"

  /// The canonical bytes of a piece, but for one with a single item that needs more.
  static let pieceLimit = 256 << 10
  /// Elements of a run of one item: 6 bytes for a control character, the longest that JSON makes
  /// of one.
  static let runLimit = pieceLimit / 2 / 6

  /// In the order in which they come.
  enum Part: Int, CaseIterable {
    case header, records, operations, text, list, graves

    var name: Name { Self.names[rawValue] }
    private static let names = allCases.map { Name("\($0)") }
  }
}

extension Fold {
  /// The pieces of a snapshot, as canonical bytes.
  ///
  /// - Parameter hasLog: whether whoever reads it has all operations after the base, too.
  package func snapshot(besideLog hasLog: Bool = false) -> [[UInt8]] {
    var writer = SnapshotWriter(self, hasLog: hasLog)
    return writer.write()
  }
}
