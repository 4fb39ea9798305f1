import Bridge
package import Journal
import Merge
package import Relay
import Wire

/// What the store has of a pair's hubs, told as lines of JSON.
extension Hubs {
  package func tell(
    _ rows: [Row], of pair: Pair, hasViews: Bool
  ) throws(JournalError) -> [[UInt8]] {
    let records = try HubRestoration(pair, schemas: schemas, codecs: codecs).read(rows)
    let hubs = records.hubs.map { hub in
      line(of: pair) { json in
        json.member("schema", hub.schema.name.text)
        json.member("position", hub.replica.position)
        json.member("entries", hub.replica.log.count)
        json.member("records", hub.replica.fold.recordCount)
        json.array("devices", hub.members.map(\.device) + hub.bridges.map(\.device)) {
          $0.string(pair.devices[Int($1)].name)
        }
        if hasViews {
          let view = hub.replica.fold.view(hub.schema).canonical.canonical
          json.raw("view", String(decoding: view, as: UTF8.self))
        }
      }
    }
    return hubs
      + records.absent.sorted().map { index in
        line(of: pair) { $0.member("absentSchema", index) }
      }
  }

  private func line(of pair: Pair, _ body: (inout JSONWriter) -> Void) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.member("pair", pair.name)
      body(&json)
    }
    return json.bytes
  }
}
