import Merge
import Testing
import Wire

@testable import AppModels

@Suite("Payloads")
struct PayloadTests {
  static let timer = """
    {"colorHex":"#FF3B30","createdAt":785412000,"durationInSeconds":1500,"icon":"figure.run","id":"6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F","name":"Workout","notes":"Remember to hydrate!","sortOrder":0,"todoItems":[{"createdAt":785412001,"id":"0D9F2B11-77A4-4A0B-8C12-1234567890AB","isCompleted":false,"sortOrder":0,"text":"Warm up 5 minutes","updatedAt":785412001}],"updatedAt":785412001.123456}
    """

  private func read<Payload: TodoTimersPayload>(_ text: String) throws(WireError) -> Payload {
    let payload = try Payload(json: Array(text.utf8))
    try payload.check()
    return payload
  }

  private func spelled(_ payload: some TodoTimersPayload) -> String {
    String(decoding: payload.json, as: UTF8.self)
  }

  /// The code and message of the refusal; nil where it is taken.
  private func refusal<Payload: TodoTimersPayload>(
    _ type: Payload.Type, _ text: String
  ) -> String? {
    do throws(WireError) {
      let _: Payload = try read(text)
      return nil
    } catch {
      return "\(error.code.rawValue) \(error.message)"
    }
  }

  private func changed(_ old: String, _ new: String) -> String {
    let start = Self.timer.firstRange(of: old)!
    return Self.timer.replacingCharacters(in: start, with: new)
  }

  @Test func roundTrips() throws {
    let timer: TimerDTO = try read(Self.timer)
    #expect(spelled(timer) == Self.timer)
    let sync = "{\"syncTimestamp\":785412060.25,\"timers\":[\(Self.timer)]}"
    #expect(spelled(try read(sync) as TimerSyncPayload) == sync)
    for text in [
      "{\"timerID\":\"A1B2C3D4-0000-4000-8000-00000000C0DE\",\"type\":\"deleted\"}",
      "{\"timer\":\(Self.timer),\"timerID\":\"6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F\",\"type\":\"created\"}",
    ] {
      #expect(spelled(try read(text) as TimerUpdateMessage) == text)
    }
    for text in [
      "{\"action\":\"todoToggled\",\"timerID\":\"6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F\",\"todoCompleted\":true,\"todoID\":\"0D9F2B11-77A4-4A0B-8C12-1234567890AB\"}",
      "{\"action\":\"noteUpdated\",\"noteText\":\"a\\/b\",\"timerID\":\"6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F\"}",
    ] {
      #expect(spelled(try read(text) as QuickActionMessage) == text)
    }
    let state =
      "{\"action\":\"resumed\",\"currentTime\":1500,\"timerID\":\"6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F\",\"timestamp\":785412200}"
    #expect(spelled(try read(state) as TimerStateMessage) == state)
  }

  @Test func acceptsWhatDecodersAccept() throws {
    for number in ["1500.0", "15e2", "1.5e3"] {
      let timer: TimerDTO = try read(changed(":1500,", ":\(number),"))
      #expect(timer.durationInSeconds == 1500)
    }
    let lower: TimerDTO = try read(changed("6F0E3A52-0C55", "6f0e3a52-0c55"))
    #expect(lower.id.description == "6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F")
    let noNotes: TimerDTO = try read(changed("\"Remember to hydrate!\"", "null"))
    #expect(noNotes.notes == nil)
    #expect(!spelled(noNotes).contains("notes"))
    let first: TimerDTO = try read(changed("\"sortOrder\":0,\"todoItems\"", "\"todoItems\""))
    #expect(first.sortOrder == nil)
    let slash: TimerDTO = try read(changed("Workout", "a/b\\/é"))
    #expect(slash.name == "a/b/é")
    #expect(spelled(slash).contains("\"a\\/b\\/é\""))
  }

  @Test(arguments: [
    (
      ":1500,", ":1500.5,", "4004 durationInSeconds must be a whole number of 64 bits; it is 1500.5"
    ),
    (
      ":1500,", ":99999999999999999999,",
      "4004 durationInSeconds must be a whole number of 64 bits; it is 99999999999999999999"
    ),
    (
      ":1500,", ":\"1500\",",
      "4004 durationInSeconds must be a whole number of 64 bits; it is a string"
    ),
    (
      ":1500,", ":true,",
      "4004 durationInSeconds must be a whole number of 64 bits; it is a boolean"
    ),
    (":1500,", ":0,", "4022 Duration must be greater than 0"),
    (":1500,", ":-1,", "4022 Duration must be greater than 0"),
    (":1500,", ":86401,", "4023 Duration cannot exceed 24 hours"),
    ("\"Workout\"", "\" \\u200b\\u2060\\n\"", "4021 Timer name cannot be empty"),
    ("\"Warm up 5 minutes\"", "\"\\u00a0\"", "4024 To-do text cannot be empty"),
    ("\"name\":\"Workout\",", "", "4003 name is missing; it must be a string"),
    ("\"notes\"", "\"note\"", "4004 note is not known here; did you mean notes?"),
    (
      "\"createdAt\":785412000", "\"createdAt\":-1",
      "4004 createdAt of timer 6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F is before 2001; it must be at least 0 seconds since 2001-01-01 UTC"
    ),
    (
      "\"createdAt\":785412000", "\"createdAt\":\"2025-11-21T10:00:00Z\"",
      "4004 createdAt must be a number of seconds since 2001-01-01 UTC; it is a string"
    ),
    (
      "\"text\":\"Warm up 5 minutes\"", "\"text\":7",
      "4004 todoItems[0].text must be a string; it is a number"
    ),
    (
      "6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F", "6F0E3A52",
      "4004 id must be a UUID such as 6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F; it is \"6F0E3A52\""
    ),
    (
      "\"sortOrder\":0,\"todoItems\"", "\"sortOrder\":-4,\"todoItems\"",
      "4004 sortOrder of timer 6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F is -4; it must be 0 or more"
    ),
  ])
  func refuses(_ old: String, _ new: String, _ reason: String) {
    #expect(refusal(TimerDTO.self, changed(old, new)) == reason)
  }

  @Test func refusesContradictions() {
    let update =
      "{\"timer\":\(Self.timer),\"timerID\":\"A1B2C3D4-0000-4000-8000-00000000C0DE\",\"type\":\"updated\"}"
    #expect(
      refusal(TimerUpdateMessage.self, update)
        == "4004 timerID is A1B2C3D4-0000-4000-8000-00000000C0DE, but the timer's id is 6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F; they must agree"
    )
    let bare = "{\"timerID\":\"A1B2C3D4-0000-4000-8000-00000000C0DE\",\"type\":\"updated\"}"
    #expect(
      refusal(TimerUpdateMessage.self, bare)
        == "4003 timer is missing; it must be the timer that was updated")
    #expect(
      refusal(
        TimerSyncPayload.self, "{\"syncTimestamp\":1,\"timers\":[\(Self.timer),\(Self.timer)]}")
        == "4004 timer 6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F occurs twice")
    #expect(refusal(TimerDTO.self, "[]")?.hasPrefix("4001") == true)
    #expect(refusal(TimerDTO.self, "")?.hasPrefix("4001") == true)
  }

  @Test func datesAreExact() throws {
    for date in [785_412_000.123456, 0, 1e-7, 785_412_000, 252_423_993_599, 0.1 + 0.2] {
      var timer: TimerDTO = try read(Self.timer)
      timer.updatedAt = date
      #expect((try read(spelled(timer)) as TimerDTO).updatedAt == date)
    }
    #expect(RecordDate.after(10) == 10.001)
    #expect(RecordDate.after(10.0001) == 10.002)
    #expect(RecordDate.milliseconds(1.5) == 978_307_201_500)
    #expect(RecordDate.date(milliseconds: 978_307_201_500) == 1.5)
  }
}

extension String {
  fileprivate func firstRange(of text: String) -> Range<String.Index>? {
    ranges(of: text).first
  }

  fileprivate func replacingCharacters(in range: Range<String.Index>, with text: String) -> String {
    self[..<range.lowerBound] + text + self[range.upperBound...]
  }
}
