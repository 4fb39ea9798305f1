package import Foundation

/// An editing trace or a concurrent history, as the files of josephg/editing-traces and
/// josephg/eg-walker-reference have them: positions count Unicode scalars, in the document that is
/// the merge of a transaction's parents.
package struct Trace: Sendable {
  package struct Edit: Sendable {
    package var position: Int
    package var deleted: Int
    package var inserted: String
    /// In scalars.
    package var insertedCount: Int

    package init(position: Int, deleted: Int = 0, inserted: String = "") {
      self.position = position
      self.deleted = deleted
      self.inserted = inserted
      insertedCount = inserted.unicodeScalars.count
    }
  }

  package struct Transaction: Sendable {
    /// Indices of transactions.
    package var parents: [Int]
    package var author: Int
    /// The author's number of the first edited character; conformance histories only.
    package var seqStart: Int
    package var edits: [Edit]
  }

  package var transactions: [Transaction]
  package var endContent: String

  /// Where the files are: the folder in WATCHLINE_DATA, else one beside the checkout.
  package static var folder: URL {
    if let folder = ProcessInfo.processInfo.environment["WATCHLINE_DATA"] {
      return URL(filePath: folder)
    }
    return URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../shared/data").standardizedFileURL
  }

  package static func url(_ name: String, in folder: URL = folder) -> URL {
    folder.appending(path: "text/\(name).json.gz")
  }

  package static func exists(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: url(name).path)
  }

  /// The trace in a file of one.
  package init(_ name: String, in folder: URL = folder) throws {
    let json = try Self.json(Self.url(name, in: folder)) as! [String: Any]
    endContent = json["endContent"] as! String
    var previous: Int?
    transactions = (json["txns"] as! [[String: Any]]).enumerated().map { index, transaction in
      defer { previous = index }
      return Transaction(
        parents: transaction["parents"] as? [Int] ?? previous.map { [$0] } ?? [],
        author: transaction["agent"] as? Int ?? 0, seqStart: 0,
        edits: Self.edits(transaction["patches"]))
    }
  }

  /// The histories in a file of many.
  package static func histories(_ name: String) throws -> [Trace] {
    (try json(url(name)) as! [[String: Any]]).map(Trace.init(history:))
  }

  /// Parents are given by the number of the last character operation before.
  private init(history: [String: Any]) {
    endContent = history["endContent"] as! String
    let all = history["txns"] as! [[String: Any]]
    var byLast: [Int: Int] = [:]
    for (index, transaction) in all.enumerated() {
      byLast[(transaction["span"] as! [Int])[1] - 1] = index
    }
    transactions = all.map { transaction in
      Transaction(
        parents: (transaction["parents"] as! [Int]).map { byLast[$0]! },
        author: Int((transaction["agent"] as! String).unicodeScalars.first!.value),
        seqStart: transaction["seqStart"] as! Int, edits: Self.edits(transaction["ops"]))
    }
  }

  private static func edits(_ json: Any?) -> [Edit] {
    (json as! [[Any]]).map {
      Edit(position: $0[0] as! Int, deleted: $0[1] as! Int, inserted: $0[2] as! String)
    }
  }

  private static func json(_ url: URL) throws -> Any {
    let gzip = Process()
    gzip.executableURL = URL(filePath: "/usr/bin/env")
    gzip.arguments = ["gzip", "-dc", url.path]
    let output = Pipe()
    gzip.standardOutput = output
    try gzip.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    gzip.waitUntilExit()
    return try JSONSerialization.jsonObject(with: data)
  }
}
