internal import Glibc
internal import Simulation
internal import Usage

/// `watchline generate`: a trace and what must come of it, as fixtures for tests.
enum Generate: Subcommand {
  static let syntax = Syntax(
    name: "generate",
    summary: "Write a randomized device trace, and what must come of it, as a test fixture.",
    options: [
      Option(
        "seed", value: "N", "what everything is drawn from; the same seed gives the same bytes"),
      Option("out", value: "DIR", "the folder for trace.ndjson and expected.json"),
      Option("devices", value: "N", "a phone and N-1 watches: 2 or 3; drawn where left out"),
      Option("events", value: "N", "how many things happen before everything settles"),
      SchemaOption.option("; none: payloads only"),
      Option("faults", value: "F,…", "which faults may occur, of \(faults); or none"),
      Option(
        "network", value: "N", "watchConnectivity: lanes keep their promises; or any",
        among: ExchangeSettings.Network.allCases.map(\.rawValue)),
      Option("lanes", value: "L,…", "which lanes are used, of context, userInfo, message"),
      Option(
        "whole-records", value: "N",
        "how many watches know whole records only: todoTimers on watchConnectivity"),
    ],
    notes: """
      What is left out is drawn from the seed; the options are printed on the standard error, ready
      to be pasted back. The files are described in Protocol/TRACES.md.
      """)

  private static var faults: String {
    ExchangeSettings.possibleFaults.map(\.rawValue).joined(separator: ", ")
  }

  static func run(_ arguments: Arguments) throws(UsageError) -> Int32 {
    guard let folder = arguments.string("out"), !folder.isEmpty else {
      throw UsageError("--out is missing: the folder for trace.ndjson and expected.json")
    }
    let plan = try plan(arguments)
    let network = arguments.network
    if let fault = plan.wholeRecordsFault(network) { throw UsageError("--whole-records: \(fault)") }
    let lanes = try arguments.lanes()
    do throws(FileFailure) {
      try Folder.make(folder)
    } catch {
      throw UsageError("--out \(folder) cannot be made: \(error.message)")
    }
    let fixture: Fixture
    do throws(HarnessFailure) {
      fixture = try ExchangeHarness.fixture(plan, network: network, lanes: lanes)
    } catch {
      complain(error.description)
      return 1
    }
    do throws(FileFailure) {
      try File.replace("\(folder)/trace.ndjson", with: fixture.trace.ndjson, isPrivate: false)
      try File.replace("\(folder)/expected.json", with: fixture.expected, isPrivate: false)
    } catch {
      throw UsageError("--out cannot be written: \(error.message)")
    }
    let line = Array("--seed \(plan.seed) \(fixture.trace.optionsLine)\n".utf8)
    _ = Glibc.write(2, line, line.count)
    return 0
  }

  private static func plan(_ arguments: Arguments) throws(UsageError) -> Plan {
    guard let seed = try arguments.seed("seed") else {
      throw UsageError("--seed is missing: a number from which everything is drawn")
    }
    var plan = Plan(seed: seed)
    plan.devices = try arguments.integer("devices", in: 2...3)
    plan.events = try arguments.integer("events", in: 1...100_000)
    let schema = try SchemaOption(arguments, payloadsOnly: true)
    (plan.schema, plan.own) = (schema.name, schema.own)
    plan.wholeRecords = try arguments.integer("whole-records", in: 0...3)
    plan.faults = try arguments.faults()
    return plan
  }
}
