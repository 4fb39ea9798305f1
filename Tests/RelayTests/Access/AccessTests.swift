import RelaySupport
import Testing

@testable import Relay

/// Tokens, and what becomes of sessions when they change. The dialogues 14.2 to 14.4 have the rest.
@Suite struct AccessTests {
  static let text = Token.text(id: "watchtok", secret: [UInt8](repeating: 7, count: 32))

  /// - Parameter change: what is different from a token that may connect any device of any pair.
  static func token(
    _ id: String = "watchtok", _ text: String = text, _ change: (inout Token) -> Void = { _ in }
  ) -> Token {
    var token = Token(id: id, proof: .digest(Token.digest(of: text)), pairs: [NamePattern("*")])
    change(&token)
    return token
  }

  private func world(_ tokens: [Token], hasManualClock: Bool = true) throws -> World {
    try World(hasManualClock: hasManualClock, access: Access(tokens))
  }

  private func active(_ world: World, _ name: String, role: String = "watch") -> Client {
    world.send("activate pair=p role=\(role) token=\(Self.text)", on: name)
    let client = world.client(name)
    #expect(client.takeLines().last?.contains("activationDidComplete") == true)
    return client
  }

  private func send(_ line: String, _ world: World, _ client: Client) {
    world.send(Array((line + "\n").utf8), from: client)
  }

  /// Who tails is told nothing more once the right to it has gone: by another token, by what the token is good for, or
  /// with the token.
  @Test(arguments: ["another", "narrowed", "withdrawn"])
  func aTailEndsWithTheRightToIt(_ way: String) throws {
    let text = Token.text(id: "operator", secret: [UInt8](repeating: 9, count: 32))
    let keeper = Self.token("operator", text) { $0.grants = [.admin] }
    let world = try world([Self.token(), keeper])
    let phone = active(world, "phone", role: "phone")
    world.send("authenticate token=\(text)", on: "operator")
    let tail = world.client("operator")
    send("tail pair=*", world, tail)
    send("ping", world, phone)
    #expect(tail.takeLines().count { $0.contains("\"passed\"") } == 2)
    // What it was told last is not read, so that its connection stays where it is ended.
    tail.holdsOutput = true
    send("ping", world, phone)
    switch way {
    case "another": send("authenticate token=\(Self.text)", world, tail)
    case "narrowed":
      let narrow = Self.token("operator", text) { $0.grants = [.connect] }
      world.relay.takeAccess(Access([Self.token(), narrow]), now: world.now)
    default: world.relay.takeAccess(Access([Self.token()]), now: world.now)
    }
    world.settle()
    for _ in 1...3 { send("ping", world, phone) }
    world.read("operator")
    #expect(tail.takeLines().count { $0.contains("\"passed\"") } == 2)
    #expect(world.relay.tails.isEmpty)
  }

  /// So many connections hold a token at once, and what goes makes room.
  @Test func aTokenHasItsQuota() throws {
    let other = Token.text(id: "another1", secret: [UInt8](repeating: 9, count: 32))
    let world = try world([
      Self.token { $0.quota.connections = 2 }, Self.token("another1", other) { $0.grants = [] },
    ])
    func authenticate(_ name: String, _ text: String = Self.text) -> String {
      world.send("authenticate token=\(text)", on: name)
      return world.client(name).takeLines().last ?? ""
    }
    #expect(
      authenticate("a").contains("\"authenticated\"") || authenticate("a").contains("accepted"))
    _ = active(world, "b")
    let refused = authenticate("c")
    #expect(
      refused.contains("\"code\":4008") && refused.contains("(quota.connections)"), "\(refused)")
    world.send("activate pair=new role=watch token=\(Self.text)", on: "c")
    #expect(world.client("c").takeLines().last?.contains("\"code\":4008") == true)
    // Nothing of the pair was made, and the connection goes on.
    #expect(world.relay.pairsInMemory == 1)
    world.send("ping", on: "c")
    #expect(world.client("c").takeLines().last?.contains("pong") == true)
    // Who holds it shows it again, and who takes another lets it go.
    #expect(!authenticate("a").contains("4008"))
    #expect(!authenticate("a", other).contains("error"))
    #expect(!authenticate("c").contains("4008"))
    #expect(authenticate("d").contains("4008"))
    world.close("b")
    #expect(!authenticate("d").contains("4008"))
    // A quota that is smaller from now on ends nobody's session.
    world.relay.takeAccess(Access([Self.token { $0.quota.connections = 1 }]), now: world.now)
    world.settle()
    #expect(!world.lastClient("c")!.isClosed && !world.lastClient("d")!.isClosed)
    #expect(authenticate("e").contains("4008"))
  }

  /// A device that comes back takes its own connection's place, which nobody may know to be dead yet. One that fails to
  /// holds no token, and nobody else takes the place.
  @Test func whoeverComesBackTakesItsPlace() throws {
    let other = Token.text(id: "another1", secret: [UInt8](repeating: 9, count: 32))
    let world = try world([
      Self.token { $0.quota.connections = 1 },
      Self.token("another1", other) { $0.quota.connections = 1 },
    ])
    func say(_ line: String, on name: String) -> String {
      world.send(line, on: name)
      return world.client(name).takeLines().last ?? ""
    }
    let activate = "activate pair=p role=watch token=\(Self.text)"
    #expect(say(activate, on: "a").contains("activationDidComplete"))
    #expect(say(activate + " received={\"userInfo\":9}", on: "b").contains("4004"))
    #expect(say("authenticate token=\(Self.text)", on: "b").contains("4008"))
    #expect(say("activate pair=p role=phone token=\(Self.text)", on: "b").contains("4008"))
    #expect(say("activate pair=q role=watch token=\(Self.text)", on: "b").contains("4008"))
    #expect(say("authenticate token=\(other)", on: "c").contains("accepted"))
    #expect(say("activate pair=p role=watch token=\(other)", on: "d").contains("4008"))
    #expect(!world.lastClient("a")!.isClosed)
    for name in ["b", "e", "f"] {
      #expect(say(activate, on: name).contains("activationDidComplete"))
      #expect(world.relay.holders["watchtok"] == 1)
    }
    #expect(world.lastClient("a")!.isClosed && world.lastClient("e")!.isClosed)
    world.close("f")
    #expect(world.relay.holders["watchtok"] == 0)
  }

  /// Refusals that must be the same line, and make no pair.
  @Test func oneLineForAllThatIsRefused() throws {
    let narrow = Self.token {
      $0.pairs = [NamePattern("p-*")]
      $0.role = .watch
      $0.device = NamePattern("w")
    }
    let world = try world([narrow])
    world.send("activate pair=p-1 role=watch device=w token=\(Self.text)", on: "known")
    #expect(world.client("known").takeLines().last?.contains("activationDidComplete") == true)
    var answers: Set<String> = []
    for scope in [
      "pair=p-1 role=phone device=w", "pair=p-1 role=watch device=x", "pair=q role=watch device=w",
      "pair=p- role=watch", "pair=P-1 role=watch device=w",
    ] {
      world.send("activate \(scope) token=\(Self.text)", on: scope)
      answers.insert(world.client(scope).takeLines().last ?? "")
    }
    for text in [
      "x", Self.text + "A", String(Self.text.dropLast()), Self.text.lowercased(),
      Token.text(id: "watchtok", secret: [UInt8](repeating: 8, count: 32)),
      Token.text(id: "unknown1", secret: [UInt8](repeating: 7, count: 32)),
    ] {
      world.send("activate pair=p-1 role=watch device=w token=\(text)", on: text)
      answers.insert(world.client(text).takeLines().last ?? "")
    }
    #expect(answers.count == 1 && answers.first?.contains("\"code\":4010") == true, "\(answers)")
    #expect(world.relay.pairsInMemory == 1)
  }

  /// Nothing that needs a session, and nothing that moves the clock, is done without a token.
  @Test func nothingWithoutAToken() throws {
    let world = try world([Self.token()])
    for line in [
      "activate pair=p role=phone", "advance seconds=1", "getState", "sync.open schema=todoTimers",
      "transferUserInfo payload={}", "forgetPair", "configure replyTimeout=1",
    ] {
      world.send(line, on: "a")
      let answer = world.client("a").takeLines().last ?? ""
      #expect(
        answer.contains("\"code\":4010") || answer.contains("\"code\":7004"), "\(line): \(answer)")
    }
    #expect(world.relay.pairsInMemory == 0)
  }

  @Test func revokedWhileAnAnswerWaitsForItsCommit() throws {
    let world = try world([Self.token()])
    let watch = active(world, "w")
    _ = active(world, "p", role: "phone")
    world.holdsCommits = true
    world.send("transferUserInfo payload={\"a\":1} id=1", on: "w")
    world.relay.takeAccess(Access([]), now: world.now)
    world.settle()
    world.send("ping id=2", on: "w")
    #expect(!watch.isClosed)
    world.holdsCommits = false
    world.settle()
    let lines = watch.takeLines().filter { !$0.contains("DidChange") }
    #expect(lines.count == 2 && lines[0].contains("\"accepted\",\"re\":1"), "\(lines)")
    #expect(lines.last == #"{"type":"sessionDidDeactivate","reason":"revoked"}"#)
    #expect(watch.isClosed)
    world.send("activate pair=p role=watch token=\(Self.text)", on: "w")
    #expect(world.client("w").takeLines().last?.contains("\"code\":4010") == true)
  }

  /// Another secret, another scope, and a grant that is gone end a session. What leaves it allowed does not.
  @Test func whatEndsASession() throws {
    let other = Token.text(id: "watchtok", secret: [UInt8](repeating: 9, count: 32))
    let changes: [(Token, ends: Bool)] = [
      (Self.token("watchtok", other), true),
      (Self.token { $0.pairs = [NamePattern("q")] }, true),
      (Self.token { $0.role = .phone }, true),
      (Self.token { $0.device = NamePattern("x*") }, true),
      (Self.token { $0.grants = [.forget] }, true),
      (Self.token { $0.expires = 1 }, true),
      (Self.token { $0.pairs = [NamePattern("q"), NamePattern("*p")] }, false),
      (Self.token { $0.role = .watch }, false),
      (Self.token { $0.grants = [.connect, .configure] }, false),
    ]
    for (token, ends) in changes {
      let world = try world([Self.token()])
      let watch = active(world, "w")
      world.relay.takeAccess(Access([token]), now: world.now)
      world.settle()
      #expect(watch.isClosed == ends, "\(token)")
      guard !ends else { continue }
      world.send("configure replyTimeout=7", on: "w")
      let isConfigured = watch.takeLines().last?.contains("\"configured\"") == true
      #expect(isConfigured == token.grants.contains(.configure))
    }
  }

  /// A connection without a session may have shown its token before.
  @Test func aTokenThatWasShownIsForgotten() throws {
    let world = try world([Self.token()])
    let client = world.open("w")
    send("authenticate token=\(Self.text)", world, client)
    world.relay.takeAccess(Access([]), now: world.now)
    world.settle()
    #expect(client.isClosed)
  }

  /// After the third refusal the next line waits; lines that wait are carried out, in order.
  @Test func refusalsBecomeSlow() throws {
    let world = try world([Self.token()], hasManualClock: false)
    let client = world.open("a")
    for id in 1...4 { send("authenticate token=x id=\(id)", world, client) }
    #expect(client.takeLines().count == 1 + 3)
    world.advance(to: world.now + 999_999)
    #expect(client.takeLines() == [])
    world.advance(to: world.now + 1)
    #expect(client.takeLines().count == 1)
    send("authenticate token=\(Self.text) id=5", world, client)
    world.advance(to: world.now + 1_000_000)
    #expect(client.takeLines() == [#"{"type":"accepted","re":5}"#])
    send("authenticate token=x id=6", world, client)
    send("ping id=7", world, client)
    #expect(client.takeLines().count == 2)
  }

  /// Whoever tries and tries does not fill the log.
  @Test func refusalsAreLoggedForAWhile() throws {
    let world = try world([Self.token()], hasManualClock: false)
    for number in 1...60 { world.send("authenticate token=x", on: "\(number)") }
    let refusals = world.logs.filter { $0.contains("event=refused") }
    #expect(refusals.count == 20 && !refusals.contains { $0.contains("unlogged") })
    world.advance(to: world.now + 1_000_000)
    world.send("authenticate token=x", on: "61")
    #expect(world.logs.last?.hasSuffix("unlogged=40") == true)
  }

  /// A connection that waits so has to activate in time as every other.
  @Test func aSlowConnectionIsStillOverdue() throws {
    let world = try world([Self.token()], hasManualClock: false)
    let connection = world.relay.opened(activationTime: 3_500_000, now: world.now)
    for _ in 1...6 {
      Array("authenticate token=x\n".utf8).withUnsafeBytes {
        world.relay.received($0, on: connection, now: world.now)
      }
    }
    world.now += 3_400_000
    world.relay.tick(now: world.now)
    #expect(!connection.isFinished)
    world.now += 100_000
    world.relay.tick(now: world.now)
    #expect(String(decoding: world.relay.takeOutput(connection), as: UTF8.self).contains("in time"))
  }

  /// The clock of the machine may be set while a session lasts.
  @Test func expiresByTheSystemsClock() throws {
    let end: Int64 = 978_307_200_000_000 + 60_000_000
    let world = try world([Self.token { $0.expires = end }], hasManualClock: false)
    let watch = active(world, "w")
    world.advance(to: world.now + 59_000_000)
    #expect(!watch.isClosed)
    world.advance(to: world.now + 1_000_000)
    #expect(watch.isClosed)
    #expect(watch.takeLines().last == #"{"type":"sessionDidDeactivate","reason":"expired"}"#)
  }

  /// A server without tokens takes each, and asks for none.
  @Test func withoutTokens() throws {
    let world = try World()
    world.send("authenticate token=whatever", on: "a")
    world.send("activate pair=p role=phone token=x", on: "a")
    let lines = world.client("a").takeLines()
    #expect(lines.count == 3 && !lines[0].contains("auth"))
    #expect(lines[1].contains("accepted") && lines[2].contains("activationDidComplete"))
  }

  /// The secret is in no log, and in no line but what cannot be read and is quoted to who sent it.
  @Test func aTokenIsNeverToldOrLogged() throws {
    let world = try world([Self.token { $0.role = .watch }])
    for line in [
      "activate pair=p role=phone token=TOKEN", "activate pair=p role=watch token=TOKEN",
      "activate pair=p token=TOKEN", "authenticate token=TOKENx", "authenticate token=TOKEN x",
      "authenticate token=\"TOKEN", "autenticate token=TOKEN", "authenticate tokn=TOKEN",
      "{\"type\":\"authenticate\",\"token\":[\"TOKEN\"]}",
      "{\"type\":\"activate\",\"pair\":\"p\",\"role\":\"TOKEN\"", "configure token=TOKEN",
      "getState", "help",
    ] {
      world.send(line.replacing("TOKEN", with: Self.text), on: "a")
    }
    let secret = Self.text.suffix(43)
    let told = world.client("a").history.map { String(decoding: $0, as: UTF8.self) }
    #expect(told.count > 12)
    for line in told + world.logs { #expect(!line.contains(secret), "\(line)") }
    #expect(world.logs.contains { $0.contains("event=refused token=watchtok") })
  }

  /// What somebody does with a token to a pair is in the log, with the token's name and the device.
  @Test func whatIsDoneIsAudited() throws {
    let world = try world([Self.token { $0.grants = [.connect, .configure, .forget] }])
    let by = "token=watchtok pair=\"p\" device=\"watch\""
    _ = active(world, "a")
    world.send("configure replyTimeout=9", on: "a")
    // What changes nothing is nothing that was done.
    world.send("configure replyTimeout=9", on: "a")
    _ = active(world, "b")
    world.send("forgetPair", on: "b")
    for (event, count) in [("activated", 2), ("configured", 1), ("tookOver", 1), ("forgot", 1)] {
      #expect(world.logs.count { $0.hasPrefix("event=\(event) \(by)") } == count, "\(event)")
    }
  }
}
