internal import Wire

/// Something that is done to the server. As text it is a line of a transcript, or one of those
/// below that name what happens to the server's machine.
///
/// ```
/// {"on":"a","send":"activate pair=demo role=phone"}    {"on":"a","bytes":"//sf"}
/// {"on":"a","end":true}    {"on":"a","close":true}     {"server":"restart"}
/// {"on":"a","reads":false} {"pass":2.5}                {"server":"kill","written":1}
/// {"disk":"hold"}          {"disk":"commitOne"}        {"disk":"fail"}  …
/// ```
package enum Step: Equatable {
  /// Bytes as they are, most of the time lines with their LF. A client that is not there is opened.
  case send(on: String, [UInt8])
  /// The client ends its input; it still reads.
  case end(on: String)
  /// The client is gone.
  case close(on: String)
  /// Whether the client reads what it is sent.
  case reads(on: String, Bool)
  case restart
  /// Of the commits under way so many were on the disk all the same.
  case kill(written: Int)
  /// Microseconds.
  case pass(Int64)
  case disk(Disk)

  package enum Disk: String, CaseIterable {
    /// Commits wait.
    case hold
    /// The oldest that waits is done.
    case commitOne
    case go
    /// Writes fail.
    case fail
    case recover
    /// There is no room for new work.
    case fill
    /// The store is as large as it may become.
    case fillStore
    case makeRoom
    /// Reads of payloads wait.
    case holdReads
    case releaseReads
    /// Reads of pairs that have left the memory wait.
    case holdPairs
    case releasePairs
  }
}

extension Step {
  var json: JSON {
    switch self {
    case .send(let name, let bytes):
      // A line that a person can read and paste; all else in base64.
      if bytes.last == 0x0A,
        !bytes.dropLast().contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }),
        let text = String(validating: bytes.dropLast(), as: UTF8.self)
      {
        return Step.object(("on", .string(name)), ("send", .string(text)))
      }
      return Step.object(("on", .string(name)), ("bytes", .string(Self.base64(bytes))))
    case .end(let name): return Step.object(("on", .string(name)), ("end", .bool(true)))
    case .close(let name): return Step.object(("on", .string(name)), ("close", .bool(true)))
    case .reads(let name, let reads):
      return Step.object(("on", .string(name)), ("reads", .bool(reads)))
    case .restart: return Step.object(("server", .string("restart")))
    case .kill(let written):
      return Step.object(("server", .string("kill")), ("written", .integer(written)))
    case .pass(let time):
      var text: [UInt8] = []
      text.append(seconds: time)
      return Step.object(("pass", .plain(String(decoding: text, as: UTF8.self))))
    case .disk(let word): return Step.object(("disk", .string(word.rawValue)))
    }
  }

  /// nil where it is no step.
  init?(_ json: JSON) {
    let name = json["on"]?.text ?? ""
    if let text = json["send"]?.text {
      self = .send(on: name, Array(text.utf8) + [0x0A])
    } else if let text = json["bytes"]?.text, let bytes = Self.bytes(base64: text) {
      self = .send(on: name, bytes)
    } else if json["end"] != nil {
      self = .end(on: name)
    } else if json["close"] != nil {
      self = .close(on: name)
    } else if let reads = json["reads"] {
      self = .reads(on: name, reads == .bool(true))
    } else if let server = json["server"]?.text {
      self = server == "kill" ? .kill(written: Int(json["written"]?.number ?? 0)) : .restart
    } else if case .plain(let text)? = json["pass"], let seconds = Double(text) {
      self = .pass(Int64(seconds * 1_000_000))
    } else if let word = json["disk"]?.text.flatMap(Disk.init) {
      self = .disk(word)
    } else {
      return nil
    }
  }

  private static func object(_ members: (String, JSON)...) -> JSON {
    .object(members.map { JSON.Member($0.0, $0.1) })
  }

  static func base64(_ bytes: some Collection<UInt8>) -> String {
    var text: [UInt8] = []
    Array(bytes).withUnsafeBytes { text.append(base64: $0) }
    return String(decoding: text, as: UTF8.self)
  }

  static func bytes(base64 text: String) -> [UInt8]? {
    var line = Array(#"{"data":""#.utf8)
    line.append(text: text)
    line.append(text: "\"}")
    return line.withUnsafeBytes { line in
      var envelope = Envelope()
      guard (try? envelope.scan(line)) != nil else { return nil }
      return envelope.withFields(of: line) { try? $0.data(.data) }
    }
  }
}
