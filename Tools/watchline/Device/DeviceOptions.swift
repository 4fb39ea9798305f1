package import AppModels
package import Device
package import Usage

/// What `watchline device` was asked for.
package struct DeviceOptions {
  package var app: ShippedApp
  package var endpoint = Endpoints.standard
  package var tls: TLSOptions?
  package var pair: String
  package var isPhone: Bool
  package var name: String
  package var idiom: Idiom
  /// It knows whole records only, as the app's first versions did.
  package var hasWholeRecords: Bool
  package var startsOffline: Bool
  /// Where what the device holds is kept; nil where it is kept nowhere.
  package var store: String?
  /// What the device's clock is ahead of this machine's, in milliseconds.
  package var clockOffset: Int64
  /// Its time is real only as far as nothing is waited for.
  package var hasVirtualClock: Bool
  package var isJSON: Bool
  /// The first refusal ends the program.
  package var isStrict: Bool
  /// Microseconds.
  package var timeout: Int64?

  private static let apps = ShippedApp.allCases.map(\.rawValue)

  package static let syntax = Syntax(
    name: "device",
    summary: "Run an app on a phone or a watch without a screen, against a server.",
    options: [
      Option("app", value: "APP", apps.joined(separator: ", "), among: apps),
      Option("role", value: "R", "phone or watch", among: ["phone", "watch"]),
      Option(
        "connect", value: "HOST:PORT,…",
        "the server, or several of which one serves; \(Endpoint.standard) where left out"),
      Option("pair", value: "P", "the pair that it belongs to; demo where left out"),
      Option("device", value: "D", "its name in the pair; the role where left out"),
      Option(
        "idiom", value: "I",
        "phone, watch or pad (a tablet's wide screen, for the role phone); the role's where left out",
        among: Idiom.allCases.map(\.rawValue)),
      Option(
        "whole-records",
        "know whole records only, and send them as the first apps did (todoTimers)"),
      Option("store", value: "FILE", "keep what the device holds, and go on from there next time"),
      Option("offline", "start with the connection switched off"),
      Option(
        "clock-offset", value: "S", "let its clock be S seconds ahead, or behind where S is below 0"
      ),
      Option("virtual-clock", "let wait S pass at once, with all that is due meanwhile"),
      Option("strict", "end with status 1 at the first line that is refused"),
      Option("json", "print screens, events and records as JSON lines, for programs"),
      Option("timeout", value: "S", "end with status 1 after S seconds"),
    ] + TLSOptions.options,
    notes: """
      Commands are typed a line each; help lists those of the screen. On a terminal the screen stays
      above the line being typed; else it is printed when more than the time on it has changed.

      offline and online switch the connection; kill ends the app without warning and starts it
      again; wait waits until everything is synced, wait S for S seconds; expect TEXT waits until the
      screen shows TEXT, for 10 s at most; quit leaves. The end of the input leaves too, once the hub
      has accepted what was edited.

      With --whole-records the device sends and takes the app's own messages (clause 13 of the
      protocol): its list by the application context, a tick by a message, or by user info where the
      counterpart cannot be reached, other edits by user info, and a phone's running timer by a message
      and the complication, where the app's settings have share on.

      Where the input is no terminal, the first line waits until the device is in step with the hub,
      or no connection could be made.

      Exit status: 0 when the device was left with nothing unsynced or with a --store that keeps it;
      1 when edits are lost by leaving, when the server refuses the device, when what was expected is
      not shown, with --strict when a line is refused, when time is up, or when the store cannot be
      used; 2 for bad usage.
      """)

  package init(_ arguments: Arguments) throws(UsageError) {
    guard let app = arguments.string("app").flatMap(ShippedApp.init) else {
      throw UsageError("--app is missing; there is \(Self.apps.joined(separator: ", "))")
    }
    guard let role = arguments.string("role") else {
      throw UsageError("--role is missing: --role phone or --role watch")
    }
    self.app = app
    isPhone = role == "phone"
    if let server = arguments.string("connect") { endpoint = try Endpoints(server) }
    tls = try TLSOptions(arguments)
    pair = arguments.string("pair") ?? "demo"
    name = arguments.string("device") ?? role
    idiom = arguments.string("idiom").flatMap(Idiom.init) ?? app.idiom(isPhone)
    hasWholeRecords = arguments.has("whole-records")
    if hasWholeRecords, app != .todoTimers {
      throw UsageError(
        "--whole-records is for --app todoTimers; \(app.rawValue) has no such devices")
    }
    startsOffline = arguments.has("offline")
    store = arguments.string("store")
    if store == "" { throw UsageError("--store needs a file's name") }
    clockOffset = try arguments.offset("clock-offset")
    hasVirtualClock = arguments.has("virtual-clock")
    isJSON = arguments.has("json")
    isStrict = arguments.has("strict")
    timeout = try arguments.seconds("timeout", longest: 31_536_000)
    if pair.isEmpty || name.isEmpty { throw UsageError("--pair and --device need a name") }
  }

  package var profile: HeadlessDevice.Profile {
    var profile = HeadlessDevice.Profile(pair: pair, isPhone: isPhone, name: name, idiom: idiom)
    profile.token = environmentToken
    return profile
  }
}

extension Arguments {
  /// Decimal seconds with a sign, at most ten years; milliseconds, 0 where left out.
  fileprivate func offset(_ name: String) throws(UsageError) -> Int64 {
    guard let text = string(name) else { return 0 }
    guard let seconds = Double(text), abs(seconds) <= 315_360_000 else {
      throw UsageError("--\(name) is a number of seconds such as 90 or -3600, not \(text)")
    }
    return Int64((seconds * 1000).rounded())
  }
}
