import Wire

/// What a connection has sent and been told so far, for the relay that it goes to, perhaps another server's.
///
/// Nothing is owed on it, no session is on it, and all of its output has been written.
package struct Visit: Sendable, Equatable {
  /// From the line on that was not carried out; telnet's bytes are out of it.
  var input: [UInt8] = []
  var telnet: UInt64 = 0
  var hasSeenEnd = false
  /// Lines that were carried out.
  var lines = 0
  /// Bytes of output so far.
  package internal(set) var position: UInt64 = 0
  var hasActivated = false
  /// The id of its token; empty for none.
  var token = ""
  /// Its address, for the log.
  var peer = ""
  /// Microseconds that it has left to activate in; nil for any.
  var activationTime: Int64?
  /// The shard that it goes to.
  package internal(set) var shard = 0
}

extension Visit {
  private static let version: UInt8 = 1

  /// Numbers as LEB128, texts and input with their sizes before them, behind a version.
  package var bytes: [UInt8] {
    var writer = ByteWriter(bytes: [Self.version])
    writer.number(shard)
    writer.blob(input)
    writer.number(telnet)
    writer.flag(hasSeenEnd)
    writer.number(lines)
    writer.number(position)
    writer.flag(hasActivated)
    writer.text(token)
    writer.text(peer)
    writer.number((activationTime ?? -1) + 1)
    return writer.bytes
  }

  /// - Throws: `JournalError` where these are not the bytes of a visit.
  package init(_ bytes: UnsafeRawBufferPointer) throws(JournalError) {
    var reader = ByteReader(bytes)
    guard try reader.number() == Self.version else {
      throw JournalError(description: "the other server is of another version")
    }
    shard = try reader.integer()
    input = try reader.blob()
    telnet = try reader.number()
    hasSeenEnd = try reader.flag()
    lines = try reader.integer()
    position = try reader.number()
    hasActivated = try reader.flag()
    token = try reader.text()
    peer = try reader.text()
    let time: Int64 = try reader.integer()
    activationTime = time > 0 ? time - 1 : nil
    guard reader.isAtEnd, lines >= 0, shard >= 0, time >= 0 else { throw ByteReader.torn }
  }
}
