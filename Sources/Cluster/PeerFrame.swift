import Journal

/// What two servers say to each other on a peer link: a connection between them that carries one connection of a client's,
/// from the server that it came to (its edge) to the one that owns the shard.
///
/// ```
/// edge ──► owner   greeting, then either one visit, bytes, confirmed, end, left
///                            or a wish
/// owner ──► edge   welcome, bytes, ask, pause, resume, end; leave, then a visit; a visit alone where it is not the owner
/// ```
/// A frame is its kind 1, the size of its body 4, and the body. Numbers are little-endian.
package enum PeerFrame: Equatable, Sendable {
  /// The key that the owner's contact names. The first frame.
  case greeting(key: String)
  /// A connection as `Relay.Visit` has it.
  case visit([UInt8])
  /// Input of the client's, or output for it.
  case bytes([UInt8])
  /// The client's kernel has confirmed output up to this position.
  case confirmed(UInt64)
  /// The client has ended its input; or all output for it has come.
  case end
  /// The edge sends no more bytes: the connection may leave.
  case left
  /// The visit was taken.
  case welcome
  /// The edge is to say how much is confirmed, until it is this position.
  case ask(UInt64)
  /// The edge is to read the client no more, or again.
  case pause
  case resume
  /// The connection asks for another shard: the edge is to send no more.
  case leave
  /// A server that owns `owned` shards would take this one.
  case wish(shard: Int, owned: Int)

  /// A body has at most so many bytes: the longest line, and what was read with it, is far from that.
  package static let longest = 64 << 20
  /// The same of what is sent before the greeting.
  package static let longestGreeting = 256
  private static let head = 5

  /// Frames one behind the other.
  package static func bytes(_ frames: PeerFrame...) -> [UInt8] {
    var bytes: [UInt8] = []
    for frame in frames { frame.append(to: &bytes) }
    return bytes
  }

  package func append(to bytes: inout [UInt8]) {
    switch self {
    case .greeting(let key): Self.append(0, Array(key.utf8), &bytes)
    case .visit(let visit): Self.append(1, visit, &bytes)
    case .bytes(let some): Self.append(2, some, &bytes)
    case .confirmed(let position): Self.append(3, Self.numbers(position), &bytes)
    case .end: Self.append(4, [], &bytes)
    case .left: Self.append(5, [], &bytes)
    case .welcome: Self.append(6, [], &bytes)
    case .ask(let position): Self.append(7, Self.numbers(position), &bytes)
    case .pause: Self.append(8, [], &bytes)
    case .resume: Self.append(9, [], &bytes)
    case .leave: Self.append(10, [], &bytes)
    case .wish(let shard, let owned):
      Self.append(11, Self.numbers(UInt64(shard), UInt64(owned)), &bytes)
    }
  }

  private static func append(_ kind: UInt8, _ body: [UInt8], _ bytes: inout [UInt8]) {
    bytes.append(kind)
    bytes.append(littleEndian: UInt32(body.count))
    bytes.append(contentsOf: body)
  }

  private static func numbers(_ numbers: UInt64...) -> [UInt8] {
    var bytes: [UInt8] = []
    for number in numbers { bytes.append(littleEndian: number) }
    return bytes
  }

  /// nil where there is no such frame.
  private init?(kind: UInt8, _ body: ArraySlice<UInt8>) {
    switch (kind, body.count) {
    case (0, _):
      guard let key = String(validating: body, as: UTF8.self) else { return nil }
      self = .greeting(key: key)
    case (1, _): self = .visit(Array(body))
    case (2, _): self = .bytes(Array(body))
    case (3, 8): self = .confirmed(Entry.number(body))
    case (4, 0): self = .end
    case (5, 0): self = .left
    case (6, 0): self = .welcome
    case (7, 8): self = .ask(Entry.number(body))
    case (8, 0): self = .pause
    case (9, 0): self = .resume
    case (10, 0): self = .leave
    case (11, 16):
      guard let shard = Int(exactly: Entry.number(body.prefix(8))),
        let owned = Int(exactly: Entry.number(body.dropFirst(8)))
      else { return nil }
      self = .wish(shard: shard, owned: owned)
    default: return nil
    }
  }

  /// Takes frames out of what a server has sent.
  package struct Reader: Sendable {
    private var bytes: [UInt8] = []
    private var start = 0
    /// The longest body that is taken.
    package var longest: Int

    package init(longest: Int = PeerFrame.longest) { self.longest = longest }

    package mutating func append(_ some: UnsafeRawBufferPointer) {
      if start > 0 {
        bytes.removeFirst(start)
        start = 0
      }
      bytes.append(contentsOf: some)
    }

    /// The next frame; nil where it is not there yet.
    ///
    /// - Throws: where what is there is none.
    package mutating func next() throws(LogFault) -> PeerFrame? {
      let rest = bytes[start...]
      guard rest.count >= PeerFrame.head else { return nil }
      let size = Int(Entry.number(rest.dropFirst().prefix(4)))
      guard size <= longest else { throw LogFault("a frame of \(size) bytes") }
      guard rest.count >= PeerFrame.head + size else { return nil }
      let body = rest.dropFirst(PeerFrame.head).prefix(size)
      guard let frame = PeerFrame(kind: rest.first!, body) else {
        throw LogFault("a frame of kind \(rest.first!) with \(size) bytes is none")
      }
      start += PeerFrame.head + size
      return frame
    }
  }
}
