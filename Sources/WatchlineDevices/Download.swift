import Foundation
import Relay
import Wire

/// A file that is coming.
struct Download {
  var transfer: String
  var url: URL
  var metadata: [UInt8]?
  var contents = Data()
}

extension LinkDevice {
  /// The folder in which an app finds what it receives, as `Documents/Inbox` is on a device.
  private var inbox: URL {
    link.folder.appendingPathComponent(name).appendingPathComponent("Inbox")
  }

  func begin(_ members: Members) {
    let transfer = members.string("transfer") ?? ""
    let offset = members.count("offset") ?? 0
    if offset == 0 || download?.transfer != transfer {
      // A name is a label, never a path.
      let label =
        (members.string("name") ?? "file").split(separator: "/").last.map(String.init) ?? "file"
      let folder = inbox.appendingPathComponent(UUID().uuidString)
      download = Download(
        transfer: transfer,
        url: folder.appendingPathComponent(label == ".." || label == "." ? "file" : label),
        metadata: members.raw("metadata"))
    }
    if let seq = members.count("seq") { finish(seq) }
  }

  func append(chunk members: Members) {
    guard download?.transfer == members.string("transfer"),
      let data = Data(base64Encoded: members.string("data") ?? "")
    else { return }
    download!.contents.append(data)
    if members.flag("last") == true { finish(members.count("seq") ?? 0) }
  }

  private func finish(_ seq: UInt64) {
    guard let file = download else { return }
    download = nil
    do {
      try FileManager.default.createDirectory(
        at: file.url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try file.contents.write(to: file.url)
    } catch {
      request("refuse", "\"lane\":\"file\",\"seq\":\(seq),\"code\":7015")
      return
    }
    tell(.file(at: file.url, metadata: file.metadata), acknowledge: (lane: .file, seq: seq))
  }
}
