import Wire
extension Fold {
  package func isSealed(_ e: Element) -> Bool { false }
  package func snapshot() -> [Datum] { [] }
  package func purge(frontier: VersionVector, horizon: UInt64) {}
}
package struct SnapshotReader {
  mutating func add(_ d: Datum) throws(WireError) {}
  func finish() throws(WireError) -> Fold { Fold() }
}
extension Fold { package func seal(_ v: VersionVector) {} }
