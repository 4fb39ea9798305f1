import Merge
import Simulation

/// Findings as a campaign could make them.
enum Samples {
  static let all = [
    ("lost", lostEdit), ("server", server), ("vanished", vanished), ("twice", twice),
  ]

  private static func record(
    _ record: String, _ fields: KeyValuePairs<String, String>, kind: String = "timer"
  ) -> Recording.Record {
    Recording.Record(
      kind: kind, record: record, fields: fields.map { (name: $0.key, value: $0.value) })
  }

  private static func trace(
    _ world: Trace.World, seed: UInt64, devices: [Trace.Device], _ recording: Recording
  ) -> Trace {
    Trace(
      world: world, seed: seed, schema: "todoTimers",
      options: [.init("devices", "\(devices.count)"), .init("faults", "cut,delay")],
      devices: devices,
      events: recording.steps.filter { $0.place != "server" }.map { step in
        TraceEvent(
          at: step.at, step.place, .edit,
          edit: Edit("timer", "t1", .set(fields: Array(#"{"name":"name"}"#.utf8))))
      })
  }

  private static let pair = [
    Trace.Device("phone", isPhone: true), Trace.Device("watch", isPhone: false),
  ]

  /// A whole-record merge takes an edit of another field back.
  static let lostEdit: FindingReport = {
    let created = record("t1", ["name": #""name1""#, "color": #""color2""#])
    let edited = record("t1", ["name": #""name1""#, "color": #""color5""#])
    let renamed = record("t1", ["name": #""name6""#, "color": #""color2""#])
    let recording = Recording(
      places: ["phone", "watch"], start: 1_790_000_000_000,
      steps: [
        .init(
          at: 0, "phone", .edit, #"create t1 {name:"name1", color:"color2"}"#, records: [created]),
        .init(at: 100, "phone", .send, "sends what it holds"),
        .init(
          at: 200, "watch", .receive, "takes in what the phone sent", from: 1, records: [created]),
        .init(at: 300, "watch", .note, "offline"),
        .init(at: 500, "watch", .edit, #"set t1 color = "color5""#, records: [edited]),
        .init(at: 1000, "phone", .edit, #"set t1 name = "name6""#, records: [renamed]),
        .init(at: 1200, "phone", .send, "sends what it holds"),
        .init(at: 1200, "watch", .send, "sends what it holds"),
        .init(
          at: 1250, "watch", .receive, "takes in what the phone sent", from: 6, records: [renamed]),
        .init(at: 1260, "phone", .receive, "keeps its own, which is newer", from: 7),
      ])
    let finding = Finding(
      invariant: "I27", slug: "lost-edit",
      headline: "An edit was lost, and nobody overwrote it.",
      story: [
        "timer t1, color: the watch set \"color5\" at 00.500; both devices end with \"color2\".",
        "Nobody changed color afterwards. The phone's change of name at 01.000 took color back "
          + "with it.",
      ],
      field: .init(
        kind: "timer", record: "t1", name: "color",
        writes: [
          .init(step: 0, device: "phone", value: #""color2""#, seen: [], fate: "overwritten by 2"),
          .init(step: 4, device: "watch", value: #""color5""#, seen: [0], fate: "lost"),
        ],
        ends: [("phone", #""color2""#), ("watch", #""color2""#)], acceptable: [#""color5""#]),
      path: [4, 5, 6, 8])
    return FindingReport(
      finding: finding, recording: recording,
      trace: trace(.exchange, seed: 164, devices: pair, recording), schedules: 164,
      arguments: ["--against", "command:.build/release/my-merge"],
      folder: "watchline-findings/lost-edit-164", faults: [.delay, .cut], version: "0.1.0",
      shrinking: .init(from: 11, to: 4, tries: 96))
  }()

  /// Three devices and the server, sixty-odd steps.
  static let server: FindingReport = {
    let places = ["phone", "watch", "watch-2", "server"]
    var recording = Recording(places: places, start: 1_790_000_000_000)
    func timer(_ name: String, _ seconds: Int) -> Recording.Record {
      record(
        "6F1C", ["name": "\"\(name)\"", "durationInSeconds": "\"\(seconds)\"", "icon": #""leaf""#])
    }
    func todo(_ text: String) -> Recording.Record {
      record("A0B2", ["text": "\"\(text)\"", "isCompleted": "false"], kind: "todo")
    }
    recording.steps = [
      .init(at: 0, "phone", .edit, "create timer 6F1C name = \"Tea\"", records: [timer("Tea", 180)])
    ]
    var at: Int64 = 40
    for round in 0..<7 {
      for place in places.dropLast() {
        let up = recording.steps.count
        recording.steps.append(.init(at: at, place, .send, "sync.push, \(40 + round) bytes"))
        recording.steps.append(
          .init(
            at: at + 12, "server", .receive, "reads it and commits", from: up,
            records: round == 0 && place == "phone" ? [timer("Tea", 180)] : nil))
        recording.steps.append(
          .init(at: at + 15, "server", .send, "sync.ops, \(round) operations"))
        if round != 3 || place != "watch" {
          recording.steps.append(
            .init(
              at: at + 31, place, .receive, "takes in \(round) operations", from: up + 2,
              records: round == 0 ? [timer("Tea", 180)] : nil))
        }
        at += 53
      }
      if round == 1 {
        recording.steps.append(
          .init(at: at, "watch", .edit, "create todo A0B2", records: [todo("Warm the pot")]))
      }
    }
    let edit = recording.steps.count
    recording.steps += [
      .init(
        at: at + 5, "watch-2", .edit, "set 6F1C durationInSeconds = 240",
        records: [timer("Tea", 240)]),
      .init(at: at + 9, "watch-2", .send, "sync.push, 1 operation"),
      .init(
        at: at + 20, "server", .receive, "takes in 1 operation, commit not yet synced",
        from: edit + 1, records: [timer("Tea", 240)]),
      .init(at: at + 21, "server", .send, "sync.accepted {\"watch-2\":1}"),
      .init(at: at + 30, "watch-2", .receive, "drops it from its outbox", from: edit + 3),
      .init(
        at: at + 31, "server", .fault, "killed; the disk keeps what was synced",
        records: [timer("Tea", 180)]),
      .init(at: at + 90, "server", .note, "starts again"),
      .init(at: at + 95, "watch-2", .send, "sync.open"),
      .init(at: at + 99, "server", .receive, "answers with its head", from: edit + 7),
    ]
    let finding = Finding(
      invariant: "I37", slug: "lost-after-crash",
      headline: "The server confirmed an edit and forgot it in a crash.",
      story: [
        "timer 6F1C, durationInSeconds: watch-2 set 240 at 01.138 and was told that it is safe; "
          + "after the crash at 01.164 the phone and the watch still show 180."
      ],
      field: .init(
        kind: "timer", record: "6F1C", name: "durationInSeconds",
        writes: [
          .init(step: 0, device: "phone", value: #""180""#, seen: [], fate: "shown"),
          .init(step: edit, device: "watch-2", value: #""240""#, seen: [0], fate: "lost"),
        ],
        ends: [("phone", #""180""#), ("watch", #""180""#), ("watch-2", #""240""#)],
        acceptable: [#""240""#]),
      path: [edit, edit + 1, edit + 2, edit + 3, edit + 4, edit + 5])
    return FindingReport(
      finding: finding, recording: recording,
      trace: trace(
        .server, seed: 9_007_199_254_740_993,
        devices: pair + [.init("watch-2", isPhone: false, isWholeRecord: true)], recording),
      schedules: 81_220, arguments: [], folder: "watchline-findings/lost-after-crash-9007",
      faults: [.crash, .delay, .takeover], version: "0.1.0",
      shrinking: .init(from: 212, to: 61, tries: 1_418))
  }()

  /// A record that ought to exist and does not.
  static let vanished: FindingReport = {
    let held = record("t1", ["name": #""Eggs""#, "notes": #""8 min 🥚""#])
    let soft = record("t1", ["name": #""Eggs, soft""#, "notes": #""8 min 🥚""#])
    let gone = record("t1", [:])
    let recording = Recording(
      places: ["phone", "watch"], start: 1_790_000_000_000,
      steps: [
        .init(at: 0, "phone", .edit, "create t1 {name:\"Eggs\"}", records: [held]),
        .init(at: 50, "phone", .send, "sends t1"),
        .init(at: 80, "watch", .receive, "takes t1 in", from: 1, records: [held]),
        .init(at: 900, "phone", .edit, "delete t1", records: [gone]),
        .init(at: 2000, "watch", .edit, "set t1 name = \"Eggs, soft\"", records: [soft]),
        .init(at: 2100, "watch", .send, "sends t1"),
        .init(at: 2100, "phone", .send, "sends that t1 is deleted"),
        .init(at: 2150, "watch", .receive, "deletes t1", from: 6, records: [gone]),
      ])
    let finding = Finding(
      invariant: "I19", slug: "vanished", headline: "A record vanished with an edit in it.",
      story: [
        "timer t1: the watch renamed it to \"Eggs, soft\" at 02.000 without knowing that the phone "
          + "had deleted it at 00.900; the edit is newer, and yet t1 is on neither device."
      ],
      field: .init(
        kind: "timer", record: "t1", name: nil,
        writes: [
          .init(step: 0, device: "phone", value: "created", seen: [], fate: "overwritten by 2"),
          .init(step: 3, device: "phone", value: "deleted", seen: [0], fate: "shown"),
          .init(step: 4, device: "watch", value: "edited", seen: [0], fate: "lost"),
        ],
        ends: [("phone", "no such record"), ("watch", "no such record")],
        acceptable: ["exists"]),
      path: [4, 7])
    return FindingReport(
      finding: finding, recording: recording,
      trace: trace(.exchange, seed: 12, devices: pair, recording), schedules: 12,
      arguments: ["--against", "command:python3 my merge.py --fast"],
      folder: "watchline-findings/vanished-12", faults: [], version: "0.1.0",
      errors: ["Traceback (most recent call last):", "  File \"<stdin>\", line 1, in <module>"])
  }()

  /// A finding about a queue, without a field, of which two runs differed.
  static let twice: FindingReport = {
    let recording = Recording(
      places: ["phone", "server", "watch"], start: 1_790_000_000_000,
      steps: [
        .init(at: 0, "phone", .send, "transferUserInfo {\"steps\":412} as n 1"),
        .init(at: 20, "server", .receive, "accepts it as transfer 1", from: 0),
        .init(at: 22, "server", .send, "didReceiveUserInfo seq 1"),
        .init(at: 25, "server", .send, "accepted"),
        .init(at: 26, "phone", .fault, "the connection is cut"),
        .init(at: 40, "watch", .receive, "takes in {\"steps\":412}", from: 2),
        .init(at: 95_500, "phone", .note, "connects again"),
        .init(at: 95_510, "phone", .send, "transferUserInfo {\"steps\":412} as n 1"),
        .init(at: 95_530, "server", .receive, "accepts it as transfer 2", from: 7),
        .init(at: 95_531, "server", .send, "didReceiveUserInfo seq 2"),
        .init(at: 95_560, "watch", .receive, "takes in {\"steps\":412} again", from: 9),
      ])
    let finding = Finding(
      invariant: "I36", slug: "delivered-twice",
      headline: "A transfer was delivered twice.",
      story: [
        "The phone's user info {\"steps\":412} of 00:00.000 reached the watch at 00:00.040 and "
          + "again at 01:35.560, after the phone had sent it once more under the same number."
      ], path: [0, 1, 2, 5, 7, 8, 9, 10])
    return FindingReport(
      finding: finding, recording: recording,
      trace: trace(
        .server, seed: 77, devices: pair, Recording(places: [], start: 0)), schedules: 77,
      arguments: ["--against", "tcp:127.0.0.1:9282"],
      folder: "watchline-findings/delivered-twice-77", faults: [.cut], version: "0.1.0",
      difference: .init(line: 17, first: "watch got seq 2", second: nil))
  }()
}
