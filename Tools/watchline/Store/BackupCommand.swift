internal import Storage
internal import Usage
internal import Wire

/// `watchline backup`: a copy of a store, be a server running on it or not.
enum BackupCommand: Subcommand {
  static let syntax = Syntax(
    name: "backup",
    summary: "Copy a store, also while a server runs on it.",
    operands: "DIR TO", maximumOperands: 2,
    options: [
      Option("json", "print one JSON object: lastBatch, bytes")
    ],
    notes: """
      DIR is what --data names, TO a folder that is not there yet. What was accepted before the command was
      given is in the copy. All of the copy is read and checked; where that fails nothing is left of it. A server
      that runs goes on: it only does not write to its database for as long as the files are read, and keeps
      what is new in its log.

      To go back to it, start a server with --data TO --accept-loss: devices may have gone on since, so it serves
      what is there under a new store name. watchline check and watchline dump look at it as it is.

      Exit status: 0 done, 1 the store is damaged, or the copy could not be written, 2 for bad usage.
      """)

  static func run(_ arguments: Arguments) throws(UsageError) -> Int32 {
    guard arguments.operands.count == 2 else {
      throw UsageError("which store, and where to? name the server's folder and a new one")
    }
    var progress = StoreProgress(isShown: !arguments.has("json"))
    let summary: Backup.Summary
    do throws(StoreError) {
      summary = try Backup.make(of: arguments.operands[0], in: arguments.operands[1]) {
        progress.show("copied", $0, of: $1)
      }
    } catch {
      progress.end()
      complain(error.description)
      return error.kind == .cannotOpen ? 2 : 1
    }
    progress.end()
    if arguments.has("json") {
      var json = JSONWriter()
      json.object { json in
        json.member("lastBatch", Int(summary.lastBatch))
        json.member("bytes", summary.bytes)
      }
      print(String(decoding: json.bytes, as: UTF8.self))
    } else {
      print(
        "copied to \(arguments.operands[1]) up to commit \(summary.lastBatch), \(summary.bytes) bytes"
      )
    }
    return 0
  }
}
