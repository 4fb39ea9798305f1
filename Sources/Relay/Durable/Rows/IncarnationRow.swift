import Journal

/// The row of an incarnation of a device, beside the device's: name, last `n`, last count, and the number
/// up to which failures are forgotten. A device may have a thousand, of which one changes at a time.
enum IncarnationRow {
  static let version: UInt8 = 1

  /// Behind those of all devices: `(index + 1) << 16 | device`.
  static func item(device: UInt16, _ index: UInt16) -> UInt32 {
    (UInt32(index) + 1) << 16 | UInt32(device)
  }

  static func isIncarnation(_ key: Row.Key) -> Bool { key.item >> 16 > 0 }

  /// The device's index.
  static func device(_ key: Row.Key) -> UInt16 { UInt16(truncatingIfNeeded: key.item) }

  static func make(_ device: Device, _ index: Int) -> Row {
    let forgotten =
      device.forgottenFailures.isEmpty ? 0 : device.forgottenFailures[UInt16(index)] ?? 0
    let longest = 5 * MemoryWriter.longestNumber + device.incarnations[index].name.utf8.count
    let value = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: longest) { room in
      var writer = MemoryWriter(room)
      writer.number(version)
      writer.text(device.incarnations[index].name)
      writer.number(device.incarnations[index].lastNumber)
      writer.number(device.incarnations[index].lastCount)
      writer.number(forgotten)
      return [UInt8](writer.written)
    }
    let item = item(device: device.index, UInt16(index))
    return Row(Row.Key(.device, pair: device.pair.number, item: item), value)
  }

  /// Adds the incarnation to its device. Rows of one device come by index, rising.
  static func read(_ row: Row, into device: Device) throws(JournalError) {
    let index = Int(row.key.item >> 16) - 1
    guard index == device.incarnations.count else {
      throw JournalError(description: "device \(device.name) lacks an incarnation row")
    }
    let (incarnation, forgotten) = try row.read(version: version) {
      (reader) throws(JournalError) in
      var incarnation = Incarnation(name: try reader.text())
      incarnation.lastNumber = try reader.number()
      incarnation.lastCount = try reader.number()
      return (incarnation, try reader.number())
    }
    device.incarnations.append(incarnation)
    if forgotten > 0 { device.forgottenFailures[UInt16(index)] = forgotten }
  }
}
