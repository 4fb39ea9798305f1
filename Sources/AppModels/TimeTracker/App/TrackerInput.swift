import Merge
import Wire

/// What people type, as values of fields.
enum TrackerInput {
  /// A decimal, also below 0, for the rules to judge; nil for `none`.
  static func decimal(_ line: CommandLine) throws(WireError) -> String? {
    let text = line.rest
    if text.lowercased() == "none" { return nil }
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    let normal = digits.drop { $0 == "0" }
    let whole = normal.first?.isNumber == true ? String(normal) : "0" + normal
    guard Rate(whole) != nil, !digits.isEmpty, whole.utf8.count <= 38 else {
      throw WireError(.invalidField, "\(line.word) takes an amount as 112.50, or none")
    }
    return (text.hasPrefix("-") ? "-" : "") + whole
  }

  /// Minutes; 0 for `none`.
  static func minutes(_ line: CommandLine) throws(WireError) -> Int {
    if line.rest.lowercased() == "none" { return 0 }
    guard let minutes = Int(line.rest), minutes.magnitude <= 1_000_000 else {
      throw WireError(.invalidField, "\(line.word) takes a number of minutes")
    }
    return minutes
  }

  static func flag(_ line: CommandLine) throws(WireError) -> Bool {
    switch line.rest.lowercased() {
    case "on", "yes": true
    case "off", "no": false
    default: throw WireError(.invalidField, "\(line.word) is on or off")
    }
  }

  /// One of the names of a choice.
  static func choice<Choice: CaseIterable & RawRepresentable<String>>(
    _ line: CommandLine
  ) throws(WireError) -> Choice {
    guard let choice = Choice(rawValue: line.rest.lowercased()) else {
      throw WireError(.invalidField, "\(line.word) takes one of \(names(Choice.self))")
    }
    return choice
  }

  /// "standard, summary, detailed".
  static func names<Choice: CaseIterable & RawRepresentable<String>>(_: Choice.Type) -> String {
    Choice.allCases.map(\.rawValue).joined(separator: ", ")
  }

  /// A client by its number or its name.
  static func client(_ line: CommandLine, _ tracked: TrackedWork) throws(WireError) -> ClientModel {
    try find(line, tracked.clients, \.name, "client")
  }

  /// A project by its number among those of a client, or by its name among all.
  static func project(
    _ line: CommandLine, of client: Name?, _ tracked: TrackedWork
  ) throws(WireError) -> ProjectModel {
    let own = client.map(tracked.projects(of:)) ?? tracked.projects
    if Int(line.rest) != nil { return try find(line, own, \.name, "project") }
    // Those of the client come first where several have the name.
    return try find(line, own + tracked.projects, \.name, "project")
  }

  private static func find<Element>(
    _ line: CommandLine, _ elements: [Element], _ name: (Element) -> String, _ what: String
  ) throws(WireError) -> Element {
    if Int(line.rest) != nil { return elements[try line.index(in: elements.count, of: what)] }
    let wanted = line.rest.lowercased()
    let match =
      elements.first { name($0).lowercased() == wanted }
      ?? elements.first { !wanted.isEmpty && name($0).lowercased().hasPrefix(wanted) }
    guard let match else {
      throw WireError(
        .invalidField,
        elements.isEmpty
          ? "there is no \(what) here" : "there is no \(what) \(line.rest.quoted)")
    }
    return match
  }

  /// `9:05` of today, or `2025-11-21 9:05`, as milliseconds since 1970.
  static func time(
    _ line: CommandLine, _ now: Int64, _ secondsFromUTC: Int
  ) throws(WireError) -> Int64 {
    let parts = line.rest.split(separator: " ")
    let today = LocalTime(now, secondsFromUTC: secondsFromUTC).dayNumber
    guard let last = parts.last, parts.count <= 2, let minutes = minutesOfDay(last),
      let day = parts.count == 2 ? day(parts[0]) : today
    else {
      throw WireError(
        .invalidField, "\(line.word) takes a time as 9:05, or a day too as 2025-11-21 9:05")
    }
    return day * LocalTime.day + Int64(minutes) * 60_000 - Int64(secondsFromUTC) * 1000
  }

  /// `9:05-10:30` of today.
  static func interval(
    _ text: Substring, _ now: Int64, _ secondsFromUTC: Int
  ) -> ClosedRange<Int64>? {
    let parts = text.split(separator: "-")
    guard parts.count == 2, let from = minutesOfDay(parts[0]), let to = minutesOfDay(parts[1]),
      from <= to
    else { return nil }
    let midnight = LocalTime.midnight(now, secondsFromUTC: secondsFromUTC)
    return midnight + Int64(from) * 60_000...midnight + Int64(to) * 60_000
  }

  private static func minutesOfDay(_ text: Substring) -> Int? {
    let numbers = text.split(separator: ":", omittingEmptySubsequences: false).map(number)
    guard numbers.count == 2, let hour = numbers[0], let minute = numbers[1],
      hour * 60 + minute <= 1440, minute < 60
    else { return nil }
    return hour * 60 + minute
  }

  private static func day(_ text: Substring) -> Int64? {
    let numbers = text.split(separator: "-", omittingEmptySubsequences: false).map(number)
    guard numbers.count == 3, let year = numbers[0], let month = numbers[1], let day = numbers[2]
    else { return nil }
    return LocalTime.dayNumber(year: year, month: month, day: day)
  }

  private static func number(_ text: Substring) -> Int? {
    guard (1...4).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return Int(text)
  }
}
