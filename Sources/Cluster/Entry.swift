import Journal

/// One entry of the log of a shard: who appended it, and what.
///
/// ```
/// entry     version 1, kind 1, owner 8, then what the kind has
/// open      epoch 8, identity (what is left)
/// open, with a contact      epoch 8, size of the contact 2, contact, identity (what is left)
/// part      bytes of a commit that go on in the next entry
/// commit    the last bytes of a commit, or all of them; none: the owner says that it is there
/// released  nothing
/// ```
/// Numbers have the bytes that stand behind their names, little-endian. The bytes of a commit, put together, are one
/// entry of `BatchCoding`.
struct Entry: Equatable, Sendable {
  enum Body: Equatable, Sendable {
    /// The owner begins. What it commits stands behind this, and nothing of others in between.
    ///
    /// - contact: how the other servers reach it, at most 65,535 bytes; empty where they do not.
    case open(identity: String, epoch: UInt64, contact: String = "")
    case part([UInt8])
    case commit([UInt8])
    /// The owner has ended in order.
    case released
  }

  /// What the server calls itself: drawn anew each time that it wants a shard.
  var owner: UInt64
  var body: Body

  static let version: UInt8 = 1
  /// What stands before a body's bytes.
  static let overhead = 10

  init(owner: UInt64, _ body: Body) {
    self.owner = owner
    self.body = body
  }

  var bytes: [UInt8] {
    let kind: UInt8 =
      switch body {
      case .open(_, _, let contact): contact.isEmpty ? 0 : 4
      case .part: 1
      case .commit: 2
      case .released: 3
      }
    var bytes = [Self.version, kind]
    bytes.append(littleEndian: owner)
    switch body {
    case .open(let identity, let epoch, let contact):
      bytes.append(littleEndian: epoch)
      if !contact.isEmpty {
        bytes.append(littleEndian: UInt16(contact.utf8.count))
        bytes.append(contentsOf: contact.utf8)
      }
      bytes.append(contentsOf: identity.utf8)
    case .part(let some), .commit(let some): bytes.append(contentsOf: some)
    case .released: break
    }
    return bytes
  }

  /// The entry that bytes are; nil where they are none that `bytes` has made.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.overhead, bytes[0] == Self.version else { return nil }
    owner = Self.number(bytes[2..<10])
    let rest = bytes[10...]
    switch bytes[1] {
    case 0:
      guard rest.count > 8, let identity = String(validating: rest.dropFirst(8), as: UTF8.self)
      else { return nil }
      body = .open(identity: identity, epoch: Self.number(rest.prefix(8)))
    case 1: body = .part(Array(rest))
    case 2: body = .commit(Array(rest))
    case 3 where rest.isEmpty: body = .released
    case 4:
      guard rest.count > 10 else { return nil }
      let texts = rest.dropFirst(10)
      let size = Int(Self.number(rest.dropFirst(8).prefix(2)))
      guard (1..<texts.count).contains(size),
        let contact = String(validating: texts.prefix(size), as: UTF8.self),
        let identity = String(validating: texts.dropFirst(size), as: UTF8.self)
      else { return nil }
      body = .open(identity: identity, epoch: Self.number(rest.prefix(8)), contact: contact)
    default: return nil
    }
  }

  static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
