import Journal
import Wire

/// The second hop of a file: announced, then handed out in chunks.
extension Relay {
  /// Bytes of a file in one `fileChunk`; a multiple of 3, so that base64 has no padding between.
  static let chunkSize = 48 << 10

  /// Hands out the next piece of the file at the lane's cursor. Returns false where its bytes
  /// have to be read back first.
  func handOutFile(_ item: Item, to device: Device, _ connection: Connection) -> Bool {
    guard let file = file(item.transfer, device.pair) else { return false }
    let sender = device.pair.devices[Int(item.transfer.sender)]
    if !file.isAnnounced {
      file.isAnnounced = true
      let text = file.transfer.text(sender)
      let resumed = device.resumeOffsets.removeValue(forKey: text)
      file.handedOut = min(resumed ?? 0, file.size)
      answer(connection) { output in
        output.append("{\"type\":\"didReceiveFile\",\"transfer\":")
        output.append(jsonString: text)
        output.append(",\"from\":")
        output.append(jsonString: sender.name)
        output.append(",\"name\":")
        output.append(jsonString: file.name)
        output.append(",\"size\":")
        output.append(decimal: file.size)
        output.append(",\"sha256\":", quoted: file.digest)
        if let metadata = file.metadata {
          output.append(",\"metadata\":")
          output.append(contentsOf: metadata)
        }
        if file.handedOut > 0 {
          output.append(",\"offset\":")
          output.append(decimal: file.handedOut)
        }
        output.append(
          item.seq <= device[.file].highestHandedOut ? ",\"redelivered\":true}" : "}")
      }
      return true
    }
    guard let piece = nextPiece(of: file) else { return finishFile(item, file, device, connection) }
    guard let payload = payload(piece, device) else {
      fetch(pieces(of: file), for: device)
      return false
    }
    let isLast = file.handedOut + Int(piece.length) == file.size
    payload.withUnsafeBytes { bytes in
      let start = payload.isOwn ? 0 : Int(piece.offset)
      let body = UnsafeRawBufferPointer(rebasing: bytes[start..<(start + Int(piece.length))])
      writeChunk(body, item, file, isLast: isLast, device, connection)
    }
    device.fetched[piece] = nil
    file.handedOut += Int(piece.length)
    if isLast { fileHandedOut(item, file, device, connection) }
    return true
  }

  /// A file without a byte left to send still ends with a chunk that says so.
  private func finishFile(
    _ item: Item, _ file: FileTransfer, _ device: Device, _ connection: Connection
  ) -> Bool {
    writeChunk(.init(start: nil, count: 0), item, file, isLast: true, device, connection)
    fileHandedOut(item, file, device, connection)
    return true
  }

  private func fileHandedOut(
    _ item: Item, _ file: FileTransfer, _ device: Device, _ connection: Connection
  ) {
    file.isAnnounced = false
    handedOut(item, .file, device, connection)
  }

  private func writeChunk(
    _ bytes: UnsafeRawBufferPointer, _ item: Item, _ file: FileTransfer, isLast: Bool,
    _ device: Device, _ connection: Connection
  ) {
    let sender = device.pair.devices[Int(item.transfer.sender)]
    answer(connection) { output in
      output.append("{\"type\":\"fileChunk\",\"transfer\":")
      output.append(jsonString: file.transfer.text(sender))
      output.append(",\"offset\":")
      output.append(decimal: file.handedOut)
      output.append(",\"data\":\"")
      output.append(base64: bytes)
      output.append("\"")
      if isLast {
        output.append(",\"last\":true,\"seq\":")
        output.append(decimal: item.seq)
      }
      output.append("}")
    }
  }

  /// The place of the next bytes to hand out, at most a chunk's worth; nil at the end.
  func nextPiece(of file: FileTransfer, at offset: Int? = nil) -> Reference? {
    let offset = offset ?? file.handedOut
    guard offset < file.size else { return nil }
    let index = file.chunkIndex(endingAfter: offset)
    guard index < file.chunks.count else { return nil }
    let chunk = file.chunks[index]
    let skipped = offset - chunk.offset
    let length = min(Int(chunk.reference.length) - skipped, Self.chunkSize)
    return Reference(
      segment: chunk.reference.segment, offset: chunk.reference.offset + UInt32(skipped),
      length: UInt32(length))
  }

  /// The places of the pieces to read back at once.
  private func pieces(of file: FileTransfer) -> [Reference] {
    var pieces: [Reference] = []
    var offset = file.handedOut
    var bytes = 0
    while bytes < Self.readAhead, let piece = nextPiece(of: file, at: offset) {
      pieces.append(piece)
      offset += Int(piece.length)
      bytes += Int(piece.length)
    }
    return pieces
  }
}
