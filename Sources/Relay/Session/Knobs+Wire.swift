import Wire

extension Knobs {
  /// The knobs' names in the order in which they are listed.
  static let names: [Key] = [
    .replyTimeout, .identicalContext, .contextRedelivery, .missingReplyDelegate, .cancelCallback,
    .complicationDisabled, .complicationBudget, .complicationReset, .complicationCharge, .limits,
    .sizeMeasure, .crossKindOrder, .wakePhoneOnBackgroundTransfer, .wakeWatchOnBackgroundTransfer,
    .outstandingOnSwitch, .errorHandlerTwice, .preconditionOrder, .bgTaskBudget, .uploadIdle,
  ]

  /// Sets the knobs that are members of `fields`; throws 4004 and leaves `self` half set.
  mutating func set(from fields: Fields) throws(WireError) {
    if let value = try fields.optionalSeconds(.replyTimeout) { replyTimeout = value }
    try set(&identicalContext, .identicalContext, fields)
    if let value = try fields.optionalInteger(.contextRedelivery, in: 0...100) {
      contextRedelivery = Int(value)
    }
    try set(&missingReplyDelegate, .missingReplyDelegate, fields)
    try set(&cancelCallback, .cancelCallback, fields)
    try set(&complicationDisabled, .complicationDisabled, fields)
    if let value = try fields.optionalInteger(.complicationBudget, in: 0...1_000_000) {
      complicationBudget = Int(value)
    }
    if let value = try fields.optionalSeconds(.complicationReset) {
      guard value < 86_400_000_000 else {
        throw WireError(
          .invalidField, "complicationReset is seconds after midnight UTC, below 86400")
      }
      complicationReset = value
    }
    try set(&complicationCharge, .complicationCharge, fields)
    if let value = try fields.optionalObject(.limits) { try setLimits(value, fields) }
    try set(&sizeMeasure, .sizeMeasure, fields)
    try set(&crossKindOrder, .crossKindOrder, fields)
    if let value = try fields.optionalBool(.wakePhoneOnBackgroundTransfer) {
      wakePhoneOnBackgroundTransfer = value
    }
    if let value = try fields.optionalBool(.wakeWatchOnBackgroundTransfer) {
      wakeWatchOnBackgroundTransfer = value
    }
    try set(&outstandingOnSwitch, .outstandingOnSwitch, fields)
    if let value = try fields.optionalBool(.errorHandlerTwice) { errorHandlerTwice = value }
    if let text = try fields.optionalString(.preconditionOrder) {
      preconditionOrder = try Self.order(text)
    }
    if let value = try fields.optionalSeconds(.bgTaskBudget) { bgTaskBudget = value }
    if let value = try fields.optionalSeconds(.uploadIdle) { uploadIdle = value }
  }

  private func set<Choice: RawRepresentable & CaseIterable>(
    _ knob: inout Choice, _ key: Key, _ fields: Fields
  ) throws(WireError) where Choice.RawValue == String {
    guard let text = try fields.optionalWord(key) else { return }
    guard let choice = Choice(rawValue: text) else {
      let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      throw WireError(.invalidField, "\(key.rawValue) is one of \(choices), not \(text)")
    }
    knob = choice
  }

  private mutating func setLimits(_ value: Value, _ fields: Fields) throws(WireError) {
    for (name, size) in fields.members(of: value) {
      guard let bytes = fields.integer(size), (0...Int64(1 << 40)).contains(bytes) else {
        throw WireError(.invalidField, "limits.\(name) is a number of bytes, 0 for no bound")
      }
      switch name {
      case "message": limits.message = Int(bytes)
      case "userInfo": limits.userInfo = Int(bytes)
      case "context": limits.context = Int(bytes)
      case "file": limits.file = Int(bytes)
      default:
        throw WireError(
          .invalidField, "limits has message, userInfo, context and file, not \(name)")
      }
    }
  }

  private static func order(_ text: String) throws(WireError) -> [Precondition] {
    let names = text.split(separator: ",").map { Precondition(rawValue: String($0)) }
    let order = names.compactMap(\.self)
    guard order.count == names.count, Set(order).count == Precondition.allCases.count else {
      let all = Precondition.allCases.map(\.rawValue).joined(separator: ",")
      throw WireError(.invalidField, "preconditionOrder lists each of \(all) once, with commas")
    }
    return order
  }

  /// Appends all knobs as one JSON object that `set` reads.
  func write(to output: inout [UInt8]) {
    output.append("{\"replyTimeout\":")
    output.append(seconds: replyTimeout)
    output.append(",\"identicalContext\":", quoted: identicalContext.rawValue)
    output.append(",\"contextRedelivery\":")
    output.append(decimal: contextRedelivery)
    output.append(",\"missingReplyDelegate\":", quoted: missingReplyDelegate.rawValue)
    output.append(",\"cancelCallback\":", quoted: cancelCallback.rawValue)
    output.append(",\"complicationDisabled\":", quoted: complicationDisabled.rawValue)
    output.append(",\"complicationBudget\":")
    output.append(decimal: complicationBudget)
    output.append(",\"complicationReset\":")
    output.append(seconds: complicationReset)
    output.append(",\"complicationCharge\":", quoted: complicationCharge.rawValue)
    output.append(",\"limits\":{\"message\":")
    output.append(decimal: limits.message)
    output.append(",\"userInfo\":")
    output.append(decimal: limits.userInfo)
    output.append(",\"context\":")
    output.append(decimal: limits.context)
    output.append(",\"file\":")
    output.append(decimal: limits.file)
    output.append("},\"sizeMeasure\":", quoted: sizeMeasure.rawValue)
    output.append(",\"crossKindOrder\":", quoted: crossKindOrder.rawValue)
    output.append(",\"wakePhoneOnBackgroundTransfer\":")
    output.append(bool: wakePhoneOnBackgroundTransfer)
    output.append(",\"wakeWatchOnBackgroundTransfer\":")
    output.append(bool: wakeWatchOnBackgroundTransfer)
    output.append(",\"outstandingOnSwitch\":", quoted: outstandingOnSwitch.rawValue)
    output.append(",\"errorHandlerTwice\":")
    output.append(bool: errorHandlerTwice)
    output.append(
      ",\"preconditionOrder\":",
      quoted: preconditionOrder.map(\.rawValue).joined(separator: ","))
    output.append(",\"bgTaskBudget\":")
    output.append(seconds: bgTaskBudget)
    output.append(",\"uploadIdle\":")
    output.append(seconds: uploadIdle)
    output.append("}")
  }
}
