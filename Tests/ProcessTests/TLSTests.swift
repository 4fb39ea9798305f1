import Foundation
import Testing

extension ProcessTests {
  /// TLS, with OpenSSL's and Python's clients: `tls.py` says what has to hold.
  @Suite struct TLSTests {
    let scratch: Scratch
    var certificate: String { scratch.path + "/cert.pem" }
    var key: String { scratch.path + "/key.pem" }

    init() throws {
      scratch = try Scratch()
      try makeCertificate()
    }

    /// - Parameter names: what it is for.
    private func makeCertificate(_ names: String = "DNS:localhost,IP:127.0.0.1") throws {
      try openSSL([
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
        "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=\(names)", "-keyout", key, "-out",
        certificate,
      ])
    }

    private func openSSL(_ arguments: [String]) throws {
      let program = try Program(["openssl"] + arguments, in: scratch)
      guard try program.exitCode() == 0 else { throw Failure(program.errors) }
    }

    private func start(_ arguments: [String] = [], data: String = ":memory:") throws -> (
      server: ServerProcess, port: Int
    ) {
      let server = try ServerProcess(
        starting: scratch,
        ["--tls-listen", "127.0.0.1:0", "--tls-cert", certificate, "--tls-key", key] + arguments,
        data: data)
      var port: Int?
      try eventually("the ready line; errors: \(server.program.errors)") {
        let output = server.program.output
        guard output.hasSuffix("\n") else { return false }
        port = output.split(separator: ":").last.flatMap { Int($0.dropLast()) }
        return true
      }
      return (server, try #require(port))
    }

    @Test(arguments: ["session", "refused", "bulk", "torn", "silent", "half_open"])
    func holds(_ what: String) throws {
      let isLetGo = ["silent", "half_open"].contains(what)
      let (server, port) = try start(isLetGo ? ["--activate-timeout", "1"] : [])
      let script = #filePath.replacing("TLSTests.swift", with: "Examples/tls.py")
      let program = try Program(
        ["python3", "-B", script, what, "127.0.0.1", "\(port)", certificate], in: scratch)
      #expect(try program.exitCode(within: 60) == 0, "\(program.errors) \(server.log)")
      #expect(try server.terminate() == 0)
    }

    /// Signs a certificate, or where `days` is below 0 one that has expired, by an authority that is made for it.
    ///
    /// - Returns: the authority, the certificate and its key.
    private func sign(_ subject: String, _ extensions: String, by name: String, days: Int = 2)
      throws -> (authority: String, certificate: String, key: String)
    {
      let base = "\(scratch.path)/\(name)"
      let (authority, own) = ("\(base)-ca.pem", "\(base)-\(UUID())")
      if !FileManager.default.fileExists(atPath: authority) {
        try openSSL([
          "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
          "2", "-subj", "/CN=authority \(name)", "-keyout", "\(base)-ca.key", "-out", authority,
        ])
      }
      try openSSL([
        "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", subject,
        "-keyout", "\(own).key", "-out", "\(own).csr",
      ])
      try extensions.write(toFile: "\(own).ext", atomically: true, encoding: .utf8)
      try openSSL([
        "x509", "-req", "-in", "\(own).csr", "-CA", authority, "-CAkey", "\(base)-ca.key",
        "-CAcreateserial", "-days", "\(days)", "-extfile", "\(own).ext", "-out", "\(own).pem",
      ])
      return (authority, "\(own).pem", "\(own).key")
    }

    /// The names in a certificate are good for what the file of tokens says, and for nothing more.
    @Test func aCertificateStandsForAToken() throws {
      let file = scratch.path + "/tokens"
      func create(_ arguments: [String]) throws {
        let made = try scratch.watchline(["token", "create", "--tokens", file] + arguments)
        #expect(made.code == 0 && made.output == "" && made.errors.contains("by certificate"))
      }
      try create(["--certificate", "ci-*.example", "--pair", "ci-*"])
      try create(["--certificate", "anna", "--pair", "anna", "--role", "phone"])
      let anna = try sign("/CN=anna", "", by: "own")
      let ci = try sign("/O=team", "subjectAltName=DNS:ci-7.example,DNS:other", by: "own")
      let (server, port) = try start(["--tokens", file, "--tls-client-ca", anna.authority])

      func code(_ shown: (authority: String, certificate: String, key: String)?, _ request: String)
        throws -> Int?
      {
        let own = shown.map { " --tls-cert \($0.certificate) --tls-key \($0.key)" } ?? ""
        let talk = try watchline(
          "connect localhost:\(port) --tls-ca \(certificate)\(own)", input: request + "\n")
        _ = try talk.exitCode()
        let lines = try talk.output.split(separator: "\n").map { try Line(Array($0.utf8)) }
        if lines.contains(where: { $0.type == "activationDidComplete" }) { return 0 }
        return lines.first { $0.type == "error" }?.code
      }
      #expect(try code(anna, "activate pair=anna role=phone") == 0)
      #expect(try code(anna, "activate pair=anna role=watch") == 4_010)
      #expect(try code(anna, "activate pair=ci-1 role=phone") == 4_010)
      #expect(try code(ci, "activate pair=ci-1 role=watch") == 0)
      #expect(try code(ci, "activate pair=anna role=phone") == 4_010)
      #expect(try code(nil, "activate pair=anna role=phone") == 4_010)
      #expect(
        try code(try sign("/CN=nobody", "", by: "own"), "activate pair=anna role=phone") == 4_010)
      try eventually("an unknown name is in the log") {
        server.log.contains("event=unknownCertificate")
      }

      // Of another authority, expired, and a server's: no handshake.
      for refused in [
        try sign("/CN=anna", "", by: "other"), try sign("/CN=anna", "", by: "own", days: -1),
        try sign("/CN=anna", "extendedKeyUsage=serverAuth", by: "own"),
      ] {
        #expect(try code(refused, "activate pair=anna role=phone") == nil)
      }

      // Another authority in the file counts for new connections.
      let other = try sign("/CN=anna", "", by: "other")
      let whole = try String(contentsOfFile: anna.authority, encoding: .utf8)
      try (whole + String(contentsOfFile: other.authority, encoding: .utf8))
        .write(toFile: anna.authority, atomically: true, encoding: .utf8)
      server.program.signal(SIGHUP)
      try eventually("the authorities are read again") {
        try code(other, "activate pair=anna role=phone") == 0
      }

      // A token that is withdrawn takes the certificate's sessions with it.
      let talk = try watchline(
        "connect localhost:\(port) --tls-ca \(certificate) --tls-cert \(anna.certificate) --tls-key "
          + "\(anna.key) --pair anna --role phone --until sessionDidDeactivate")
      try eventually("it has a session") { talk.output.contains("activationDidComplete") }
      let id = try scratch.watchline(["token", "list", "--tokens", file]).output
        .split(separator: "\n").first { $0.contains("certificate anna") }.map { $0.prefix(8) }
      let name = String(try #require(id))
      let rotated = try scratch.watchline(["token", "rotate", name, "--tokens", file])
      #expect(rotated.code == 1 && rotated.errors.contains("is shown by a certificate"))
      #expect(try scratch.watchline(["token", "revoke", name, "--tokens", file]).code == 0)
      #expect(try talk.exitCode() == 0, "\(talk.errors)")
      #expect(talk.output.contains(#""reason":"revoked""#))
      #expect(try server.terminate() == 0)
    }

    /// What the README says to type.
    @Test func openSSLIsTheTelnetOfIt() throws {
      let (server, port) = try start()
      let program = try Program(
        [
          "sh", "-c",
          "(echo activate pair=demo role=phone; sleep 1; echo quit; sleep 1) | openssl s_client "
            + "-quiet -verify_return_error -CAfile \(certificate) -connect 127.0.0.1:\(port)",
        ], in: scratch)
      #expect(try program.exitCode() == 0, "\(program.errors)")
      #expect(program.output.contains("\"tls\":true"))
      #expect(program.output.contains("activationDidComplete"))
      #expect(try server.terminate() == 0)
    }

    /// TLS 1.3 has no renegotiation, but either side may change its keys, and ask the other for new ones (RFC 8446,
    /// section 4.6.3): to s_client that is `K`.
    @Test func theKeysMayChange() throws {
      let (server, port) = try start()
      let words = (1...8).map { "echo K; sleep 0.1; echo ping id=\($0); sleep 0.1" }
      let program = try Program(
        [
          "sh", "-c",
          "(sleep 0.5; \(words.joined(separator: "; ")); echo quit; sleep 1) | openssl s_client "
            + "-CAfile \(certificate) -connect 127.0.0.1:\(port)",
        ], in: scratch)
      #expect(try program.exitCode() == 0, "\(program.errors)")
      for id in 1...8 { #expect(program.output.contains("\"type\":\"pong\",\"re\":\(id),")) }
      #expect(program.output.contains("KEYUPDATE") || program.errors.contains("KEYUPDATE"))
      #expect(try server.terminate() == 0)
    }

    private func watchline(_ line: String, input: String = "") throws -> Program {
      let words = line.split(separator: " ").map(String.init)
      return try Program([Program.products + "/watchline"] + words, in: scratch, input: input)
    }

    /// The commands speak it themselves.
    @Test func theCommandsSpeakIt() throws {
      let (server, port) = try start()
      let to = "localhost:\(port) --tls-ca \(certificate)"
      let talk = try watchline("connect \(to)", input: "activate pair=demo role=phone\nping\n")
      #expect(try talk.exitCode() == 0, "\(talk.errors)")
      #expect(talk.output.contains("\"tls\":true") && talk.output.contains("\"type\":\"pong\""))
      let device = try watchline(
        "device --app todoTimers --role phone --strict --connect \(to)",
        input: "new Tea 5:00\nwait\nexpect Tea\nquit\n")
      #expect(try device.exitCode(within: 30) == 0, "\(device.output) \(device.errors)")
      let load = try watchline(
        "load --connect \(to) --workload transfer --pairs 4 --seconds 0.5 --warm-up 0 "
          + "--fail-if lost>0,duplicated>0,reordered>0,messagesPerSecond<10")
      #expect(try load.exitCode(within: 60) == 0, "\(load.output) \(load.errors)")
      #expect(try server.terminate() == 0)
    }

    /// A proxy stands in for what does not: nc, and apps by the module.
    @Test func theProxySpeaksItForOthers() throws {
      let (server, port) = try start()
      let proxy = try watchline(
        "proxy --listen 127.0.0.1:0 --to localhost:\(port) --tls-ca \(certificate)")
      var own: Int?
      try eventually("it listens; errors: \(proxy.errors)") {
        own = proxy.output.split(separator: "\"port\":").dropFirst().first.flatMap {
          Int($0.prefix { $0.isNumber })
        }
        return own != nil
      }
      let client = try LineClient(port: try #require(own))
      #expect(client.hello?.bool("tls") == true)
      client.close()
      #expect(try server.terminate() == 0)
    }

    /// Who the server is, is looked at before a line or a token goes to it.
    @Test func serversThatAreNotBelieved() throws {
      let (server, port) = try start()
      let plain = try #require(
        server.program.output.split(separator: ":").dropFirst().first.flatMap {
          Int($0.prefix(while: \.isNumber))
        })
      try makeCertificate("DNS:elsewhere")
      let (other, otherPort) = try start()
      try makeCertificate()
      try openSSL([
        "x509", "-in", certificate, "-signkey", key, "-days", "-1", "-out", certificate,
      ])
      let (old, oldPort) = try start()
      for (to, words) in [
        ("localhost:\(port) --tls", "the certificate is not believed: self-signed certificate"),
        ("localhost:\(port) --tls-ca \(certificate)", "the certificate is not believed"),
        ("localhost:\(oldPort) --tls-ca \(certificate)", "certificate has expired"),
        ("127.0.0.1:\(otherPort) --tls", "the certificate is not believed"),
        ("127.0.0.1:\(plain) --tls", "TLS: what has come is no TLS"),
        ("localhost:\(port)", "without a word; it may speak TLS: see --tls"),
      ] {
        let talk = try watchline("connect \(to)", input: "authenticate token=secret\n")
        #expect(try talk.exitCode() == 1, "\(to)")
        #expect(talk.errors.contains(words), "\(to): \(talk.errors)")
        #expect(talk.output.isEmpty)
      }
      let none = try watchline("connect --tls-ca \(scratch.path)/none")
      #expect(try none.exitCode() == 2)
      #expect(none.errors.contains("none: No such file or directory"), "\(none.errors)")
      for server in [server, other, old] { #expect(try server.terminate() == 0) }
    }

    /// SIGHUP: new connections get the new certificate, and files that do not fit change nothing.
    @Test func readsTheCertificateAgain() throws {
      let (server, port) = try start()
      let old = try Data(contentsOf: URL(fileURLWithPath: certificate))
      try makeCertificate()
      server.program.signal(SIGHUP)
      try eventually("it is taken") { server.log.contains("event=certificateReloaded") }
      let script = #filePath.replacing("TLSTests.swift", with: "Examples/tls.py")
      let new = try Program(
        ["python3", "-B", script, "session", "127.0.0.1", "\(port)", certificate], in: scratch)
      #expect(try new.exitCode() == 0, "\(new.errors)")
      // The key is the new one's.
      try old.write(to: URL(fileURLWithPath: certificate))
      server.program.signal(SIGHUP)
      try eventually("it is refused") {
        server.log.contains(
          "event=certificateRefused error=\"--tls-cert, --tls-key, --tls-client-ca: ")
      }
      #expect(try server.terminate() == 0)
    }

    /// TLS keeps others from reading, and says nothing about who may come.
    @Test func otherMachinesNeedTokens() throws {
      let arguments = [
        ServerProcess.path, "--data", ":memory:", "--listen", "127.0.0.1:0", "--tls-listen",
        "0.0.0.0:0", "--tls-cert", certificate, "--tls-key", key,
      ]
      let program = try Program(arguments, in: scratch)
      #expect(try program.exitCode() == 1)
      #expect(program.errors.contains("give --tokens FILE"), "\(program.errors)")
      let tokens = try Program(
        arguments + ["--tokens", try scratch.tokens([])], in: scratch)
      try eventually("the ready line") { tokens.output.contains("with TLS on 0.0.0.0:") }
    }

    @Test func filesThatAreRefused() throws {
      for (arguments, words) in [
        (["--tls-cert", scratch.path + "/none", "--tls-key", key], "none: No such file"),
        (["--tls-cert", key, "--tls-key", key], "key.pem: it has nothing of that kind in PEM"),
        (["--tls-cert", certificate, "--tls-key", certificate], "cert.pem: it has nothing"),
      ] {
        let program = try Program(
          [
            ServerProcess.path, "--data", ":memory:", "--listen", "127.0.0.1:0", "--tls-listen",
            "127.0.0.1:0",
          ] + arguments, in: scratch)
        #expect(try program.exitCode() == 1)
        #expect(program.errors.contains(words), "\(program.errors)")
        #expect(program.errors.split(separator: "\n").count == 1)
      }
    }
  }
}
