import Testing
import Usage

@Suite struct ArgumentsTests {
  private static let syntax = Syntax(
    name: "try", summary: "Tries.", operands: "[FILE]", maximumOperands: 1,
    options: [
      Option("size", value: "N", "how large"), Option("mode", value: "M", "which way"),
      Option("loud", "say more"),
    ])

  private func parse(_ line: String) throws(UsageError) -> Arguments {
    try Arguments(line.split(separator: " ").map(String.init), syntax: Self.syntax)
  }

  private func complaint(_ line: String) -> String? {
    do throws(UsageError) {
      _ = try parse(line)
      return nil
    } catch {
      return error.message
    }
  }

  @Test func optionsAndOperandsComeInAnyOrder() throws {
    let arguments = try parse("--size 3 here --loud --mode=a=b")
    #expect(arguments.operands == ["here"])
    #expect(try arguments.integer("size", in: 1...3) == 3)
    #expect(arguments.string("mode") == "a=b")
    #expect(arguments.has("loud"))
  }

  @Test func optionsEndAtTwoDashes() throws {
    #expect(try parse("--loud -- --size").operands == ["--size"])
    #expect(try parse("-").operands == ["-"])
    #expect(!(try parse("-- --help").has("help")))
  }

  @Test(arguments: ["--help", "-h", "--size --help", "--nonsense -h a b c"])
  func helpIsAlwaysGiven(line: String) throws {
    #expect(try parse(line).has("help"))
  }

  @Test(arguments: [
    ("--sise 3", "unknown option --sise; did you mean --size?"),
    ("--lou", "unknown option --lou; did you mean --loud?"),
    ("--sise=3", "unknown option --sise; did you mean --size?"),
    ("--elsewhere", "unknown option --elsewhere; see watchline try --help"),
    ("-x", "unknown option -x; see watchline try --help"),
    ("-size", "unknown option -size; did you mean --size?"),
    ("--size", "--size needs a value: --size N"),
    ("--loud=1", "--loud takes no value"),
    ("--size 1 --size=2", "--size is given twice"),
    ("a b", "unexpected b; see watchline try --help"),
  ])
  func complaintsAreOneLineThatNamesTheWord(line: String, message: String) {
    #expect(complaint(line) == message)
  }

  @Test(arguments: ["0", "4", "x", "1.5", "99999999999999999999"])
  func numbersOutsideTheirRangeAreRefused(value: String) throws {
    let arguments = try parse("--size=\(value)")
    let expected = UsageError("--size is a number from 1 to 3, not \(value)")
    #expect(throws: expected) { try arguments.integer("size", in: 1...3) }
  }

  @Test(arguments: [("0.5", 500_000), ("2", 2_000_000), ("0.0000001", 1)])
  func secondsAreDecimal(text: String, microseconds: Int64) throws {
    #expect(try parse("--size=\(text)").seconds("size", longest: 2) == microseconds)
  }

  @Test(arguments: ["0", "-1", "nan", "inf", "2.1", "x", ""])
  func secondsOutsideTheirRangeAreRefused(text: String) throws {
    let arguments = try parse("--size=\(text)")
    #expect(throws: UsageError.self) { try arguments.seconds("size", longest: 2) }
  }

  @Test func helpNamesEveryOption() {
    let help = Self.syntax.help
    #expect(help.hasPrefix("usage: watchline try [OPTION …] [FILE]\n"))
    for option in ["--size N  ", "--mode M  ", "--loud    ", "--help    "] {
      #expect(help.contains("\n  \(option)"))
    }
  }
}
