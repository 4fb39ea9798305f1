internal import Wire

/// A file on its way to the server: announced with its digest, then sent a chunk at a time, each once
/// the one before it is accepted.
struct FileSending {
  enum Step {
    /// A line for the server, without LF.
    case send([UInt8])
    /// It is over; what became of it.
    case done(String)
  }

  let name: String
  let bytes: [UInt8]

  /// Bytes of a chunk: as many as the server puts into one.
  private static let chunk = 49_152
  private static let id = "send-file"

  /// The path in a line that asks for it.
  static func path(in line: String) -> String? {
    let words = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
    guard words.count == 2, words[0] == "send-file" else { return nil }
    return String(words[1].drop { $0 == " " }).trimmed
  }

  /// - Throws: where there is no such file, or it cannot be read.
  init(_ path: String) throws(FileFailure) {
    guard let bytes = try File.read(path) else {
      throw FileFailure(of: path, because: "there is no such file")
    }
    self.bytes = bytes
    name = path.split(separator: "/").last.map(String.init) ?? path
  }

  /// The `transferFile` that begins it.
  var announcement: [UInt8] {
    var digest = SHA256()
    bytes.withUnsafeBytes { digest.update($0) }
    var line: [UInt8] = []
    line.append("{\"type\":\"transferFile\",\"id\":", quoted: Self.id)
    line.append(",\"name\":", quoted: name)
    line.append(",\"size\":" as StaticString)
    line.append(decimal: bytes.count)
    line.append(",\"sha256\":", quoted: digest.hex)
    line.append(0x7D)
    return line
  }

  /// What follows from a line of the server's; nil where it is about something else.
  func received(_ line: UnsafeRawBufferPointer) -> Step? {
    guard let members = try? Members(line), members.string("re") == Self.id else { return nil }
    switch members.string("type") {
    case "accepted":
      guard let transfer = members.string("transfer"), let offset = members.integer("offset")
      else { return nil }
      let start = min(max(0, Int(offset)), bytes.count)
      guard start < bytes.count else {
        return .done("\(name) is with the server as \(transfer)")
      }
      return .send(chunk(of: transfer, from: start))
    case "error": return .done("\(name) was refused: \(members.string("message") ?? "")")
    case "didFinishFileTransfer":
      let reason = members.object("error")?.string("message")
      return .done(reason.map { "\(name) failed: \($0)" } ?? "\(name) has arrived")
    default: return nil
    }
  }

  private func chunk(of transfer: String, from start: Int) -> [UInt8] {
    var line: [UInt8] = []
    line.append("{\"type\":\"fileChunk\",\"id\":", quoted: Self.id)
    line.append(",\"transfer\":", quoted: transfer)
    line.append(",\"offset\":" as StaticString)
    line.append(decimal: start)
    line.append(",\"data\":\"" as StaticString)
    line.append(base64: bytes[start..<min(start + Self.chunk, bytes.count)])
    line.append("\"}" as StaticString)
    return line
  }
}

extension String {
  /// Without blanks at the end.
  fileprivate var trimmed: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
