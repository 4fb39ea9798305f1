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
    /// To checksums, and to rows of which the format has changed.
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
    version: 4, creations: [1: version1, 2: version2, 3: version2, 4: version4],
    steps: [1: .toVersion2, 2: .statements(""), 3: .statements(toVersion4)])

  /// A row's key is its number in the tree, pair and item in one: a pair's rows lie together, and to find one no other
  /// row's value is read, as long as it may be (<https://www.sqlite.org/rowidtable.html>).
  /// What is read at the start of a segment comes before what is not.
  static let version4 = """
    CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
    \(rowTables.map { table4($0) }.joined(separator: "\n"))
    \(segment2)
    """

  static func table4(_ name: String) -> String {
    """
    CREATE TABLE \(name)(
      key INTEGER PRIMARY KEY, sum INTEGER NOT NULL, value BLOB NOT NULL,
      pair INTEGER AS (key >> 32 & 4294967295), item INTEGER AS (key & 4294967295));
    """
  }

  private static let toVersion4 = rowTables.map { name in
    """
    ALTER TABLE \(name) RENAME TO old;
    \(table4(name))
    INSERT INTO \(name)(key, sum, value) SELECT pair << 32 | item, sum, value FROM old;
    DROP TABLE old;
    """
  }.joined(separator: "\n")

  /// The key is the table (<https://www.sqlite.org/withoutrowid.html>).
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
