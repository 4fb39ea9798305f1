/// The tables of a store, their version, and how to come from an older version to this one.
package struct Schema: Sendable {
  /// `user_version`; rises with each change of the tables or of what they mean.
  package var version: Int
  /// By version: what makes its tables in an empty database. A store of which the tables are not
  /// those of its version is damaged.
  package var creations: [Int: String]
  /// By the version that it starts from: what leads to the next one. All the steps that a store needs
  /// run in one transaction.
  package var steps: [Int: Step]

  package enum Step: Sendable {
    case statements(String)
    /// To checksums, and to rows of forms that have changed.
    case toVersion2
  }

  package init(version: Int, creations: [Int: String], steps: [Int: Step]) {
    self.version = version
    self.creations = creations
    self.steps = steps
  }

  /// Makes the tables of `version` in an empty database.
  var creation: String { creations[version] ?? "" }

  /// 'WLIN', at offset 68 of the file (<https://www.sqlite.org/fileformat2.html#application_id>).
  package static let applicationIdentifier: UInt32 = 0x574C_494E

  /// Version 3 has the tables of version 2, and a log in front of them, of which an older program knows nothing.
  package static let current = Schema(
    version: 3, creations: [1: version1, 2: version2, 3: version2],
    steps: [1: .toVersion2, 2: .statements("")])

  /// A key's rows lie together because the key is the table (<https://www.sqlite.org/withoutrowid.html>).
  /// What is read at the start of a segment comes before what is not.
  static let version2 = """
    CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
    \(rowTables.map { table2($0) }.joined(separator: "\n"))
    \(segment2)
    """

  static let rowTables = ["pair", "device", "context", "file", "queue", "hub", "operation"]

  static func table2(_ name: String) -> String {
    """
    CREATE TABLE \(name)(
      pair INTEGER, item INTEGER, sum INTEGER NOT NULL, value BLOB NOT NULL,
      PRIMARY KEY(pair, item)) WITHOUT ROWID;
    """
  }

  static let segment2 = """
    CREATE TABLE segment(number INTEGER PRIMARY KEY, sum INTEGER NOT NULL, header BLOB NOT NULL,
      sums BLOB NOT NULL, body BLOB NOT NULL);
    """

  /// Spelled as that version spelled it.
  private static let version1 = """
    CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
    \(rowTables.map { name in
      """
      CREATE TABLE \(name)(
        pair INTEGER, item INTEGER, value BLOB NOT NULL, PRIMARY KEY(pair, item)) WITHOUT ROWID;
      """
    }.joined(separator: "\n"))
    CREATE TABLE segment(number INTEGER PRIMARY KEY, header BLOB NOT NULL, body BLOB NOT NULL);
    """
}
