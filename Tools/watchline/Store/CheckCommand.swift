internal import AppModels
internal import Hub
internal import Relay
internal import Storage
internal import Usage
internal import Wire

/// `watchline check`: whether all that a store holds is as it was written.
enum CheckCommand: Subcommand {
  static let syntax = Syntax(
    name: "check",
    summary: "Read all that a store holds, and say what is not as it was written.",
    operands: "DIR", maximumOperands: 1,
    options: [
      Option("schema", value: "FILE", "a schema of your own, as the server has it"),
      Option("json", "print one JSON object: pairs, rows, segments, bytes, faults"),
    ],
    notes: """
      DIR is what --data names. Every page, row and payload is read, its checksum compared, and each pair
      put together as a server would. Nothing is changed. No server may have the store open: check a copy
      of a running server's, or stop it.

      A start may leave a commit out that was stopped in the middle of its last write; check names its rows.

      Exit status: 0 nothing is wrong, 1 something is, 2 the store cannot be looked at.
      """)

  static func run(_ arguments: Arguments) throws(UsageError) -> Int32 {
    let schemas = try StoreArguments.schemas(arguments)
    let reader = try StoreArguments.reader(arguments)
    var progress = StoreProgress(isShown: !arguments.has("json"))
    var faults = reader.faults { progress.show("checksums", $0, of: $1) }
    var pairs = 0
    if faults.isEmpty {
      do {
        let contents = try reader.contents()
        let telling = try StoreTelling(
          contents, hubs: Hubs.keeping(schemas, codecs: ShippedSchemas.codecs), rows: reader.rows,
          payload: nil, tell: { _ in })
        pairs = telling.count
        faults = telling.run(progress: { progress.show("pairs", $0, of: $1) })
      } catch {
        faults = ["\(error)"]
      }
    }
    progress.end()
    return report(faults, pairs, reader.tally, arguments)
  }

  private static func report(
    _ faults: [String], _ pairs: Int, _ tally: StoreReader.Tally, _ arguments: Arguments
  ) -> Int32 {
    if arguments.has("json") {
      var json = JSONWriter()
      json.object { json in
        json.member("pairs", pairs)
        json.member("rows", tally.rows)
        json.member("segments", tally.segments)
        json.member("bytes", tally.bytes)
        json.array("faults", faults) { $0.string($1) }
      }
      print(String(decoding: json.bytes, as: UTF8.self))
    } else if faults.isEmpty {
      print(
        "nothing is wrong (pairs: \(pairs), rows: \(tally.rows), segments: \(tally.segments), "
          + "bytes of payloads: \(tally.bytes))")
    } else {
      for fault in faults { print(fault) }
      complain("\(faults.count) faults; restore the store from a backup, or keep it for a report")
    }
    return faults.isEmpty ? 0 : 1
  }
}
