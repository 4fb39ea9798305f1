/// The tables of a store, their version, and how to come from an older version to this one.
package struct Schema: Sendable {
  /// `user_version`; rises with each change of the tables or of what they mean.
  package var version: Int
  /// Makes the tables of `version` in an empty database.
  package var creation: String
  /// By the version that it starts from: what leads to the next one. All the steps that a store needs
  /// run in one transaction.
  package var steps: [Int: String]

  package init(version: Int, creation: String, steps: [Int: String]) {
    self.version = version
    self.creation = creation
    self.steps = steps
  }

  /// 'WLIN', at offset 68 of the file (<https://www.sqlite.org/fileformat2.html#application_id>).
  package static let applicationIdentifier: UInt32 = 0x574C_494E

  package static let current = Schema(
    version: 1,
    creation: """
      CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
      \(rowTables("pair", "device", "context", "file", "queue", "hub", "operation"))
      CREATE TABLE segment(number INTEGER PRIMARY KEY, header BLOB NOT NULL, body BLOB NOT NULL);
      """,
    steps: [0: rowTables("file", "queue", "hub", "operation")])

  /// A key's rows lie together because the key is the table (<https://www.sqlite.org/withoutrowid.html>).
  private static func rowTables(_ names: String...) -> String {
    names.map { name in
      """
      CREATE TABLE \(name)(
        pair INTEGER, item INTEGER, value BLOB NOT NULL, PRIMARY KEY(pair, item)) WITHOUT ROWID;
      """
    }.joined(separator: "\n")
  }
}
