internal import AppModels
internal import Simulation

/// A story of the seeds, to be gone through step by step.
struct Example {
  var name: String
  var title: String
  var app = ShippedApp.todoTimers
  var watches = 1
  var steps: [StudioWorld.Step]

  private static func type(
    _ device: String, _ line: String, _ caption: String? = nil
  ) -> StudioWorld.Step {
    StudioWorld.Step(.type(device: device, line: line), flows: true, caption: caption)
  }

  private static func event(
    _ device: String, _ verb: TraceEvent.Verb, lane: String? = nil, to: String? = nil,
    count: Int64? = nil, flag: Bool? = nil, flows: Bool = true, _ caption: String? = nil
  ) -> StudioWorld.Step {
    var event = TraceEvent(at: 0, device, verb)
    (event.lane, event.to, event.count, event.flag) = (lane, to, count, flag)
    return StudioWorld.Step(.event(event), flows: flows, caption: caption)
  }

  private static let tea = [
    type("phone", "new Tea 5:00", "The phone makes a timer, and the watch shows it."),
    type("phone", "open 1"),
    type("phone", "add Warm the cup", "It gets a to-do."),
    type("watch", "open 1"),
  ]

  static let all = [
    Example(
      name: "offline", title: "Both offline, and they meet again",
      steps: tea + [
        type("phone", "offline", "The phone loses its connection."),
        type("watch", "offline", "So does the watch. From here on neither hears of the other."),
        type("phone", "edit"),
        type("phone", "name Green tea"),
        type("phone", "save", "The phone renames the timer."),
        type("watch", "toggle 1", "The watch ticks the to-do off."),
        type("phone", "online", "The phone is back: the server has its change."),
        type(
          "watch", "online", "The watch is back. Both changes are there on both: nothing is lost."),
      ]),
    Example(
      name: "delete", title: "Deleted here, edited there",
      steps: tea + [
        type("watch", "offline", "The watch loses its connection."),
        type("watch", "toggle 1", "Its person ticks a to-do off."),
        type("phone", "back"),
        type("phone", "delete 1"),
        type("phone", "delete", "The phone deletes the timer meanwhile."),
        type(
          "watch", "online",
          "The delete had not seen the tick: an edit wins over a delete, and the timer is back on both."
        ),
      ]),
    Example(
      name: "killed", title: "The server is killed between send and delivery",
      steps: tea + [
        event(
          "phone", .transfer, lane: "userInfo", flows: false, "The phone hands over a user info."),
        event("phone", .up, flows: false, "The server reads it."),
        event(
          "server", .commit, flows: false, "It is on the disk; the watch has not been sent it."),
        event("server", .kill, flows: false, "The server is killed."),
        event("phone", .connect, flows: false),
        event("watch", .connect, "Both connect again: the watch is given it, once."),
        event(
          "watch", .acknowledge,
          "The watch acknowledges it, and the phone is told that it is finished."),
      ]),
    Example(
      name: "stuck", title: "A queue that is stuck",
      steps: tea + [
        event("watch", .hold, "The watch's deliveries are held."),
        event("phone", .transfer, lane: "userInfo", "Three user infos wait."),
        event("phone", .transfer, lane: "userInfo"),
        event("phone", .transfer, lane: "userInfo"),
        event("watch", .release, count: 1, "One is let through."),
        event("watch", .release, "All are let through, in order."),
        event("watch", .acknowledge, "And acknowledged: their ends are told."),
      ]),
    Example(
      name: "switch", title: "Another watch is put on", watches: 2,
      steps: tea + [
        type("watch", "offline", "The watch is left at home."),
        event("phone", .transfer, lane: "userInfo", "The phone hands over a user info for it."),
        event(
          "phone", .select, to: "second",
          "The second watch is put on: the phone's session ends and is activated anew."),
        type("second", "open 1", "It has the timer: records are the pair's, not one watch's."),
        event("phone", .select, to: "watch", "The first watch is put on again."),
        type("watch", "online", "It is back, and is given what had waited for it."),
      ]),
    Example(
      name: "reply", title: "A reply that never comes",
      steps: tea + [
        event("phone", .message, "The phone sends a live message and awaits its reply."),
        event(
          "watch", .appState, count: 3,
          "The watch's app is terminated before it replies: the phone is told an error, and does not wait for ever."
        ),
      ]),
  ]
}
