import Bridge
package import Wire

/// A payload of the app, or a record in one: an object with fixed names.
package protocol TodoTimersPayload: Hashable, Sendable {
  /// Reads the object that a scanned value is. What it says is not judged: see `check`.
  ///
  /// - Parameter path: what the object is called in errors; empty for the payload itself.
  /// - Throws: 4003 where a member is missing, 4004 where one is unknown, given twice or of another
  ///   type, each with the member's path.
  init(_ value: Value, _ line: UnsafeRawBufferPointer, _ path: String) throws(WireError)

  /// Whether an app of ours could mean it.
  ///
  /// - Throws: 4004 for a date before 2001, a negative number or an id that occurs twice, and the
  ///   app's own errors 4021 to 4024 with the texts that people are shown.
  func check() throws(WireError)

  /// Appends the object as `JSONEncoder` writes it with sorted keys: upper-case UUIDs, dates as
  /// seconds since 2001, `/` as `\/`, what is nil left out.
  func append(to output: inout [UInt8])
}

extension TodoTimersPayload {
  /// Reads a text that is one JSON object.
  ///
  /// - Throws: 4001 with the offset in the text where it is not, else as `init(_:_:_:)`.
  package init(json: [UInt8]) throws(WireError) {
    self = try PayloadEncoding.read(json: json) { value, bytes throws(WireError) in
      try Self(value, bytes, "")
    }
  }

  package var json: [UInt8] {
    var output: [UInt8] = []
    append(to: &output)
    return output
  }
}
