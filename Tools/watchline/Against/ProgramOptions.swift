internal import Simulation
internal import Usage

/// `--against command:'…'`: somebody else's merge, and how it is judged.
struct ProgramOptions {
  var command: String
  var level = LossLevel.fields
  var network = ExchangeSettings.Network.watchConnectivity
  var phoneWinsTies = false
  var isProcessPerDevice = false
  /// Milliseconds.
  var answerLimit: Int64 = 1000

  /// How a program is judged.
  static let options = [
    Option(
      "loss", value: "L", "what counts as loss: fields (default), deletes or everything",
      among: LossLevel.allCases.map(\.rawValue)),
    Option(
      "network", value: "N", "watchConnectivity (default): lanes keep their promises; or any",
      among: ExchangeSettings.Network.allCases.map(\.rawValue)),
    Option(
      "winner", value: "W", "phone-on-tie: of two edits in one millisecond the phone's wins",
      among: ["phone-on-tie"]),
    Option("process-per-device", "start the program once a device"),
    Option("answer-limit", value: "S", "seconds that an answer may take; 1 where left out"),
  ]

  /// - Throws: for a target that is no command.
  init(_ target: String, _ arguments: Arguments) throws(UsageError) {
    let prefix = "command:"
    guard target.hasPrefix(prefix), target.count > prefix.count else {
      throw UsageError(
        "--against is command:'PROGRAM ARGUMENT …' or tcp:HOST:PORT, not \(target)")
    }
    command = String(target.dropFirst(prefix.count))
    if let word = arguments.string("loss") { level = LossLevel(rawValue: word)! }
    network = arguments.network ?? .watchConnectivity
    phoneWinsTies = arguments.string("winner") != nil
    isProcessPerDevice = arguments.has("process-per-device")
    if let limit = try arguments.seconds("answer-limit", longest: 3600) {
      answerLimit = max(1, limit / 1000)
    }
  }

  /// The harness that runs schedules against the program. Each call starts a program of its own.
  func harness() -> ExchangeHarness {
    ExchangeHarness(
      ProgramMerge(
        CommandProgram(command, answerLimit: answerLimit), isProcessPerDevice: isProcessPerDevice),
      level: level, network: network, phoneWinsTies: phoneWinsTies)
  }

  /// The options as they were given, for a command that does the same again.
  var words: [String] {
    var words = ["--against", "command:\(command)"]
    if level != .fields { words += ["--loss", level.rawValue] }
    if network != .watchConnectivity { words += ["--network", network.rawValue] }
    if phoneWinsTies { words += ["--winner", "phone-on-tie"] }
    if isProcessPerDevice { words.append("--process-per-device") }
    return words
  }
}
