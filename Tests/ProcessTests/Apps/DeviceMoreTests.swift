import Foundation
import Testing

extension ProcessTests {
  /// What the seeds list for the future, over the real server.
  @Suite struct DeviceMoreTests: DeviceSuite {
    let scratch: Scratch
    let server: ServerProcess

    init() throws {
      scratch = try Scratch()
      server = try ServerProcess(scratch)
    }

    @Test func templatesCategoriesAndTheHistoryReachTheOther() throws {
      let phone = try script(
        ["--strict", "--virtual-clock"], "new Plank 1:00", "open 1", "edit", "category Sport",
        "repeat on", "save",
        "add Mat", "template", "back", "open Plank", "start", "wait 125", "pause", "back",
        "history",
        "expect Plank  2×", "wait")
      #expect(phone.status == 0, "\(phone.errors)\(phone.output)")
      let watch = try script(
        ["--strict"], "category sport", "expect ▸ Sport", "history", "expect Plank  2×", "back",
        "templates",
        "use Plank", "expect ☐ Mat", "back", "category", "wait", role: "watch")
      #expect(watch.status == 0, "\(watch.errors)\(watch.output)")
      let again = try script(["--strict"], "expect 2 ⏱️ Plank", "wait")
      #expect(again.status == 0, "\(again.errors)\(again.output)")
    }

    /// Their payloads have none of this (seed 002).
    @Test func whatWholeRecordsDoNotCarryIsNotOffered() throws {
      let typed = try script(
        ["--strict"], "new Tea 5:00", "open 1", "edit", "category Kitchen", "save", "wait")
      #expect(typed.status == 0, "\(typed.errors)")
      let whole = try script(
        ["--whole-records"], "expect Tea", "help", "open Tea", "toggle 1", "start", "reset", "wait",
        role: "watch")
      #expect(whole.status == 0, "\(whole.errors)")
      for word in ["templates", "history", "Kitchen"] {
        #expect(!whole.output.contains(word), "\(word)")
      }
      // What it sends leaves what it does not know as it is.
      let edited = try script(
        ["--strict", "--whole-records"], "new Bread 45:00", "open Tea", "start", "wait",
        role: "watch")
      #expect(edited.status == 0, "\(edited.errors)")
      let after = try script(["--strict"], "expect Bread", "category kitchen", "expect Tea", "wait")
      #expect(after.status == 0, "\(after.errors)\(after.output)")
    }

    @Test func aBackupIsRestored() throws {
      let file = scratch.path + "/a backup.ndjson"
      let first = try script(
        ["--strict"], "new Tea 5:00", "open 1", "add Boil", "back", "new Bread 9:00",
        "backup \(file)",
        "delete Tea", "delete", "wait")
      #expect(first.status == 0, "\(first.errors)\(first.output)")
      #expect(first.output.contains("3 records written to \(file)"))
      let lines = try String(contentsOfFile: file, encoding: .utf8)
        .split(separator: "\n")
      #expect(lines.count == 4 && lines[0] == #"{"backup":"1","schema":"todoTimers"}"#)
      let second = try script(
        ["--strict"], "restore \(file)", "expect Tea", "open Tea", "expect Boil", "wait",
        "restore \(file)", "wait")
      #expect(second.status == 0, "\(second.errors)\(second.output)")
      // The to-do is back with its timer.
      #expect(second.output.contains("1 restored, 2 there already"))
      #expect(second.output.contains("0 restored, 3 there already"))
      let watch = try script(["--strict"], "open Tea", "expect Boil", role: "watch")
      #expect(watch.status == 0, "\(watch.errors)\(watch.output)")
    }

    @Test func wholeRecordsWriteABackupAndRestoreNone() throws {
      let file = scratch.path + "/backup.ndjson"
      let typed = try script(["--strict"], "new Tea 5:00", "open 1", "add Boil", "template", "wait")
      #expect(typed.status == 0, "\(typed.errors)\(typed.output)")
      let whole = try script(
        ["--whole-records"], "expect Tea", "backup \(file)", "restore \(file)", role: "watch")
      #expect(whole.output.contains("2 records written to \(file)"))
      #expect(
        whole.output.contains("a device with whole records cannot bring back what was deleted"))
      let other = try script(
        ["--strict", "--pair", "other"], "restore \(file)", "open Tea", "expect Boil")
      #expect(other.status == 0, "\(other.errors)\(other.output)")
    }

    @Test func badBackups() throws {
      let file = scratch.path + "/no.ndjson"
      try Data("{}\n".utf8).write(to: URL(filePath: file))
      let cases = [
        ("backup", "backup takes the path of a file"),
        ("backup \(file)", "\(file) is there already; a backup is written to a new file"),
        ("restore \(file)x", "there is no file \(file)x"),
        ("restore \(file)", "the first line is not that of a backup"),
      ]
      for (line, reason) in cases {
        let program = try script(["--strict"], line)
        #expect(program.status == 1, "\(line)")
        #expect(program.errors.contains(reason), "\(program.errors)")
      }
    }
  }
}
