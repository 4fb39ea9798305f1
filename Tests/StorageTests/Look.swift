import AppModels
import Hub
import Relay
import Storage
import Testing

/// What `watchline check` and `watchline dump` do with a store.
enum Look {
  /// What is wrong with a store, which is left byte for byte as it is.
  static func faults(_ directory: TemporaryDirectory, _ context: String) -> [String] {
    let before = directory.contents
    defer { #expect(directory.contents == before, "\(context): a look has changed something") }
    do {
      let reader = try StoreReader(directory.path)
      let faults = reader.faults()
      return faults.isEmpty ? try tell(reader, payloads: false).faults : faults
    } catch {
      return ["\(error)"]
    }
  }

  /// All that a store holds, as lines.
  static func tell(
    _ reader: StoreReader, payloads: Bool
  ) throws -> (lines: [String], faults: [String]) {
    var lines: [String] = []
    let telling = try StoreTelling(
      try reader.contents(),
      hubs: Hubs.keeping(ShippedSchemas.all, codecs: ShippedSchemas.codecs),
      rows: reader.rows, payload: payloads ? reader.payload : nil,
      tell: { lines.append(String(decoding: $0, as: UTF8.self)) })
    let faults = telling.run()
    return (lines, faults)
  }
}
