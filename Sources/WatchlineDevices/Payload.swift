import Foundation
import Wire

/// A value that is no property list, and where it stands. It becomes WCError's 7010.
package struct UnsupportedValue: Error {
  /// Such as `steps[3].day`; empty for the dictionary itself.
  package var keyPath: String
  /// What stands there, such as `a UUID`.
  package var found: String

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
    try write(dictionary, to: &text, at: [])
    return text
  }

  private static func write(
    _ dictionary: [String: Any], to text: inout [UInt8], at path: [String]
  ) throws(UnsupportedValue) {
    // A lone member with `$` in front would be read as a tag.
    let isTagged = !path.isEmpty && dictionary.count == 1 && dictionary.first!.key.hasPrefix("$")
    if isTagged { text += Array(#"{"$dictionary":"#.utf8) }
    text.append(0x7B)
    var isFirst = true
    for (key, value) in dictionary.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    ) {
      if !isFirst { text.append(0x2C) }
      isFirst = false
      text.append(jsonString: key)
      text.append(0x3A)
      try write(value, to: &text, at: path + [path.isEmpty ? key : "." + key])
    }
    text.append(0x7D)
    if isTagged { text.append(0x7D) }
  }

  private static func write(
    _ value: Any, to text: inout [UInt8], at path: [String]
  ) throws(UnsupportedValue) {
    guard path.count < maximumDepth else {
      throw fault(path, "nested more than \(maximumDepth) levels deep")
    }
    switch value {
    case let string as String: text.append(jsonString: string)
    case let number where isNumber(number): try write(number: number, to: &text, at: path)
    case let date as Date:
      let seconds = date.timeIntervalSinceReferenceDate
      guard seconds.isFinite else {
        throw fault(path, "a date of \(seconds) seconds, which cannot be sent")
      }
      try tag("$date", real(seconds, path), &text)
    case let data as Data: try tag("$data", "\"\(data.base64EncodedString())\"", &text)
    case let dictionary as [String: Any]: try write(dictionary, to: &text, at: path)
    case let array as [Any]:
      text.append(0x5B)
      for (index, element) in array.enumerated() {
        if index > 0 { text.append(0x2C) }
        try write(element, to: &text, at: path + ["[\(index)]"])
      }
      text.append(0x5D)
    default: throw fault(path, description(of: value))
    }
  }

  /// Levels that a payload may have; the envelope has some of the protocol's 64 for itself.
  private static let maximumDepth = 60

  private static func isNumber(_ value: Any) -> Bool {
    value is Bool || value is any BinaryInteger || value is Double || value is Float
      || value is CGFloat || value is NSNumber
  }

  private static func write(
    number value: Any, to text: inout [UInt8], at path: [String]
  ) throws(UnsupportedValue) {
    switch value {
    case let number where number is NSNumber && type(of: number) is AnyClass:
      let number = number as! NSNumber
      switch UInt8(bitPattern: number.objCType.pointee) {
      // Only booleans are one and the same object.
      case UInt8(ascii: "c") where number === NSNumber(value: true): text += Array("true".utf8)
      case UInt8(ascii: "c") where number === NSNumber(value: false): text += Array("false".utf8)
      case UInt8(ascii: "d"), UInt8(ascii: "f"):
        text += Array(try real(number.doubleValue, path).utf8)
      case UInt8(ascii: "Q"): try write(integer: number.uint64Value, to: &text, at: path)
      default: text.append(decimal: number.int64Value)
      }
    case let flag as Bool where type(of: value) == Bool.self: text += Array("\(flag)".utf8)
    case let integer as any BinaryInteger: try write(integer: integer, to: &text, at: path)
    case let number as Double: text += Array(try real(number, path).utf8)
    case let number as Float: text += Array(try real(Double(number), path).utf8)
    case let number as CGFloat: text += Array(try real(Double(number), path).utf8)
    default: throw fault(path, description(of: value))
    }
  }

  private static func write(
    integer: some BinaryInteger, to text: inout [UInt8], at path: [String]
  ) throws(UnsupportedValue) {
    guard let small = Int64(exactly: integer) else {
      guard let large = UInt64(exactly: integer) else {
        throw fault(path, "an integer beyond 64 bits")
      }
      text.append(decimal: large)
      return
    }
    text.append(decimal: small)
  }

  /// A number that is read as a real: with a fraction or an exponent.
  private static func real(_ number: Double, _ path: [String]) throws(UnsupportedValue) -> String {
    if number.isNaN { return #"{"$real":"nan"}"# }
    if number.isInfinite { return #"{"$real":"\#(number < 0 ? "-" : "")infinity"}"# }
    return "\(number)"
  }

  private static func tag(
    _ name: String, _ value: String, _ text: inout [UInt8]
  ) throws(UnsupportedValue) {
    text += Array("{\"\(name)\":\(value)}".utf8)
  }

  private static func fault(_ path: [String], _ found: String) -> UnsupportedValue {
    UnsupportedValue(keyPath: path.joined(), found: found)
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

  /// The dictionary that JSON text of the protocol spells; numbers and booleans as `NSNumber`.
  package static func dictionary(_ text: [UInt8]) -> [String: Any] {
    text.withUnsafeBytes { plain(Value(kind: .object, start: 0, end: $0.count), $0) }
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
      case "$data":
        return Data(base64Encoded: decodeString(member.value, line)) ?? Data()
      case "$date" where member.value.kind == .number:
        return Date(timeIntervalSinceReferenceDate: number(member.value, line).doubleValue)
      case "$date":
        let text = decodeString(member.value, line)
        return ISO8601DateFormatter().date(from: text) ?? Date(timeIntervalSinceReferenceDate: 0)
      case "$real":
        let text = decodeString(member.value, line)
        return NSNumber(
          value: text == "nan" ? Double.nan : text == "infinity" ? .infinity : -.infinity)
      case "$dictionary":
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
    Dictionary(members.map { ($0.name, value($0.value, line)) }, uniquingKeysWith: { $1 })
  }
}
