internal import AppModels
internal import Glibc
internal import Simulation
internal import Studio
internal import Usage

/// `watchline studio`: a phone, a watch and what passes between them, in a browser.
enum StudioCommand: Subcommand {
  static let syntax = Syntax(
    name: "studio",
    summary: "Show a phone, a watch and what passes between them in a browser.",
    options: [
      Option("listen", value: "HOST:PORT", "127.0.0.1:9283 where left out; port 0 is any"),
      Option(
        "app", value: "A", "todoTimers (default), timeTracker or pomodoro",
        among: ShippedApp.allCases.map(\.rawValue)),
      Option("watches", value: "N", "1 to 3; 1 where left out"),
      Option("connect", value: "HOST:PORT", "a server that runs, in the place of one in memory"),
      Option("data", value: "DIR", "a watchline-server of its own, with its data there"),
      Option("open", value: "FILE", "a trace, or a finding's folder, where something is wrong"),
      Option("allow-remote", "let --listen have another address than this machine's own"),
      Option("print-url", "print the address alone, for a script"),
      Option("assets", value: "DIR", "the page's files, while they are worked on"),
    ] + [Against.target] + ProgramOptions.options,
    notes: """
      It prints an address; open that in a browser of this machine. The phone, the watches and the server run in
      this process and its clock, so everything can be done again: what is done by mouse can be saved as a
      trace, which `watchline replay` plays. Whoever does not know the address's token cannot look on.
      With --allow-remote and --listen 0.0.0.0:9283 other machines can open it, such as the one around a
      container; the token and all else pass unencrypted.

      A trace of devices alone, as a finding of your merge is, is played by --against, or else by our own merge, and can be
      looked at step by step.

      With --connect or --data the server is a process, with a clock of its own: the devices are those of a new
      pair, and going back plays the story to another new pair.

        watchline studio
        watchline studio --data ./data
        watchline studio --open watchline-findings/lost-edit-42
      """)

  static func run(_ arguments: Arguments) throws(UsageError) -> Int32 {
    let isRemote = arguments.has("allow-remote")
    let (host, port) = try endpoint(arguments.string("listen") ?? "127.0.0.1:9283", isRemote)
    let name = arguments.string("app")
    let watches = try arguments.integer("watches", in: 1...3) ?? 1
    let path = arguments.string("open")
    let trace = try path.map { path throws(UsageError) in try read(path) }
    let target = try target(arguments)
    let harness: any Harness
    switch try Against(arguments) {
    case nil: harness = ExchangeHarness()
    case .program(let options)?: harness = options.harness()
    case .server?: throw UsageError("--against is for your merge; --connect has a server")
    }
    let token = try token()
    let studio: Studio
    do throws(HarnessFailure) {
      studio = try Studio(
        ShippedApp(rawValue: name ?? trace?.schema ?? "") ?? .todoTimers, watches: watches,
        on: target, harness: harness,
        opening: trace, title: path, token: token, isRemote: isRemote,
        read: arguments.string("assets").map { folder in
          { (try? File.read("\(folder)/\($0)")) ?? nil }
        },
        isOver: { Interrupt.signal != nil })
    } catch {
      throw UsageError("\(path ?? "the studio"): \(error.description)")
    }
    guard let address = studio.listen(host, port: port) else {
      complain("\(host):\(port) cannot be listened at; --listen \(host):0 takes any port")
      return 1
    }
    Interrupt.listen()
    print(arguments.has("print-url") ? address : "studio: \(address)")
    fflush(nil)
    studio.serve()
    return 0
  }

  /// The server that is asked for; nil for one in memory.
  private static func target(_ arguments: Arguments) throws(UsageError) -> RunningServer? {
    switch (arguments.string("connect"), arguments.string("data")) {
    case (nil, nil): return nil
    case (let address?, nil):
      return RunningServer(RunningServerOptions(try Endpoint(address), command: nil), "studio")
    case (nil, let folder?):
      guard !folder.isEmpty else { throw UsageError("--data is a folder, not nothing") }
      let command = [
        SpawnedServer.standardPath, "--listen", "127.0.0.1:0", "--data", folder, "--log-level",
        "error",
      ]
      .map(ShellWord.quoted).joined(separator: " ")
      let nowhere = Endpoint(host: "127.0.0.1", port: 0)
      return RunningServer(RunningServerOptions(nowhere, command: command), "studio")
    case (_?, _?): throw UsageError("--connect has a server already; leave --data out")
    }
  }

  /// - Throws: for what is not on this machine, unless that is meant.
  private static func endpoint(_ text: String, _ isRemote: Bool) throws(UsageError) -> (String, Int)
  {
    let parts = text.split(separator: ":")
    guard parts.count == 2, let port = Int(parts[1]), 0...65_535 ~= port else {
      throw UsageError("--listen is HOST:PORT, such as 127.0.0.1:9283, not \(text)")
    }
    if parts[0] == "localhost" { return ("127.0.0.1", port) }
    guard parts[0] == "127.0.0.1" || isRemote else {
      throw UsageError(
        "--listen: \(parts[0]) can be reached from other machines, and what passes can be read on the way; take "
          + "127.0.0.1, or give --allow-remote where that is meant")
    }
    return (String(parts[0]), port)
  }

  private static func read(_ path: String) throws(UsageError) -> Trace {
    for file in [path, "\(path)/trace.ndjson"] {
      guard let bytes = (try? File.read(file)) ?? nil else { continue }
      do throws(TraceFault) {
        return try Trace(ndjson: bytes)
      } catch {
        throw UsageError("\(file) cannot be read as a trace: \(error.description)")
      }
    }
    throw UsageError("--open \(path): there is no trace")
  }

  /// 128 bits that nobody can guess.
  private static func token() throws(UsageError) -> String {
    var bytes = [UInt8](repeating: 0, count: 16)
    guard getentropy(&bytes, bytes.count) == 0 else {
      throw UsageError("the system has no random number")
    }
    return bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
