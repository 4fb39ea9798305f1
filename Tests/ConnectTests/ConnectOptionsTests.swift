import Testing
import Usage
import watchline

@Suite struct ConnectOptionsTests {
  private func parse(_ line: String) throws(UsageError) -> ConnectOptions {
    let words = line.split(separator: " ").map(String.init)
    return try ConnectOptions(Arguments(words, syntax: ConnectOptions.syntax))
  }

  @Test func nothingNeedsToBeGiven() throws {
    let options = try parse("")
    #expect(options.activation == nil && options.until == nil && options.timeout == nil)
    #expect(!options.isRaw)
    #expect(options.endpoint.description == "127.0.0.1:9282")
  }

  @Test(arguments: [
    ("localhost:1", "localhost", 1), ("[::1]:65535", "::1", 65_535),
    ("10.0.0.1:80", "10.0.0.1", 80),
  ])
  func serversAreHostAndPort(text: String, host: String, port: Int) throws {
    let endpoint = try parse(text).endpoint
    #expect(endpoint.all.map(\.host) == [host])
    #expect(endpoint.all.map(\.port) == [port])
    #expect(endpoint.description == text)
  }

  @Test func severalServers() throws {
    let endpoints = try parse("a:1,[::1]:2").endpoint
    #expect(endpoints.all.map(\.host) == ["a", "::1"] && endpoints.all.map(\.port) == [1, 2])
    #expect(endpoints.description == "a:1,[::1]:2")
  }

  @Test(arguments: [
    "localhost", ":80", "a:0", "a:65536", "a:+1", "a:", "::1", "::1:80", "[]:80", "a:1,", ",a:1",
    "a:1,b",
  ])
  func otherServersAreRefused(text: String) {
    #expect(throws: UsageError.self) { try parse(text) }
  }

  @Test func pairAndRoleMakeAnActivation() throws {
    #expect(
      try parse("--pair demo --role watch").activation
        == #"{"type":"activate","pair":"demo","role":"watch","acknowledge":"automatic"}"#)
    #expect(
      try parse(#"--pair a"b --role phone --device d --app x --acknowledge manual"#).activation
        == #"{"type":"activate","pair":"a\"b","role":"phone","device":"d","app":"x","#
        + #""acknowledge":"manual"}"#)
  }

  @Test(arguments: [
    ("--pair p", "--pair needs a role: --role phone or --role watch"),
    ("--role phone", "--role goes with --pair P --role R"),
    ("--device d", "--device goes with --pair P --role R"),
    ("--acknowledge manual", "--acknowledge goes with --pair P --role R"),
    ("--pair p --role tablet", "--role is phone or watch, not tablet"),
    ("--pair p --role phone --acknowledge no", "--acknowledge is automatic or manual, not no"),
    ("--count 0", "--count is a number from 1 to 1000000000, not 0"),
    ("--until=", "--until needs a type, such as --until accepted"),
  ])
  func whatDoesNotGoTogetherIsRefused(line: String, message: String) {
    #expect(throws: UsageError(message)) { try parse(line) }
  }
}
