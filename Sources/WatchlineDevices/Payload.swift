import Foundation
import Wire

/// A value that is no property list, and where it stands. It becomes WCError's 7010.
package struct UnsupportedValue: Error {
  /// Such as `steps[3].day`; empty for the dictionary itself.
  package var keyPath = ""
  /// What stands there, such as `a UUID`.
  package var found: String

  /// The same, seen from what it stands in.
  func below(_ step: String) -> Self { Self(keyPath: step + keyPath, found: found) }

  package var sentence: String {
    let place = keyPath.isEmpty ? "the dictionary" : "\"\(keyPath)\""
    return
      "\(place) is \(found); a payload has strings, numbers, dates, data, and arrays and string-keyed "
      + "dictionaries of these"
  }
}

/// Property list dictionaries as the protocol spells them (clause 3.3), and back.
package enum Payload {
  // MARK: Writing

  /// A dictionary as JSON text; its keys in order, so that equal dictionaries have equal bytes.
  package static func json(_ dictionary: [String: Any]) throws(UnsupportedValue) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(128)
    try write(dictionary, to: &text, depth: 0)
    return text
  }

  /// - Parameter depth: of the dictionary; 0 for the payload itself.
  private static func write(
    _ dictionary: [String: Any], to text: inout [UInt8], depth: Int
  ) throws(UnsupportedValue) {
    // A lone member with `$` in front would be read as a tag.
    let isTagged = depth > 0 && dictionary.count == 1 && dictionary.first!.key.hasPrefix("$")
    if isTagged { text.append(#"{"$dictionary":"# as StaticString) }
    text.append(0x7B)
    var isFirst = true
    for (key, value) in dictionary.sorted(by: { $0.key < $1.key }) {
      if !isFirst { text.append(0x2C) }
      isFirst = false
      text.append(jsonString: key)
      text.append(0x3A)
      do throws(UnsupportedValue) {
        try write(value, to: &text, depth: depth + 1)
      } catch {
        throw error.below(depth == 0 ? key : "." + key)
      }
    }
    text.append(0x7D)
    if isTagged { text.append(0x7D) }
  }

  private static func write(
    _ value: Any, to text: inout [UInt8], depth: Int
  ) throws(UnsupportedValue) {
    guard depth < maximumDepth else {
      throw UnsupportedValue(found: "nested more than \(maximumDepth) levels deep")
    }
    // What payloads mostly have. A cast that fails asks for bridges first, which costs 1 µs.
    let type = Swift.type(of: value)
    if type == String.self {
      text.append(jsonString: value as! String)
    } else if type == Int.self {
      text.append(decimal: Int64(value as! Int))
    } else if type == NSNumber.self {
      write(number: value as! NSNumber, to: &text)
    } else {
      try write(other: value, to: &text, depth: depth)
    }
  }

  private static func write(
    other value: Any, to text: inout [UInt8], depth: Int
  ) throws(UnsupportedValue) {
    switch value {
    case let string as String: text.append(jsonString: string)
    case let number where isNumber(number): try write(number: number, to: &text)
    case let date as Date:
      let seconds = date.timeIntervalSinceReferenceDate
      guard seconds.isFinite else {
        throw UnsupportedValue(found: "a date of \(seconds) seconds, which cannot be sent")
      }
      tag("$date", real(seconds), &text)
    case let data as Data: tag("$data", "\"\(data.base64EncodedString())\"", &text)
    case let dictionary as [String: Any]: try write(dictionary, to: &text, depth: depth)
    case let array as [Any]:
      text.append(0x5B)
      for (index, element) in array.enumerated() {
        if index > 0 { text.append(0x2C) }
        do throws(UnsupportedValue) {
          try write(element, to: &text, depth: depth + 1)
        } catch {
          throw error.below("[\(index)]")
        }
      }
      text.append(0x5D)
    default: throw UnsupportedValue(found: description(of: value))
    }
  }

  /// Levels that a payload may have; the envelope has some of the protocol's 64 for itself.
  private static let maximumDepth = 60

  private static func isNumber(_ value: Any) -> Bool {
    value is Bool || value is any BinaryInteger || value is Double || value is Float
      || value is CGFloat || value is NSNumber
  }

  private static func write(
    number value: Any, to text: inout [UInt8]
  ) throws(UnsupportedValue) {
    switch value {
    case let number where number is NSNumber && type(of: number) is AnyClass:
      write(number: number as! NSNumber, to: &text)
    case let flag as Bool where type(of: value) == Bool.self: text += "\(flag)".utf8
    case let integer as any BinaryInteger: try write(integer: integer, to: &text)
    case let number as Double: text += real(number).utf8
    case let number as Float: text += real(Double(number)).utf8
    case let number as CGFloat: text += real(Double(number)).utf8
    default: throw UnsupportedValue(found: description(of: value))
    }
  }

  private static func write(number: NSNumber, to text: inout [UInt8]) {
    switch UInt8(bitPattern: number.objCType.pointee) {
    // Only booleans are one and the same object.
    case UInt8(ascii: "c") where number === yes: text.append("true" as StaticString)
    case UInt8(ascii: "c") where number === no: text.append("false" as StaticString)
    case UInt8(ascii: "d"), UInt8(ascii: "f"): text += real(number.doubleValue).utf8
    case UInt8(ascii: "Q"): text.append(decimal: number.uint64Value)
    default: text.append(decimal: number.int64Value)
    }
  }
  private static let yes = NSNumber(value: true)
  private static let no = NSNumber(value: false)

  private static func write(
    integer: some BinaryInteger, to text: inout [UInt8]
  ) throws(UnsupportedValue) {
    guard let small = Int64(exactly: integer) else {
      guard let large = UInt64(exactly: integer) else {
        throw UnsupportedValue(found: "an integer beyond 64 bits")
      }
      text.append(decimal: large)
      return
    }
    text.append(decimal: small)
  }

  /// A number that is read as a real: with a fraction or an exponent.
  private static func real(_ number: Double) -> String {
    if number.isNaN { return #"{"$real":"nan"}"# }
    if number.isInfinite { return #"{"$real":"\#(number < 0 ? "-" : "")infinity"}"# }
    return "\(number)"
  }

  private static func tag(_ name: String, _ value: String, _ text: inout [UInt8]) {
    text += "{\"\(name)\":\(value)}".utf8
  }

  /// What a value is, with its article.
  private static func description(of value: Any) -> String {
    if value is NSNull { return "null" }
    if Mirror(reflecting: value).displayStyle == .optional { return "nil" }
    if Mirror(reflecting: value).displayStyle == .dictionary {
      return "a dictionary whose keys are no strings"
    }
    let name = "\(type(of: value))"
    return "AEIOU".contains(name.prefix(1)) && name != "UUID" && name != "URL"
      ? "an \(name)" : "a \(name)"
  }

  // MARK: Reading

  /// The dictionary that JSON text of the protocol spells; numbers and booleans as `NSNumber`. What a server sends that breaks
  /// the protocol is read as far as it can be.
  package static func dictionary(_ text: [UInt8]) -> [String: Any] {
    guard text.first == UInt8(ascii: "{") else { return [:] }
    return text.withUnsafeBytes { plain(Value(kind: .object, start: 0, end: $0.count), $0) }
  }

  private static func value(_ value: Value, _ line: UnsafeRawBufferPointer) -> Any {
    switch value.kind {
    case .string: return decodeString(value, line)
    case .bool: return NSNumber(value: line[value.start] == 0x74)
    case .number: return number(value, line)
    case .array:
      var reader = ArrayReader(value, line)
      var elements: [Any] = []
      while let element = reader.next() { elements.append(self.value(element, line)) }
      return elements
    case .object: return object(value, line)
    case .null: return NSNull()
    }
  }

  private static func number(_ value: Value, _ line: UnsafeRawBufferPointer) -> NSNumber {
    let text = String(decoding: line[value.start..<value.end], as: UTF8.self)
    if let integer = Int64(text) { return NSNumber(value: integer) }
    if let integer = UInt64(text) { return NSNumber(value: integer) }
    return NSNumber(value: Double(text) ?? .nan)
  }

  private static func object(_ value: Value, _ line: UnsafeRawBufferPointer) -> Any {
    let members = members(of: value, line)
    if members.count == 1, let member = members.first {
      switch member.name {
      case "$data" where member.value.kind == .string:
        return Data(base64Encoded: decodeString(member.value, line)) ?? Data()
      case "$date" where member.value.kind == .number:
        return Date(timeIntervalSinceReferenceDate: number(member.value, line).doubleValue)
      case "$date" where member.value.kind == .string:
        let text = decodeString(member.value, line)
        return ISO8601DateFormatter().date(from: text) ?? Date(timeIntervalSinceReferenceDate: 0)
      case "$real" where member.value.kind == .string:
        let text = decodeString(member.value, line)
        return NSNumber(
          value: text == "nan" ? Double.nan : text == "infinity" ? .infinity : -.infinity)
      case "$dictionary" where member.value.kind == .object:
        return plain(member.value, line)
      default: break
      }
    }
    return dictionary(members, line)
  }

  private static func plain(_ value: Value, _ line: UnsafeRawBufferPointer) -> [String: Any] {
    dictionary(members(of: value, line), line)
  }

  private static func members(
    of object: Value, _ line: UnsafeRawBufferPointer
  ) -> [(name: String, value: Value)] {
    var reader = ObjectReader(object, line)
    var members: [(name: String, value: Value)] = []
    while let member = reader.next() { members.append(member) }
    return members
  }

  private static func dictionary(
    _ members: [(name: String, value: Value)], _ line: UnsafeRawBufferPointer
  ) -> [String: Any] {
    var dictionary: [String: Any] = [:]
    dictionary.reserveCapacity(members.count)
    for member in members { dictionary[member.name] = value(member.value, line) }
    return dictionary
  }
}
