import Bridge
import Merge
package import Wire

/// What of the device outlives its end: lines of JSON, each without its end.
///
/// ```
/// {"timer":{…}}                           one for each timer, as payloads carry it
/// {"removed":"<UUID>","updatedAt":<date>}  one for each that it has removed
/// ```
extension WholeRecordDevice {
  package var saved: [[UInt8]] {
    let timers = ordered.map { Array("{\"timer\":".utf8) + $0.json + [0x7D] }
    let removed = removed.sorted { $0.key < $1.key }.map { id, date in
      var line: [UInt8] = []
      line.append("{\"removed\":", quoted: id.description)
      line.append(",\"updatedAt\":" as StaticString)
      line.append(payload: date)
      line.append(0x7D)
      return line
    }
    return timers + removed
  }

  /// Reads back what was saved.
  ///
  /// - Throws: 4001, 4003 or 4004 where a line is not as it was written.
  package init(_ role: Role, saved: some Collection<[UInt8]>) throws(WireError) {
    var timers: [TimerDTO] = []
    var removed: [Identifier: Double] = [:]
    for bytes in saved {
      let line = try Members(bytes)
      if let timer = line.raw("timer") {
        timers.append(try TimerDTO(json: timer))
      } else if let id = line.string("removed").flatMap({ Identifier($0.utf8) }),
        let date = line.raw("updatedAt").flatMap({ Double(String(decoding: $0, as: UTF8.self)) })
      {
        removed[id] = date
      } else {
        throw WireError(.invalidField, "saved whole records are timers, and ids of removed ones")
      }
    }
    self.init(role, timers: timers, removed: removed)
  }
}
