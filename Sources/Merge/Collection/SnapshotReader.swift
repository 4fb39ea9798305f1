package import Wire
package struct SnapshotReader { package init() {}
 package mutating func add(_ d: Datum) throws(WireError) {}
 package func finish() throws(WireError) -> Fold { Fold() } }
extension Fold { package func snapshot() -> [Datum] { [] } }
