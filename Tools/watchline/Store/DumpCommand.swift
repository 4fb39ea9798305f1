internal import AppModels
internal import Hub
internal import Relay
internal import Storage
internal import Usage

/// `watchline dump`: what a store holds, as lines of JSON.
enum DumpCommand: Subcommand {
  static let syntax = Syntax(
    name: "dump",
    summary:
      "Print what a store holds: pairs, devices, what waits, files and records, a JSON object a line.",
    operands: "DIR", maximumOperands: 1,
    options: [
      Option("pair", value: "NAME", "those of this name alone; * stands for anything (*)"),
      Option("app", value: "NAME", "those of this app alone; * stands for anything (*)"),
      Option("payloads", "with payloads, contexts and records"),
      Option("schema", value: "FILE", "a schema of your own, as the server has it"),
    ],
    notes: """
      DIR is what --data names. Nothing is changed. No server may have the store open.

      The first line is about the store. Of a pair there is a line for itself, for each device with its
      lanes, for each delivery that waits or is not acknowledged, for each context and file, and for each
      schema of merged records. What stands in a line says what it is about:

        {"store":"…","epoch":3,"lastBatch":120,"pairs":2}
        {"pair":"demo","app":"default","activeWatch":"watch"}
        {"pair":"demo","device":"watch","role":"watch","isJoined":true,"incarnations":1,"lanes":{…}}
        {"pair":"demo","device":"watch","lane":"userInfo","seq":6,"from":"phone","transfer":"phone:0#6",…}

      Exit status: 0 all is printed, 1 something cannot be understood, 2 the store cannot be looked at.
      """)

  static func run(_ arguments: Arguments) throws(UsageError) -> Int32 {
    let schemas = try StoreArguments.schemas(arguments)
    let pair = NamePattern(arguments.string("pair") ?? "*")
    let app = NamePattern(arguments.string("app") ?? "*")
    let reader = try StoreArguments.reader(arguments)
    do {
      let telling = try StoreTelling(
        try reader.contents(), hubs: Hubs.keeping(schemas, codecs: ShippedSchemas.codecs),
        rows: reader.rows,
        payload: arguments.has("payloads") ? reader.payload : nil,
        tell: { print(String(decoding: $0, as: UTF8.self)) })
      let faults = telling.run(where: { app.matches($0) && pair.matches($1) })
      for fault in faults { complain(fault) }
      return faults.isEmpty ? 0 : 1
    } catch {
      complain("\(error)")
      return 1
    }
  }
}
