import Journal
import Wire

/// The rows of a pair, as bytes. Each starts with the version of its form.
///
/// ```
/// pair 0, row 0   the store itself: next pair, manual clock
/// pair p          pair row 0; device row d; context row receiver<<16 | sender; file row f; queue row 0
/// ```
enum RowForm {
  static let version: UInt8 = 1
}

extension Row {
  /// Reads the value behind the version of its form.
  func read<Result>(
    _ body: (inout ByteReader) throws(JournalError) -> Result
  ) throws(JournalError) -> Result {
    // A typed throw does not pass through `withUnsafeBytes`' closure.
    let result: Swift.Result<Result, JournalError> = (value ?? []).withUnsafeBytes { bytes in
      do throws(JournalError) {
        var reader = ByteReader(bytes)
        let version = try reader.number()
        guard version == UInt64(RowForm.version) else {
          throw JournalError(
            description: "a \(key.table) row has form \(version); this server knows form "
              + "\(RowForm.version)")
        }
        return .success(try body(&reader))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}

extension Relay {
  func storeRow() -> Row {
    var writer = ByteWriter(bytes: [RowForm.version])
    writer.number(nextPair)
    writer.number(options.hasManualClock ? now : 0)
    return Row(Row.Key(.pair, pair: 0), writer.bytes)
  }

  func row(_ pair: Pair) -> Row {
    var writer = ByteWriter(bytes: [RowForm.version])
    writer.text(pair.app)
    writer.text(pair.name)
    writer.number(pair.activeWatch.map { Int($0.index) + 1 } ?? 0)
    writer.number(pair.nextFile)
    var knobs: [UInt8] = []
    pair.knobs.write(to: &knobs)
    writer.blob(knobs)
    return Row(Row.Key(.pair, pair: pair.number), writer.bytes)
  }

  func row(_ device: Device) -> Row {
    // This is written with nearly every commit that a device has a part in: one allocation, and no
    // lane copied.
    let value = withUnsafeTemporaryAllocation(
      of: UInt8.self, capacity: Self.longestRow(of: device)
    ) { room in
      var writer = MemoryWriter(room.baseAddress!)
      writer.number(RowForm.version)
      writer.text(device.name)
      writer.flag(device.isPhone)
      writer.flag(device.hasJoined)
      writer.number(device.state.bits)
      writer.number(device.order)
      writer.number(device.complicationDay)
      writer.number(device.complicationsUsed)
      device.lanes.withUnsafeBufferPointer { Self.write($0, to: &writer) }
      writer.number(device.incarnations.count)
      device.incarnations.withUnsafeBufferPointer { incarnations in
        for index in incarnations.indices {
          writer.text(incarnations[index].name)
          writer.number(incarnations[index].lastNumber)
          writer.number(incarnations[index].lastCount)
          writer.number(
            device.forgottenFailures.isEmpty ? 0 : device.forgottenFailures[UInt16(index)] ?? 0)
        }
      }
      writer.number(device.failures.count)
      for failure in device.failures {
        writer.number(failure.transfer.incarnation)
        writer.number(failure.transfer.number)
        writer.number(failure.code)
      }
      return [UInt8](UnsafeBufferPointer(start: room.baseAddress, count: writer.count))
    }
    return Row(Row.Key(.device, pair: device.pair.number, item: UInt32(device.index)), value)
  }

  /// Bytes that a device's row takes at most.
  private static func longestRow(of device: Device) -> Int {
    var numbers = 12 + 3 * device.failures.count
    var texts = device.name.utf8.count
    device.lanes.withUnsafeBufferPointer { lanes in
      for index in lanes.indices { numbers += 4 + 2 * lanes[index].holes.count }
    }
    device.incarnations.withUnsafeBufferPointer { incarnations in
      for index in incarnations.indices {
        numbers += 4
        texts += incarnations[index].name.utf8.count
      }
    }
    return numbers * MemoryWriter.longestNumber + texts
  }

  /// The part of a device's row that is about its lanes.
  private static func write(_ lanes: UnsafeBufferPointer<Lane>, to writer: inout MemoryWriter) {
    writer.number(lanes.count)
    for index in lanes.indices {
      writer.number(lanes[index].next)
      writer.number(lanes[index].acknowledged)
      writer.number(lanes[index].offered)
      writer.number(lanes[index].holes.count)
      guard lanes[index].holes.count > 0 else { continue }
      var last = lanes[index].acknowledged
      for hole in lanes[index].holes.ranges {
        writer.number(hole.lowerBound - last)
        writer.number(hole.upperBound - hole.lowerBound)
        last = hole.upperBound
      }
    }
  }

  /// nil where there never was a context.
  func row(contextFrom sender: UInt16, to receiver: Device) -> Row? {
    let key = Row.Key(
      .context, pair: receiver.pair.number, item: UInt32(receiver.index) << 16 | UInt32(sender))
    guard let slot = receiver.contexts[sender] else { return Row(key, nil) }
    var writer = ByteWriter(bytes: [RowForm.version])
    writer.number(slot.seq)
    writer.flag(slot.isAcknowledged)
    writer.blob(slot.current)
    let isSame = slot.handedOut == slot.current
    writer.number(slot.handedOut == nil ? 0 : isSame ? 1 : 2)
    if let handedOut = slot.handedOut, !isSame { writer.blob(handedOut) }
    if slot.seq > 0, let index = receiver[.context].index(of: slot.seq) {
      writer.number(receiver[.context].items[index].order)
    } else {
      writer.number(0)
    }
    return Row(key, writer.bytes)
  }

  func row(_ place: FileTransfer.Place) -> Row {
    let file = place.file
    var writer = ByteWriter(bytes: [RowForm.version])
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
}
