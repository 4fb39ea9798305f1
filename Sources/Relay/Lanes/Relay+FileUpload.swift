import Journal
import Wire

/// The first hop of a file: announced, brought in chunks, queued once it is whole and right.
extension Relay {
  func transferFile(_ call: Call, _ device: Device) throws(WireError) {
    let fields = call.fields
    if fields[.transfer] != nil { return try resumeUpload(call, device) }
    guard let number = try number(call, device) else { return }
    let name = try fields.string(.name)
    guard (1...1024).contains(name.utf8.count) else {
      throw WireError(
        .invalidField, "name has 1 to 1024 bytes of UTF-8; this has \(name.utf8.count)")
    }
    let size = Int(try fields.integer(.size, in: 0...Int64(limits.queueBytes)))
    let digest = try fields.string(.sha256)
    guard digest.utf8.count == 64, digest.utf8.allSatisfy({ Self.isHexadecimal($0) }) else {
      throw fields.invalid(
        .sha256, fields[.sha256]!, "the file's SHA-256 in 64 hexadecimal digits",
        was: digest.utf8.count == 64
          ? "\(fields.excerpt(fields[.sha256]!))" : "\(digest.utf8.count) characters long")
    }
    let metadata = try fields.optionalObject(.metadata)
    let knobs = device.pair.knobs
    let receiver = try check(
      SendCheck(payload: metadata, field: "metadata", limit: knobs.limits.userInfo), device, fields
    ).takeUnretainedValue()
    if knobs.limits.file > 0, size > knobs.limits.file {
      throw WireError(
        .payloadTooLarge, "the file has \(size) bytes; the limit is \(knobs.limits.file)")
    }
    try checkRoom(receiver, size)
    guard device.pair.files.count < limits.queueItems else {
      throw WireError(
        limit: "queueItems",
        "\(device.pair.files.count) files of this pair are on their way, as many as may be",
        "let some be delivered, or cancel some")
    }
    guard device.pair.nextFile < UInt32.max else {
      throw WireError(
        .overloaded, "this pair has given all its numbers of files away; go on with another pair")
    }
    let transfer = accept(call, device, number, 0)
    let file = FileTransfer(
      number: device.pair.nextFile, transfer: transfer, receiver: receiver.index, name: name,
      size: size, digest: digest.lowercased(), metadata: metadata.map { Array(fields.bytes($0)) },
      re: call.id, now: now)
    device.pair.nextFile += 1
    device.pair.files[transfer] = file
    receiver.fileBytes += size
    changed(device.pair)
    changed(file, of: device.pair)
    device.incarnations[Int(transfer.incarnation)][transfer.isNumbered].append(
      Outbox.Entry(number: transfer.number, receiver: receiver.index, lane: .file, seq: 0))
    watchUploads(of: device.pair.number, at: file.lastHeard + device.pair.knobs.uploadIdle)
    answerAfterCommit(call) { Self.accepted(&$0, call, transfer, device, offset: 0) }
    if size == 0 { completeUpload(file, device) }
  }

  static func isHexadecimal(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
  }

  /// An unfinished upload named by its `transfer`: says where to go on.
  private func resumeUpload(_ call: Call, _ device: Device) throws(WireError) {
    let file = try unfinishedUpload(call, device)
    if call.hasID, call.id != file.re {
      file.re = call.id
      changed(file, of: device.pair)
    }
    let offset = file.received
    answerAfter(latestBatch, call) {
      Self.accepted(&$0, call, file.transfer, device, offset: offset)
    }
  }

  func fileChunk(_ call: Call, _ device: Device) throws(WireError) {
    let fields = call.fields
    let file = try unfinishedUpload(call, device)
    let offset = Int(try fields.integer(.offset, in: 0...Int64.max))
    guard offset <= file.received else {
      throw WireError(
        .invalidField, "offset is \(offset), but the next byte expected is at \(file.received)")
    }
    var data = try fields.data(.data)
    guard offset + data.count <= file.size else {
      throw WireError(
        .invalidField,
        "the chunk ends at \(offset + data.count), but the file has \(file.size) bytes; the next "
          + "byte expected is at \(file.received)")
    }
    let fresh = offset + data.count - file.received
    if fresh > 0 {
      data.removeFirst(data.count - fresh)
      appendChunk(data, file, device, call.connection)
    }
    file.lastHeard = now
    changed(file, of: device.pair)
    let reached = file.received
    if call.hasID {
      answerAfterCommit(call) {
        Self.accepted(&$0, call, file.transfer, device, offset: reached)
      }
    }
    if fresh > 0, file.received == file.size { completeUpload(file, device) }
  }

  private func unfinishedUpload(_ call: Call, _ device: Device) throws(WireError) -> FileTransfer {
    let text = try call.fields.string(.transfer)
    guard let transfer = TransferKey(text, sender: device),
      let file = file(transfer, device.pair), file.seq == 0
    else {
      throw WireError(
        .unknownTransfer, "this device has no unfinished upload \(text); see outstandingTransfers")
    }
    return file
  }

  /// Puts a chunk's new bytes into the open batch.
  private func appendChunk(
    _ data: [UInt8], _ file: FileTransfer, _ device: Device, _ connection: Connection
  ) {
    let reference = data.withUnsafeBytes { bytes in
      file.hash.update(bytes)
      return append(bytes)
    }
    let chunk = FileTransfer.Chunk(offset: file.received, reference: reference)
    file.chunks.append(chunk)
    hold(reference)
    SegmentHeader.append(
      chunk, file: file.number, of: device.pair.number, to: &open.header)
    file.received += data.count
    changed(file, of: device.pair)
    countUncommitted(connection, data.count)
    let progress = (device.pair, file, file.received)
    if let index = open.after.progress.firstIndex(where: { $0.file === file }) {
      open.after.progress[index] = progress
    } else {
      open.after.progress.append(progress)
    }
  }

  /// All bytes are there: queues the file, or fails it where its digest is not the promised one.
  private func completeUpload(_ file: FileTransfer, _ device: Device) {
    guard file.hash.hex == file.digest else {
      return failUpload(
        file, device.pair, .deliveryFailed,
        because: "The file's SHA-256 is \(file.hash.hex), not \(file.digest) as announced.")
    }
    let pair = device.pair
    let receiver = pair.devices[Int(file.receiver)]
    let isParked = pair.isParked(device)
    let holder = isParked ? device : receiver
    let item = enqueue(
      UnsafeRawBufferPointer(start: nil, count: 0), to: holder, lane: isParked ? .parked : .file,
      target: .file, transfer: file.transfer, re: file.re)
    if !isParked { file.seq = item.seq } else { file.seq = .max }
    device.incarnations[Int(file.transfer.incarnation)][file.transfer.isNumbered].move(
      file.transfer.number, to: isParked ? .parked : .file, receiver: holder.index, seq: item.seq)
    changed(file, of: pair)
  }

  /// Ends an upload that did not get into the queue.
  ///
  /// - Parameter reason: what the error says where that is more than its code does.
  func failUpload(
    _ file: FileTransfer, _ pair: Pair, _ code: ErrorCode?, isTold: Bool = true,
    because reason: String? = nil
  ) {
    drop(file, pair)
    finish(
      file.transfer, sender: pair.devices[Int(file.transfer.sender)], isFile: true, re: file.re,
      code: code, isTold: isTold, because: reason)
  }

  /// More of a file is synced.
  func tellProgress(_ pair: Pair, _ file: FileTransfer, _ offset: Int) {
    guard pair.files[file.transfer] === file else { return }
    file.synced = max(file.synced, offset)
    let sender = pair.devices[Int(file.transfer.sender)]
    guard let connection = sender.connection, sender.activation != .notActivated else { return }
    answer(connection) { output in
      output.append("{\"type\":\"transferProgress\",\"transfer\":")
      output.append(jsonString: file.transfer.text(sender))
      output.append(",\"offset\":")
      output.append(decimal: offset)
      output.append(",\"size\":")
      output.append(decimal: file.size)
      output.append("}")
    }
  }

  // MARK: Idle uploads

  /// Has a pair's uploads looked at when the first of them is overdue.
  func watchUploads(_ pair: Pair) {
    if let deadline = uploadDeadline(pair) { watchUploads(of: pair.number, at: deadline) }
  }

  func watchUploads(of pair: UInt32, at deadline: Int64) {
    guard deadline < uploadDeadlines[pair] ?? .max else { return }
    uploadDeadlines[pair] = deadline
    deadlines.add(.uploadsIdle(pair: pair), at: deadline)
    pruneDeadlines()
  }

  /// When the first unfinished upload of a pair is overdue.
  func uploadDeadline(_ pair: Pair) -> Int64? {
    var deadline: Int64?
    for file in pair.files.values where file.seq == 0 {
      deadline = min(deadline ?? .max, file.lastHeard + pair.knobs.uploadIdle)
    }
    return deadline
  }

  /// The deadline has come, unless it was moved forward and has come already.
  func uploadsDue(_ number: UInt32) {
    guard let deadline = uploadDeadlines[number], deadline <= now else { return }
    uploadDeadlines[number] = nil
    if let pair = pairs[number] { failIdleUploads(pair) } else { load(number) }
  }

  func failIdleUploads(_ pair: Pair) {
    for file in unfinishedUploads(pair) where now >= file.lastHeard + pair.knobs.uploadIdle {
      failUpload(file, pair, .transferTimedOut)
    }
    guard let deadline = uploadDeadline(pair) else { return }
    // Looking at thousands of files that time out one by one must not become all that is done.
    watchUploads(of: pair.number, at: max(deadline, now + Int64(pair.files.count) * 10))
  }

  // MARK: Files

  func file(_ transfer: TransferKey, _ pair: Pair) -> FileTransfer? {
    pair.files[transfer]
  }

  func removeFile(_ item: Item, _ pair: Pair) {
    if let file = file(item.transfer, pair) { drop(file, pair) }
  }

  private func drop(_ file: FileTransfer, _ pair: Pair) {
    pair.files[file.transfer] = nil
    pair.devices[Int(file.receiver)].fileBytes -= file.size
    for chunk in file.chunks { release(chunk.reference) }
    touched(pair)
    open.removedRows.append(Row.Key(.file, pair: pair.number, item: file.number))
  }
}
