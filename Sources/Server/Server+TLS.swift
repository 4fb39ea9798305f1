import EventLoop
import Relay
import TLS
import Wire

/// Connections with TLS: between the socket and the relay stands a channel, which turns records into bytes.
extension Server {
  func readCertificate() throws(StartError) -> TLSContext {
    do throws(TLSError) {
      return try TLSContext(
        certificate: options.certificate ?? "", key: options.key ?? "",
        clientAuthorities: options.clientAuthorities)
    } catch {
      throw StartError("--tls-cert, --tls-key, --tls-client-ca: \(error.message)")
    }
  }

  func receive(_ records: UnsafeRawBufferPointer, _ link: Link, _ secure: SecureChannel) {
    let state = secure.channel.receive(records) {
      introduce(link, secure)
      ingest($0, link)
    }
    introduce(link, secure)
    flush(link, secure)
    switch state {
    case .open: serve(link)
    case .ended:
      secure.hasEnded = true
      takeEnd(link)
    case .failed(let reason):
      log.write(
        .debug, "event=tlsFailed connection=\(link.connection.number) reason=\(reason.quoted)")
      link.socket.close()
    }
  }

  /// Tells the relay, before the first line, who the peer has shown to be.
  private func introduce(_ link: Link, _ secure: SecureChannel) {
    guard !secure.isIntroduced, secure.isReady else { return }
    secure.isIntroduced = true
    guard options.clientAuthorities != nil else { return }
    let names = secure.channel.peerNames
    if !names.isEmpty {
      link.relay.showed(certificateOf: names, on: link.connection, now: now)
    }
  }

  /// Encrypts what is due. Before the handshake is done it stays with the relay.
  func write(_ link: Link, _ secure: SecureChannel) {
    guard secure.isReady else { return }
    let relay = link.relay
    let output = relay.takeOutput(link.connection)
    guard secure.send(output) else { return link.socket.close() }
    relay.wrote(link.connection, unsent: flush(link, secure) ? 0 : output.count, now: now)
  }

  /// Writes the records that there are. Returns whether the kernel has taken them all.
  @discardableResult
  func flush(_ link: Link, _ secure: SecureChannel) -> Bool {
    guard link.socket.isOpen, !link.socket.isWriting else { return false }
    let records = secure.takeRecords()
    return records.isEmpty || put(records, on: link) == records.count
  }

  /// Tells the peer that nothing more comes.
  func end(_ link: Link, _ secure: SecureChannel) {
    secure.channel.end()
    flush(link, secure)
  }
}

/// The channel of a connection, and which of its bytes are in which records.
final class SecureChannel {
  let channel: TLSChannel
  /// The peer has said that nothing more comes from it.
  var hasEnded = false
  /// The relay knows who the peer is.
  var isIntroduced = false
  /// Bytes that were encrypted, and those of the records that were handed out.
  private var encrypted: UInt64 = 0
  private var recordBytes: UInt64 = 0
  /// Up to where bytes are in records up to where, of those that the peer's kernel has not confirmed.
  private var marks: [(records: UInt64, bytes: UInt64)] = []
  /// Marks that are kept. Nobody may ask for long; with fewer, bytes count as confirmed somewhat later.
  private static let mostMarks = 128
  private var confirmed: UInt64 = 0

  init(_ channel: TLSChannel) { self.channel = channel }

  var isReady: Bool { channel.isReady }

  func send(_ bytes: [UInt8]) -> Bool {
    encrypted += UInt64(bytes.count)
    return channel.send(bytes)
  }

  /// What is to be written to the socket, as a whole.
  func takeRecords() -> [UInt8] {
    let records = channel.takeRecords()
    recordBytes += UInt64(records.count)
    if let last = marks.last, last.bytes == encrypted {
      marks[marks.count - 1].records = recordBytes
    } else {
      marks.append((recordBytes, encrypted))
      if marks.count == Self.mostMarks {
        // The last one stays.
        marks = stride(from: 1, to: marks.count, by: 2).map { marks[$0] }
      }
    }
    return records
  }

  /// How many of its bytes the peer's kernel has for certain.
  ///
  /// - Parameter outstanding: bytes given to the socket that it has not confirmed.
  func confirmed(outstanding: UInt64) -> UInt64 {
    let through = recordBytes - min(outstanding, recordBytes)
    let count = marks.prefix { $0.records <= through }.count
    if count > 0 {
      confirmed = marks[count - 1].bytes
      marks.removeFirst(count)
    }
    return confirmed
  }
}
