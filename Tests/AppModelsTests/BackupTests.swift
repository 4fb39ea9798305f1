import AppModels
import Merge
import Testing
import Wire

@Suite("A backup of an app's records")
struct BackupTests {
  private func lines(_ keeper: any RecordKeeper) -> [[UInt8]] {
    Records(keeper).backup.map(\.canonical)
  }

  private func filled() throws -> TimersDevice {
    let device = TimersDevice()
    try device.type("new Tea 5:00", "open 1", "add Boil", "add Pour", "toggle 2", "move 2 1")
    try device.type("edit", "category Kitchen", "repeat on", "save", "notes", "write a\\nb", "save")
    try device.type("template", "back", "new Bread 45:00", "move 2 1")
    return device
  }

  @Test func anotherDeviceHasItAll() throws {
    let device = try filled()
    let other = TimersDevice()
    let restored = try Records(other.keeper).restore(lines(device.keeper), now: other.now)
    other.app.recordsDidChange(now: other.now)
    #expect(restored.made == 5 && restored.present == 0 && restored.refused.isEmpty)
    #expect(lines(other.keeper) == lines(device.keeper))
    #expect(other.app.library.timers.map(\.name) == ["Tea", "Bread"])
    let tea = other.app.library.timers[0]
    #expect(tea.todos.map(\.text) == ["Pour", "Boil"] && tea.todos[0].isCompleted)
    #expect(tea.notes == "a\nb" && tea.category == "Kitchen" && tea.repeats)
  }

  @Test func whatIsThereStays() throws {
    let device = try filled()
    let backup = lines(device.keeper)
    try device.type("open Tea", "edit", "name Green tea", "save", "back", "delete Bread", "delete")
    let restored = try Records(device.keeper).restore(backup, now: device.now)
    device.app.recordsDidChange(now: device.now)
    #expect(restored.made == 1 && restored.present == 4)
    #expect(Set(device.names) == ["Green tea", "Bread"])
    let again = try Records(device.keeper).restore(backup, now: device.now)
    #expect(again.made == 0 && again.present == 5)
  }

  @Test func clientsComeBeforeTheirProjects() throws {
    let device = TrackerDevice()
    try device.fill()
    let other = TrackerDevice()
    let restored = try Records(other.keeper).restore(lines(device.keeper), now: other.now)
    #expect(restored.refused.isEmpty)
    #expect(lines(other.keeper) == lines(device.keeper))
  }

  @Test func badInput() throws {
    let device = TimersDevice()
    func refusal(_ lines: String...) -> String? {
      do throws(WireError) {
        return try Records(device.keeper).restore(lines.map { Array($0.utf8) }, now: 0).refused
          .first
          .map { "\($0.line): \($0.error.message)" }
      } catch {
        return error.message
      }
    }
    let head = #"{"backup":"1","schema":"todoTimers"}"#
    #expect(refusal() == "the backup is empty")
    #expect(refusal("{}") == "the first line is not that of a backup")
    #expect(
      refusal(#"{"backup":"1","schema":"pomodoro"}"#)
        == "the backup is of pomodoro, and this is todoTimers")
    #expect(refusal(head, "{}") == "2: a record must have kind, record and fields")
    #expect(
      refusal(head, #"{"kind":"x","record":"a","fields":{}}"#) == "2: todoTimers has no kind x")
    #expect(
      refusal(head, #"{"kind":"todo","record":"a","fields":{"text":"x"}}"#)?.hasPrefix("2: ")
        == true)
    #expect(
      refusal(head, #"{"kind":"timer","record":"a","fields":{"name":"x","weight":"1"}}"#)?
        .contains("has no field \"weight\"") == true)
    #expect(refusal(head, "no json")?.hasPrefix("2: ") == true)
    #expect(device.names.isEmpty)
  }
}
