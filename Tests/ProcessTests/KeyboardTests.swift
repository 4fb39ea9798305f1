import Foundation
import Testing

extension ProcessTests {
  /// What a person at a keyboard is told, by a real server.
  @Suite struct KeyboardTests {
    let scratch: Scratch
    let server: ServerProcess

    init() throws {
      scratch = try Scratch()
      server = try ServerProcess(scratch, ["--clock", "manual"])
    }

    // MARK: Faults

    @Test(arguments: [
      (#"transferUserInfo payload={"a":1,}"#, 4001, "at byte 32"),
      (#"  transferUserInfo   payload={"a" 1}"#, 4001, "at byte 34"),
      (#"transferUserInfo paylod={"a":1}"#, 4003, "no member paylod; did you mean payload?"),
      (#"{"type":"transferUserInfo","paylod":{}}"#, 4003, "did you mean payload?"),
      (#"transferUserInfo payload={"a":null}"#, 7010, "payload.a is null"),
      (#"transferUserInfo payload={"a":1e400}"#, 7010, "payload.a is a number that no 64 bits"),
      (#"transferUserInfo payload={"a":1,"a":2}"#, 7010, "payload.a is given twice (byte 32)"),
      (#"sendMessage payload={"b":[{"c":1,"\u0063":2}]}"#, 7010, "payload.b[0].c is given twice"),
      (
        #"updateApplicationContext payload={"a":{"b":1,"b":1}}"#, 7010, "payload.a.b is given twice"
      ),
      (
        #"transferFile name=a size=5 sha256=12ab"#, 4004,
        "SHA-256 in 64 hexadecimal digits; at byte 34"
      ),
      (#"transferFil name=a"#, 4001, "did you mean transferFile?"),
    ])
    func aFaultIsNamed(_ line: String, _ code: Int, _ words: String) throws {
      let watch = try server.device("watch")
      let phone = try server.device("phone")
      defer { withExtendedLifetime(watch) {} }
      try phone.send(line)
      let error = try phone.expect("error")
      #expect(error.code == code, "\(error)")
      #expect(error.string("message")?.contains(words) == true, "\(error)")
    }

    @Test func aWrongDigestSaysSo() throws {
      let watch = try server.device("watch")
      let phone = try server.device("phone")
      defer { withExtendedLifetime(watch) {} }
      let digest = String(repeating: "0", count: 64)
      let accepted = try phone.type("transferFile name=a size=5 sha256=\"\(digest)\"")
      try phone.send("fileChunk transfer=\(accepted.string("transfer")!) offset=0 data=aGVsbG8=")
      let end = try phone.expect("didFinishFileTransfer")
      #expect("\(end)".contains("7014") && "\(end)".contains(digest), "\(end)")
      #expect("\(end)".contains("2cf24dba5fb0a30e"), "\(end)")
    }

    @Test func acknowledgeSaysWhichLanesItLeft() throws {
      let watch = try server.device("watch")
      let phone = try server.device("phone")
      _ = try phone.type(#"transferUserInfo payload={"a":1}"#)
      _ = try phone.type(#"updateApplicationContext payload={"a":1}"#)
      try watch.expect("didReceiveUserInfo")
      try watch.expect("didReceiveApplicationContext")
      try watch.send("acknowledge")
      let left = try watch.expect("accepted").members["left"]
      #expect("\(left ?? "")".contains("context"))
    }

    /// Every line that tells a time tells it in the same unit.
    @Test func nowIsInSeconds() throws {
      let phone = try server.device("phone")
      let start = 978_307_200.0
      _ = try phone.request(["type": "advance", "seconds": 1.5])
      #expect(try phone.request(["type": "ping"]).members["now"] as? Double == start + 1.5)
      let replica = "6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F.1"
      let opened = try phone.type("sync.open schema=todoTimers replica=\(replica) vector={}")
      #expect(opened.members["now"] as? Double == start + 1.5)
      let retime = try phone.type(
        """
        sync.push ops=[{"actions":[{"action":"create","kind":"timer","record":"B5C20E1A-0000-4000-\
        8000-000000000001"}],"replica":"\(replica)","seq":"1","stamp":"1790000000000.2.0",\
        "wall":"1790000000000"}]
        """)
      #expect(retime.type == "sync.retime", "\(retime)")
      #expect(retime.members["now"] as? Double == start + 1.5)
    }
  }
}
