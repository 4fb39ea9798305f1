import Journal

/// The row of a context, `receiver << 16 | sender`: number, whether acknowledged, the context, what of it
/// was handed out (0 nothing, 1 the same, 2 another, which follows), and the item's order or 0.
enum ContextRow {
  static let version: UInt8 = 1

  static func key(from sender: UInt16, to receiver: Device) -> Row.Key {
    Row.Key(
      .context, pair: receiver.pair.number, item: UInt32(receiver.index) << 16 | UInt32(sender))
  }

  /// Removes the row where there never was a context.
  static func make(from sender: UInt16, to receiver: Device) -> Row {
    let key = key(from: sender, to: receiver)
    guard let slot = receiver.contexts[sender] else { return Row(key, nil) }
    var writer = ByteWriter(bytes: [version])
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

  static func read(_ row: Row) throws(JournalError) -> (slot: ContextSlot, order: UInt64) {
    try row.read(version: version) { (reader) throws(JournalError) in
      let seq = try reader.number()
      let isAcknowledged = try reader.flag()
      var slot = ContextSlot(current: try reader.blob(), seq: seq, isAcknowledged: isAcknowledged)
      switch try reader.number() {
      case 1: slot.handedOut = slot.current
      case 2: slot.handedOut = try reader.blob()
      default: break
      }
      return (slot, try reader.number())
    }
  }
}
