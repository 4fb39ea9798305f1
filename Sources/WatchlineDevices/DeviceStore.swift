package import Foundation
import Wire

/// What a device keeps of its queue in a file, for its next process: what the app has handed over, how far that has
/// come, and the context that is yet to be sent.
///
/// The file has a JSON object a line, and is put together anew when it is opened. A line that a kill has cut is
/// dropped. What is noted is with the system when the call returns, so that it outlives the process; a loss of power
/// may take it. The contents of files lie in a folder beside it.
package final class DeviceStore: @unchecked Sendable {
  /// Why a store cannot be used.
  package struct Failure: Error {
    package var sentence: String
  }

  /// What was found.
  struct Contents {
    var storeName: String?
    var transfers: [UInt64: Outbox.Transfer] = [:]
    var unsentContext: [UInt8]?
    var last: UInt64 = 0
  }

  private let url: URL
  private let folder: URL
  private var file: Int32
  private(set) var contents: Contents

  /// Opens a store, or makes one. One process may have it open.
  ///
  /// - Parameter url: of the file; folders on the way are made.
  package init(_ url: URL) throws(Failure) {
    self.url = url
    folder = url.appendingPathExtension("files")
    do {
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    } catch {
      throw Failure(
        sentence: "the folder of \(url.path) cannot be made: \(error.localizedDescription)")
    }
    file = Glibc.open(url.path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o666)
    guard file >= 0 else {
      throw Self.failure(url.path, "opened")
    }
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
      close(file)
      throw Failure(
        sentence: "\(url.path) is in use by another process: a device runs in one process at a time"
      )
    }
    contents = Contents()
    contents = Self.read((try? Data(contentsOf: url)) ?? Data(), folder)
    try rewrite()
  }

  deinit { close(file) }

  // MARK: Reading

  private static func read(_ data: Data, _ folder: URL) -> Contents {
    var contents = Contents()
    for line in data.split(separator: 0x0A) {
      guard let members = try? Members(Array(line)) else { continue }
      if let store = members.string("store"), store != contents.storeName {
        contents.storeName = store
        // What another store had accepted is handed over again under new names.
        for number in contents.transfers.keys { contents.transfers[number]?.forgetName() }
      }
      if members.has("context") { contents.unsentContext = members.raw("context") }
      if members.has("contextSent") { contents.unsentContext = nil }
      if let last = members.count("last") { contents.last = last }
      guard let number = members.count("number") else { continue }
      contents.last = max(contents.last, number)
      if members.has("ended") {
        contents.transfers[number] = nil
      } else if let kind = members.string("kind").flatMap(DeliveryHistory.Kind.init) {
        contents.transfers[number] = transfer(
          kind, members, folder.appendingPathComponent("\(number)"))
      }
      if let n = members.count("n") { contents.transfers[number]?.n = n }
      if let name = members.string("transfer") { contents.transfers[number]?.transfer = name }
    }
    return contents
  }

  private static func transfer(
    _ kind: DeliveryHistory.Kind, _ members: Members, _ file: URL
  ) -> Outbox.Transfer? {
    guard let request = members.string("request") else { return nil }
    let contents = kind == .file ? try? Data(contentsOf: file) : Data()
    guard let contents else { return nil }
    return Outbox.Transfer(
      kind: kind, shown: Array((members.string("shown") ?? "").utf8), members: Array(request.utf8),
      contents: contents,
      sent: .init(
        isComplication: kind == .complication, payload: members.raw("payload"),
        file: members.string("file").map { URL(fileURLWithPath: $0) }))
  }

  // MARK: Writing

  /// Writes what is left into a new file, and puts that in the place of the old one.
  private func rewrite() throws(Failure) {
    let path = url.path + ".new"
    let new = Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0o666)
    let old = file
    // It is locked before anybody finds it by its name.
    guard new >= 0, flock(new, LOCK_EX | LOCK_NB) == 0 else { throw Self.failure(path, "written") }
    file = new
    if let store = contents.storeName { append("{\"store\":\(quoted(store))}") }
    append("{\"last\":\(contents.last)}")
    for (number, transfer) in contents.transfers.sorted(by: { $0.key < $1.key }) {
      append(Self.line(number, transfer))
    }
    if let context = contents.unsentContext { note(unsentContext: context) }
    guard rename(path, url.path) == 0 else { throw Self.failure(path, "renamed") }
    close(old)
  }

  private static func failure(_ path: String, _ what: String) -> Failure {
    Failure(sentence: "\(path) cannot be \(what): \(String(cString: strerror(errno)))")
  }

  private static func line(_ number: UInt64, _ transfer: Outbox.Transfer) -> String {
    var line = "{\"number\":\(number),\"kind\":\(quoted(transfer.kind.rawValue))"
    line += ",\"request\":\(quoted(String(decoding: transfer.members, as: UTF8.self)))"
    line += ",\"shown\":\(quoted(String(decoding: transfer.shown, as: UTF8.self)))"
    if let payload = transfer.sent.payload {
      line += ",\"payload\":\(String(decoding: payload, as: UTF8.self))"
    }
    if let file = transfer.sent.file { line += ",\"file\":\(quoted(file.path))" }
    if let n = transfer.n { line += ",\"n\":\(n)" }
    if let name = transfer.transfer { line += ",\"transfer\":\(quoted(name))" }
    return line + "}"
  }

  private func append(_ line: String) {
    var bytes = ArraySlice(Array((line + "\n").utf8))
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { write(file, $0.baseAddress!, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        return complain(
          "\(url.path) cannot be written, and what is sent may be lost with this process")
      }
      bytes = bytes.dropFirst(count)
    }
  }

  // MARK: What happens

  func note(store: String) { append("{\"store\":\(quoted(store))}") }

  /// An app hands a transfer over.
  func add(_ number: UInt64, _ transfer: Outbox.Transfer) {
    if transfer.kind == .file {
      do {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try transfer.contents.write(to: contents(of: number))
      } catch {
        complain("a file that is sent cannot be kept, and may be lost with this process: \(error)")
      }
    }
    append(Self.line(number, transfer))
  }

  /// It is sent under a number of the wire's.
  func note(_ number: UInt64, n: UInt64) { append("{\"number\":\(number),\"n\":\(n)}") }

  /// It was accepted.
  func note(_ number: UInt64, name: String) {
    append("{\"number\":\(number),\"transfer\":\(quoted(name))}")
  }

  /// The app has been told of its end.
  func ended(_ number: UInt64) {
    append("{\"number\":\(number),\"ended\":true}")
    try? FileManager.default.removeItem(at: contents(of: number))
  }

  /// - Parameter unsentContext: nil once it was sent.
  func note(unsentContext: [UInt8]?) {
    append(
      unsentContext.map { "{\"context\":\(String(decoding: $0, as: UTF8.self))}" }
        ?? "{\"contextSent\":true}")
  }

  private func contents(of number: UInt64) -> URL { folder.appendingPathComponent("\(number)") }
}
