import Merge
import RelaySupport
import Relay
import TranscriptSupport

/// The relay in process, as a transcript's runner sees it.
struct WorldServer: TranscriptServer {
  let world: World
  private var clients: [Client] = []

  init(_ transcript: Transcript, place: Place = .whole) throws {
    var limits = Limits()
    for (name, value) in transcript.limits {
      guard let path = Limits.names.first(where: { $0.name == name })?.path else {
        throw Transcript.Fault(description: "\(transcript.name): there is no limit \(name)")
      }
      limits[keyPath: path] = value
    }
    let access = try transcript.tokens.map { Access(try TokenFile.read($0)) }
    let schema = try transcript.schema.map { try Schema(json: $0) }
    world = try World(
      limits: limits, access: access, place: place, own: schema.map { [$0] } ?? [])
  }

  mutating func open() -> Int {
    let client = world.open("\(clients.count)")
    clients.append(client)
    world.settle()
    return clients.count - 1
  }

  func send(_ bytes: [UInt8], on connection: Int) {
    guard !clients[connection].isClosed else { return }
    world.send(bytes, on: clients[connection].name)
  }

  func nextLine(on connection: Int) -> [UInt8]? {
    let client = clients[connection]
    return client.lines.isEmpty ? nil : client.lines.removeFirst()
  }

  func isClosed(_ connection: Int) -> Bool { clients[connection].isClosed }

  func end(_ connection: Int) { world.end(clients[connection].name) }

  func close(_ connection: Int) { world.close(clients[connection].name) }

  func restart() throws { try world.restart() }

  func kill() throws { try world.kill() }
}
