internal import Usage

/// One of the program's subcommands.
protocol Subcommand {
  /// Its name, options and help.
  static var syntax: Syntax { get }

  /// Does it. `--help` has been dealt with.
  ///
  /// - Returns: the exit status, 0 or 1; where it is not 0, a line on the standard error says why.
  static func run(_ arguments: Arguments) throws(UsageError) -> Int32
}
