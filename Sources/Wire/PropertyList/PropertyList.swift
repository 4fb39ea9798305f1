/// Payloads as the property lists that WatchConnectivity sends: which JSON is one, and how large it
/// would be.
///
/// | JSON | property list |
/// | --- | --- |
/// | number without fraction and exponent | integer; real where it needs more than 64 bits |
/// | other number | real of eight bytes |
/// | `{"$data": "<base64>"}` | data |
/// | `{"$date": "2026-03-01T12:00:00Z"}`, `{"$date": 794059200.5}` | date; a number is seconds since 2001-01-01 UTC |
/// | `{"$real": "nan"}`, `"infinity"`, `"-infinity"` | that real |
/// | `{"$dictionary": {…}}` | the dictionary `{…}`, whatever its names are |
/// | object with several members, or one whose name does not start with `$` | dictionary |
/// | null, a name given twice, any other object whose one member's name starts with `$` | error 7010 |
///
/// So a user's dictionary with one `$…` name is written inside `$dictionary`:
/// `{"$dictionary": {"$data": "not base64"}}` is a dictionary of one string.
package enum PropertyList {
  /// Bytes of the binary property list (`bplist00`) that this JSON dictionary would be.
  ///
  /// Equal strings, integers, reals, dates and data count once, as Apple's writer has it
  /// (CFBinaryPList.c, `_flattenPlist` and `__plistNumberEqual`); booleans, arrays and
  /// dictionaries each time. An integer never equals a real.
  ///
  /// - Throws: 7010 payloadUnsupportedTypes with the key path.
  /// - Complexity: the text's length, whatever its depth.
  package static func size(
    of value: Value, in line: UnsafeRawBufferPointer
  ) throws(WireError) -> Int {
    try PropertyListMeasure(value, in: line).size
  }

  /// Throws what `size` would throw, with `field` at the head of the key path.
  ///
  /// - Complexity: constant where the value's flags show neither null nor a `$` name; else the
  ///   text's length, whatever its depth.
  package static func check(
    _ value: Value, in line: UnsafeRawBufferPointer, field: String
  ) throws(WireError) {
    if value.kind == .object, value.flags.isPlain { return }
    var reader = try PropertyListReader(value, in: line, field: field)
    while try reader.next() != nil {}
  }
}
