internal import RelaySupport
internal import Wire

/// Whatever two connections send: the relay goes on, says only lines that are JSON, says the same
/// however the bytes are cut, and its store can be read back.
func checkConversation(_ input: [UInt8]) {
  _ = Conversation(input, .whole)
  let lines = Conversation(input, .lines)
  let bytes = Conversation(input, .bytes)
  guard lines.said == bytes.said else {
    fatalError("torn lines are answered otherwise:\n\(lines.text)\nand torn\n\(bytes.text)")
  }
}

/// A world in which an input has been sent.
private struct Conversation {
  /// By connection, what it was sent.
  private(set) var said: [[[UInt8]]] = []

  /// No UTF-8 has this byte; what follows it comes from the other connection.
  private static let turn: UInt8 = 0xFE

  /// What comes at once. Of several lines that do, a later one may be answered before an earlier
  /// one's commit is; of a line that is torn, nothing may be.
  enum Pieces { case whole, lines, bytes }

  init(_ input: [UInt8], _ pieces: Pieces) {
    do {
      let world = try World()
      let names = ["one", "two"]
      for name in names { world.open(name) }
      world.settle()
      for (index, part) in input.split(separator: Self.turn, omittingEmptySubsequences: false)
        .enumerated()
      {
        for piece in Self.cut(Array(part), pieces) {
          // A client that was closed stays so: a new one of its name would be another connection.
          guard let client = world.lastClient(names[index % 2]), !client.isClosed else { break }
          world.send(piece, on: names[index % 2])
        }
      }
      // What was torn at the end of the input is a line, too.
      for name in names where !world.client(name).isClosed { world.send("", on: name) }
      world.settle()
      said = names.map { world.lastClient($0)?.history ?? [] }
      for line in said.joined() { check(line) }
      world.send("ping id=1", on: "after")
      guard world.client("after").history.contains(where: { isPong($0) }) else {
        fatalError("the relay answers nobody any more")
      }
      try world.kill()
      world.send("ping id=1", on: "again")
    } catch {
      fatalError("the store cannot be read back: \(error)")
    }
  }

  private static func cut(_ bytes: [UInt8], _ pieces: Pieces) -> [[UInt8]] {
    switch pieces {
    case .whole: return [bytes]
    case .bytes: return bytes.map { [$0] }
    case .lines:
      var lines: [[UInt8]] = [[]]
      for byte in bytes {
        lines[lines.count - 1].append(byte)
        if byte == 0x0A { lines.append([]) }
      }
      return lines
    }
  }

  private func check(_ line: [UInt8]) {
    var envelope = Envelope()
    let isJSON = line.withUnsafeBytes { bytes in
      do throws(WireError) {
        try envelope.scan(bytes)
        return true
      } catch {
        return false
      }
    }
    if !isJSON { fatalError("no JSON: \(String(decoding: line, as: UTF8.self))") }
  }

  private func isPong(_ line: [UInt8]) -> Bool {
    String(decoding: line, as: UTF8.self).contains("\"type\":\"pong\"")
  }

  var text: String {
    said.map { $0.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n") }
      .joined(separator: "\n--\n")
  }
}
