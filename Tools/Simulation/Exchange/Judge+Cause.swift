import Merge

/// Why it came to that, as far as clocks and deliveries tell.
extension Judge {
  /// Sentences on the clocks of the devices that made some of the writes, and on times that are alike.
  ///
  /// - Parameter indices: writes, each of another edit or of the same.
  func clocks(_ indices: [Int]) -> [String] {
    var edits: [Int] = []
    for index in indices where !edits.contains(writes[index].edit) {
      edits.append(writes[index].edit)
    }
    var story: [String] = []
    var told: [(device: Int, ahead: Int64)] = []
    for edit in edits.map({ world.edits[$0] }) {
      let ahead = ahead(edit)
      guard ahead != 0, !told.contains(where: { $0.device == edit.device && $0.ahead == ahead })
      else { continue }
      told.append((edit.device, ahead))
      story.append(
        "\(possessive(edit.device)) clock was \(Self.span(ahead)) \(ahead > 0 ? "ahead" : "behind") "
          + "at \(ExchangeWorld.clock(edit.at)).")
    }
    for (place, one) in edits.enumerated() {
      for other in edits[(place + 1)...] {
        if let line = alike(world.edits[one], world.edits[other]) { story.append(line) }
      }
    }
    return Array(story.prefix(4))
  }

  /// Two edits that their clocks give the same time, or the wrong order.
  private func alike(_ one: PromisedEdit, _ other: PromisedEdit) -> String? {
    guard one.device != other.device else { return nil }
    let (first, second) = one.at <= other.at ? (one, other) : (other, one)
    func told(_ edit: PromisedEdit) -> String {
      "the \(world.places[edit.device].name)'s edit of \(ExchangeWorld.clock(edit.at))"
    }
    if first.now == second.now {
      return "By their clocks \(told(first)) and \(told(second)) bear the same time."
    }
    guard first.now > second.now else { return nil }
    return "By their clocks \(told(first)) is \(Self.span(first.now - second.now)) later than "
      + "\(told(second))."
  }

  /// What its device's clock was ahead of the true time, in milliseconds.
  private func ahead(_ edit: PromisedEdit) -> Int64 { edit.now - world.start - edit.at }

  /// `61 s`, `1.5 s`, `5 ms`, `1 h`, `2 days`, whatever the sign.
  static func span(_ milliseconds: Int64) -> String {
    let amount = milliseconds.magnitude
    func plain(_ unit: UInt64, _ name: String) -> String? {
      amount > 0 && amount % unit == 0 ? "\(amount / unit) \(name)" : nil
    }
    if let days = plain(86_400_000, "days") { return days == "1 days" ? "1 day" : days }
    if let hours = plain(3_600_000, "h") { return hours }
    if amount < 1000 { return "\(amount) ms" }
    var fraction = String(String(1000 + amount % 1000).dropFirst())
    while fraction.last == "0" { fraction.removeLast() }
    return "\(amount / 1000)\(fraction.isEmpty ? "" : ".\(fraction)") s"
  }

  /// A sentence for each delivery by which a device knew of what others wrote.
  ///
  /// - Parameter indices: what it is said to have known.
  func deliveries(_ indices: [Int], to device: Int) -> [String] {
    var told: [Int] = []
    return indices.compactMap { index in
      guard writes[index].device != device,
        let lesson = world.devices[device].lessons.firstIndex(where: { $0.writes.contains(index) }),
        !told.contains(lesson)
      else { return nil }
      told.append(lesson)
      let (from, at) = world.devices[device].lessons[lesson].origin
      return "The \(world.places[device].name) knew of \(author(index))'s edit of \(time(index)) "
        + "by what came from the \(world.places[from].name) at \(ExchangeWorld.clock(at))."
    }
  }
}
