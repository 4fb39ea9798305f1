package import Merge
import Relay
package import Wire

/// Other schemas while the server runs.
extension Hubs {
  /// Takes other schemas in the place of those that hubs could be opened for until now: all of them, or
  /// none where one that is in use would change.
  ///
  /// - Returns: what is different, by name.
  /// - Throws: 4004 with the schema that is in use; nothing has changed then.
  @discardableResult
  package func takeSchemas(_ schemas: [Schema]) throws(WireError) -> [SchemaChange] {
    let changes = try changes(to: schemas)
    self.schemas = schemas
    return changes
  }

  /// What would be different with other schemas, by name.
  ///
  /// - Throws: what `takeSchemas` does.
  package func changes(to schemas: [Schema]) throws(WireError) -> [SchemaChange] {
    var changes: [SchemaChange] = []
    for schema in self.schemas {
      let new = schemas.first { $0.name == schema.name }
      guard new?.digest != schema.digest else { continue }
      if let pair = relay.pairs.values.filter({ $0.uses(schema.name) }).min(by: {
        $0.number < $1.number
      }) {
        throw WireError(
          .invalidField,
          "schema \(schema.name.text) is in use by pair \(pair.name); leave it as it was, or send the "
            + "signal again when nobody has been connected to the pair for "
            + "\(Limits.idleGrace / 1_000_000) s")
      }
      changes.append(SchemaChange(name: schema.name.text, kind: new == nil ? .removed : .changed))
    }
    for schema in schemas where !self.schemas.contains(where: { $0.name == schema.name }) {
      // Its hub would be made a second time, beside the one in the store.
      if let pair = relay.pairs.values.filter({ $0.here?.absent.isEmpty == false }).min(by: {
        $0.number < $1.number
      }) {
        throw WireError(
          .invalidField,
          "schema \(schema.name.text) is new, and pair \(pair.name) is in use and has records of a "
            + "schema that was not here; send the signal again when nobody has been connected to it for "
            + "\(Limits.idleGrace / 1_000_000) s")
      }
      changes.append(SchemaChange(name: schema.name.text, kind: .added))
    }
    return changes
  }
}

package struct SchemaChange: Equatable {
  package enum Kind: String { case added, changed, removed }

  package var name: String
  package var kind: Kind
}

extension Pair {
  fileprivate func uses(_ schema: Name) -> Bool {
    here?.hubs.contains { $0.schema.name == schema } == true
  }
}
