import Foundation
import Testing

extension ProcessTests {
  /// Clients of other protocols come to this port: what they send is not carried out.
  @Suite struct OtherProtocolTests {
    let scratch: Scratch
    let server: ServerProcess

    init() throws {
      scratch = try Scratch()
      server = try ServerProcess(scratch, data: ":memory:")
    }

    /// As a browser posts a page's body without asking.
    @Test func postedLines() throws {
      let body = "activate pair=demo role=phone\ntransferUserInfo payload={\"a\":1} n=1\n"
      let request =
        "POST / HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nContent-Type: text/plain\r\n"
        + "Content-Length: \(body.utf8.count)\r\n\r\n" + body
      for size in [1, 7, request.utf8.count] {
        let client = try server.client()
        let bytes = Array(request.utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
          // It may be closed by then.
          guard (try? client.send(bytes: Array(bytes[start...].prefix(size)))) != nil else { break }
        }
        let lines = try client.linesToEnd()
        #expect(lines.count == 1 && lines[0].code == 4_001, "\(lines)")
      }
      let phone = try server.device("phone")
      #expect(phone.activation.integer("n") == 0)
    }

    @Test(.enabled(if: access("/usr/bin/curl", X_OK) == 0)) func curl() throws {
      let program = try Program(
        [
          "curl", "--silent", "--http0.9", "--max-time", "20", "--data-binary",
          "activate pair=demo role=phone\ntransferUserInfo payload={} n=1\n",
          "http://127.0.0.1:\(server.port)/",
        ], in: scratch)
      _ = try program.exitCode()
      #expect(program.output.contains("4001") || program.output.isEmpty, "\(program.output)")
      #expect(!program.output.contains("activationDidComplete"))
      #expect(try server.device("phone").activation.integer("n") == 0)
    }

    @Test func clientHello() throws {
      let client = try server.client()
      try client.send(bytes: [0x16, 0x03, 0x01, 0x00, 0x05, 0x01, 0x0A])
      let lines = try client.linesToEnd()
      #expect(lines.count == 1 && lines[0].code == 4_001, "\(lines)")
      #expect(lines.first?.string("message")?.contains("TLS") == true)
    }
  }
}
