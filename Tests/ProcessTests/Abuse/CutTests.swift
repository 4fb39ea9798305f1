import Foundation
import Testing

extension ProcessTests {
  /// Connections that end in the middle of something.
  @Suite struct CutTests {
    let scratch: Scratch
    let server: ServerProcess

    init() throws {
      scratch = try Scratch()
      server = try ServerProcess(scratch)
    }

    @Test(arguments: [true, false]) func withinALine(isReset: Bool) throws {
      try server.device("watch").close()
      let phone = try server.device("phone")
      try phone.request(["type": "transferUserInfo", "n": 1, "payload": ["n": 1]])
      try phone.send(bytes: Array("{\"type\":\"transferUserInfo\",\"n\":2,\"payl".utf8))
      if isReset {
        phone.reset()
      } else {
        phone.endOutput()
        // The last line needs no LF, and half a one is an error.
        #expect(try phone.linesToEnd().map(\.code) == [4_001])
      }
      #expect(try server.device("phone").activation.integer("n") == 1)
    }

    @Test func lastLineWithoutEnd() throws {
      try server.device("watch").close()
      let phone = try server.device("phone")
      try phone.send(
        bytes: Array("{\"type\":\"transferUserInfo\",\"n\":1,\"payload\":{\"n\":1}}".utf8))
      phone.endOutput()
      #expect(try phone.linesToEnd().map(\.type) == ["accepted"])
      #expect(try server.device("phone").activation.integer("n") == 1)
    }

    private static let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }

    private var announcement: [String: Any] {
      [
        "type": "transferFile", "n": 1, "name": "photo", "size": Self.bytes.count,
        "sha256": sha256(Self.bytes),
      ]
    }

    private func chunk(_ transfer: String, _ range: Range<Int>) -> [String: Any] {
      [
        "type": "fileChunk", "transfer": transfer, "offset": range.lowerBound,
        "data": Data(Self.bytes[range]).base64EncodedString(),
      ]
    }

    /// A file whose sender goes half way, and then its receiver; both go on where they were.
    @Test(arguments: [true, false]) func withinAFile(isReset: Bool) throws {
      try server.device("watch").close()
      var phone = try server.device("phone")
      let transfer = try phone.request(announcement).string("transfer")!
      for start in stride(from: 0, to: 120_000, by: 10_000) {
        try phone.send(chunk(transfer, start..<start + 10_000))
      }
      let line = try JSONSerialization.data(withJSONObject: chunk(transfer, 120_000..<150_000))
      try phone.send(bytes: Array(line.prefix(20_000)))
      // Bytes count once they are synced; and what the server has not read is lost with a reset.
      try phone.first("progress") { $0.integer("offset") ?? 0 >= 50_000 }
      if isReset {
        phone.reset()
      } else {
        phone.endOutput()
        _ = try phone.linesToEnd()
      }

      phone = try server.device("phone")
      let resumed = try phone.request(announcement)
      let offset = try #require(resumed.integer("offset"), "\(resumed)")
      #expect(offset >= 50_000 && offset <= 120_000 && offset % 10_000 == 0)
      for start in stride(from: offset, to: Self.bytes.count, by: 50_000) {
        try phone.send(chunk(transfer, start..<min(start + 50_000, Self.bytes.count)))
      }
      try phone.request(["type": "outstandingTransfers"])
      try download(transfer)
      try phone.expect("didFinishFileTransfer")
    }

    private func download(_ transfer: String) throws {
      var watch = try server.device("watch", receiveBuffer: 4_096)
      var received: [UInt8] = []
      try watch.expect("didReceiveFile")
      for _ in 1...2 {
        received += Data(base64Encoded: try watch.expect("fileChunk").string("data")!)!
      }
      watch.reset()
      watch = try server.device("watch", ["files": [transfer: received.count]])
      let again = try watch.expect("didReceiveFile")
      #expect(again.integer("offset") == received.count, "\(again)")
      while true {
        let line = try watch.expect("fileChunk")
        #expect(line.integer("offset") == received.count)
        received += Data(base64Encoded: line.string("data")!)!
        if line.bool("last") == true { break }
      }
      #expect(received == Self.bytes)
      try watch.request(["type": "acknowledge", "lane": "file"])
    }

    @Test func byteByByte() throws {
      let client = try server.client()
      let session = """
        activate pair=bytes role=watch id=1\r
        {"type":"ping","id":"\\u00e4ö€😀"}

        transferUserInfo payload={"steps":412,"note":"ä😀"} id=3
        nonsense
        quit
        """
      for byte in session.utf8 { try client.send(bytes: [byte]) }
      client.endOutput()
      let lines = try client.linesToEnd()
      #expect(lines.map(\.type) == ["activationDidComplete", "pong", "error", "error"])
      #expect(lines[1].string("re") == "äö€😀")
      #expect(lines[2].code == 7_005)
      #expect(lines[3].code == 4_001)
    }
  }
}
