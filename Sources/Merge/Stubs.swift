package import Wire
extension OldView { func offset(of e: Element) -> Int? { nil } }
extension Fold {
  package func isSealed(_ e: Element) -> Bool { false }
  package func snapshot() -> [Datum] { [] }
  package func purge(frontier: VersionVector, horizon: UInt64) {}
}
package struct SnapshotReader { mutating func add(_ d: Datum) throws(WireError) {}
  func finish() throws(WireError) -> Fold { Fold() } }
package struct TextEdit { var offset = 0; var removed = 0; var inserted = "" }
package enum TextDiff { static func edits(from: String, to: String) -> [TextEdit] { [] } }
extension Schema { package func check(_ operation: Operation) throws(WireError) {} }
