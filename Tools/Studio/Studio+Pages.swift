internal import AppModels
internal import Pages
internal import Simulation
internal import Wire

extension Studio: PageHandler {
  func page(_ request: PageRequest) -> Page {
    let path = request.path
    guard isOurs(request.host) else { return Page(403, "This address is not the studio's own.") }
    guard path == "/" || path == "/trace" else {
      return assets[path] ?? Page(404, "There is no such page.")
    }
    guard knowsToken(request.query) else {
      return Page(403, "The address lacks the token that watchline studio has printed.")
    }
    if path == "/trace" {
      return Page((recording?.trace ?? world.trace).ndjson, type: "application/x-ndjson")
    }
    return assets.index
  }

  /// Only a page of this server may: another site's page has another origin.
  func mayOpen(query: String, origin: String, host: String) -> Bool {
    isOurs(host) && origin == "http://\(host)" && knowsToken(query)
  }

  private func isOurs(_ host: String) -> Bool {
    isRemote || ["127.0.0.1", "localhost"].contains { host == "\($0):\(pages.port)" }
  }

  private func knowsToken(_ query: String) -> Bool {
    query.split(separator: "&").contains { $0 == "token=\(token)" }
  }

  func opened(_ client: UInt64) {
    told[client] = Told()
    var json = JSONWriter()
    json.object { json in
      json.member("type", "hello")
      json.member("build", assets.build)
      json.array("examples", Example.all) { json, example in
        json.object { json in
          json.member("name", example.name)
          json.member("title", example.title)
        }
      }
      json.array("apps", ShippedApp.allCases) { $0.string($1.rawValue) }
    }
    pages.send(json.bytes, to: client)
    tell(client)
    if isOpened { judge(for: client) }
  }

  func received(_ message: [UInt8], from client: UInt64) {
    guard let intent = try? Members(message) else {
      return refuse(client, "that is no JSON object")
    }
    do throws(HarnessFailure) {
      if intent.string("do") == "judge" { return judge(for: client) }
      try carryOut(intent)
    } catch {
      return refuse(client, error.description)
    }
    tellAll()
    if isOpened, intent.string("do") == "open" { judge(for: client) }
  }

  func closed(_ client: UInt64) { told[client] = nil }
}
