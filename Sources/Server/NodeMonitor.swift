import CCurl
import Glibc
import JetStream
import Storage
import Wire

/// What the nodes of NATS say of themselves by HTTP (<https://docs.nats.io/running-a-nats-service/nats_admin/monitoring>).
enum NodeMonitor {
  /// - Parameter monitors: HOST:PORT of each node, with commas between.
  /// - Throws: where fewer nodes than keep the log say that they sync each message before they acknowledge it.
  static func check(_ monitors: String, _ settings: JetStreamSettings) throws(StoreError) {
    var nodes: Set<String> = []
    for monitor in monitors.split(separator: ",").map(String.init) {
      let url = "http://\(monitor)/jsz"
      let answer = try get(url)
      guard let members = try? Members(answer), let name = members.string("server_id"),
        let config = members.object("config")
      else {
        throw error(url, "is not a node of NATS that keeps streams; start it with --jetstream")
      }
      guard config.flag("sync_always") == true else {
        throw error(
          url,
          "this node does not sync a message before it acknowledges it, so that what is accepted may be lost when the "
            + "power fails; take nats-server 2.10.25 or later and say sync_interval: always in its jetstream block, or start "
            + "with --allow-unsynced")
      }
      nodes.insert(name)
    }
    guard nodes.count >= settings.replicas else {
      throw error(
        "--nats-monitor",
        "names \(nodes.count) nodes, and \(settings.replicas) keep the log; name all of them")
    }
  }

  private static func get(_ url: String) throws(StoreError) -> [UInt8] {
    var body: UnsafeMutablePointer<CChar>?
    var count = 0
    var reason = [CChar](repeating: 0, count: 256)
    let status = watchline_http_get(url, 5_000, 1 << 20, &body, &count, &reason)
    defer { free(body) }
    guard status == 200 else {
      let why =
        status == 0
        ? reason.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        : "HTTP status \(status)"
      throw error(
        url, "does not answer (\(why)); correct --nats-monitor, or start the node with http_port")
    }
    return [UInt8](UnsafeRawBufferPointer(start: body, count: count))
  }

  private static func error(_ path: String, _ message: String) -> StoreError {
    StoreError(.cannotOpen, function: "GET", path: path, message)
  }
}
