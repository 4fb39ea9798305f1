import AppModels
import Merge
package import Wire

/// What of the device outlives its end: lines of JSON, each without its end.
///
/// ```
/// {"incarnation":"…","store":"…","accepted":"3","received":{"userInfo":"7"}}
/// {"timer":{…}}, {"removed":…}                                 as `WholeRecordDevice.saved`
/// {"lane":"transferUserInfo","number":"4","payload":{…}}        what waits, in order
/// ```
extension WholeRecordSync {
  package var saved: [[UInt8]] {
    let lanes = received.map { Datum.Member(Name($0.key), .int(Int($0.value))) }
    let header = Datum.sorted([
      Datum.Member("incarnation", .string(incarnation)), Datum.Member("store", .string(store)),
      Datum.Member("accepted", .int(Int(accepted))), Datum.Member("received", .sorted(lanes)),
    ])
    return [header.canonical] + model.saved
      + queue.map { item in
        var line: [UInt8] = []
        line.append("{\"lane\":", quoted: item.lane.rawValue)
        if let number = item.number { line.append(",\"number\":", quoted: String(number)) }
        line.append(",\"payload\":" as StaticString)
        line += TodoTimersEnvelope().dictionary(item.message)
        line.append(0x7D)
        return line
      }
  }

  package func restore(_ saved: [[UInt8]]) throws(WireError) {
    let header = try saved.first.map { bytes throws(WireError) in try Datum(json: bytes) } ?? .null
    guard let incarnation = header["incarnation"]?.text, let store = header["store"]?.text,
      let accepted = header["accepted"]?.text.flatMap({ Int64($0.text) })
    else {
      throw WireError(
        .invalidField, "a saved device with whole records has incarnation, store and accepted")
    }
    (self.incarnation, self.store, self.accepted) = (incarnation.text, store.text, accepted)
    received = [:]
    if case .object(let lanes)? = header["received"] {
      for lane in lanes { received[lane.name.text] = lane.value.text.flatMap { Int64($0.text) } }
    }
    let isItem = { (line: [UInt8]) in line.starts(with: Array("{\"lane\"".utf8)) }
    model = try WholeRecordDevice(model.role, saved: saved.dropFirst().filter { !isItem($0) })
    queue = []
    for bytes in saved.dropFirst() where isItem(bytes) {
      let line = try Members(bytes)
      guard let lane = line.string("lane").flatMap(Lane.init), let message = try line.message else {
        throw WireError(.invalidField, "a saved message has a lane and a payload")
      }
      add(message, lane)
      queue[queue.count - 1].number = line.string("number").flatMap { Int64($0) }
    }
    showModel()
  }
}

extension Members {
  /// The app's message in `payload`; nil where it is none.
  var message: TodoTimersMessage? {
    get throws(WireError) {
      guard let payload = value("payload"), payload.kind == .object else { return nil }
      // A typed throw does not pass through the closure of an array's bytes.
      let result: Result<TodoTimersMessage?, WireError> = bytes.withUnsafeBytes { line in
        do throws(WireError) {
          return .success(try TodoTimersEnvelope.read(payload, line)?.message)
        } catch {
          return .failure(error)
        }
      }
      return try result.get()
    }
  }
}
