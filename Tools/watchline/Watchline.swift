internal import EventLoop
internal import Glibc
package import Usage
internal import Wire

/// The companion program: one subcommand a purpose.
@main
package enum Watchline {
  package static let version = "0.1.0"

  /// Every subcommand, in the order in which `--help` lists them.
  static var subcommands: [any Subcommand.Type] {
    [
      Connect.self, DeviceCommand.self, Generate.self, ReplayCommand.self, FuzzCommand.self,
      FuzzWireCommand.self, MutantsCommand.self, ProxyCommand.self, LoadCommand.self,
      StudioCommand.self, TokenCommand.self, StatsCommand.self, TopCommand.self, TailCommand.self,
      CheckCommand.self, DumpCommand.self, BackupCommand.self,
    ]
  }

  static func main() {
    holdStandardDescriptors()
    ignoreBrokenPipes()
    exit(run(Array(CommandLine.arguments.dropFirst())))
  }

  /// Opens those of the descriptors 0 to 2 that the process was started without, so that none of
  /// them becomes something else's, such as the loop's.
  private static func holdStandardDescriptors() {
    for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) < 0 {
      // The lowest free descriptor is this one.
      _ = open("/dev/null", O_RDWR)
    }
  }

  /// Does what the words after the program's name ask for.
  ///
  /// - Returns: the exit status: 0 fine, 1 a failure, 2 bad usage.
  private static func run(_ words: [String]) -> Int32 {
    do throws(UsageError) {
      if words.first == "help" { return try help(Array(words.dropFirst())) }
      let first = words.first ?? ""
      if let subcommand = subcommands.first(where: { $0.syntax.name == first }) {
        let arguments = try Arguments(Array(words.dropFirst()), syntax: subcommand.syntax)
        if arguments.has("help") {
          print(subcommand.syntax.help)
          return 0
        }
        return try subcommand.run(arguments)
      }
      return try runProgram(words)
    } catch {
      complain(error.message)
      return 2
    }
  }

  /// `help`, and `help SUBCOMMAND`.
  private static func help(_ words: [String]) throws(UsageError) -> Int32 {
    guard let name = words.first else {
      print(program.help)
      return 0
    }
    let names = program.subcommands.map(\.name)
    guard words.count == 1, let subcommand = subcommands.first(where: { $0.syntax.name == name })
    else {
      if words.count > 1 { throw UsageError("help takes one subcommand, such as: help connect") }
      throw UsageError.unknown("subcommand", name, among: names, help: "watchline help")
    }
    print(subcommand.syntax.help)
    return 0
  }

  private static func runProgram(_ words: [String]) throws(UsageError) -> Int32 {
    let names = program.subcommands.map(\.name)
    guard let first = words.first else {
      throw UsageError("no subcommand; there is \(names.joined(separator: ", ")); see --help")
    }
    if !first.hasPrefix("-") {
      throw UsageError.unknown("subcommand", first, among: names, help: "watchline --help")
    }
    print(program.answer(try Arguments(words, syntax: program.syntax)) ?? program.help)
    return 0
  }

  package static let program = Program(
    syntax: Syntax(
      name: "", summary: "A phone and a watch at the command line.", operands: "SUBCOMMAND …",
      options: Program.options,
      notes: """
        Commands that connect to a server take its token from WATCHLINE_TOKEN.
        """),
    subcommands: subcommands.map { $0.syntax }, version: version, section: 1)
}

/// Says on the standard error what is wrong, in one line.
func complain(_ message: String) {
  let line = Array("watchline: \(message)\n".utf8)
  // Where the standard error cannot be written to, there is no one left to tell.
  _ = write(2, line, line.count)
}
