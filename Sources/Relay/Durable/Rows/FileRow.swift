import Journal
import Wire

/// The row of a file, item f of its pair: what was announced of it, and how far it has come.
enum FileRow {
  static let version: UInt8 = 1

  static func make(_ place: FileTransfer.Place) -> Row {
    let file = place.file
    var writer = ByteWriter(bytes: [version])
    writer.number(file.transfer.sender)
    writer.number(file.transfer.incarnation)
    writer.flag(file.transfer.isNumbered)
    writer.number(file.transfer.number)
    writer.number(file.receiver)
    writer.text(file.name)
    writer.number(file.size)
    writer.text(file.digest)
    writer.flag(file.metadata != nil)
    if let metadata = file.metadata { writer.blob(metadata) }
    writer.text(file.re)
    writer.number(file.received)
    writer.blob(file.hash.saved)
    writer.number(file.lastHeard)
    writer.number(file.seq)
    return Row(Row.Key(.file, pair: place.pair.number, item: file.number), writer.bytes)
  }

  static func read(_ row: Row) throws(JournalError) -> FileTransfer {
    try row.read(version: version) { (reader) throws(JournalError) in
      let transfer = TransferKey(
        sender: try reader.integer(), incarnation: try reader.integer(),
        isNumbered: try reader.flag(), number: try reader.number())
      let receiver: UInt16 = try reader.integer()
      let name = try reader.text()
      let size: Int = try reader.integer()
      let digest = try reader.text()
      let metadata = try reader.flag() ? try reader.blob() : nil
      let file = FileTransfer(
        number: row.key.item, transfer: transfer, receiver: receiver, name: name, size: size,
        digest: digest, metadata: metadata, re: try reader.text(), now: 0)
      file.received = try reader.integer()
      file.synced = file.received
      guard let hash = SHA256(saved: try reader.blob()) else { throw ByteReader.torn }
      file.hash = hash
      file.lastHeard = try reader.integer()
      file.seq = try reader.number()
      return file
    }
  }
}
