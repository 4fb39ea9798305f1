extension Fields {
  /// An exact integer in `range`. A number with a fraction or an exponent is refused, whatever it
  /// amounts to.
  package func integer(
    _ key: Key, in range: ClosedRange<Int64>
  ) throws(WireError) -> Int64 {
    guard let number = try optionalInteger(key, in: range) else {
      throw missing(key, Self.wanted(range))
    }
    return number
  }

  package func optionalInteger(
    _ key: Key, in range: ClosedRange<Int64>
  ) throws(WireError) -> Int64? {
    guard let value = try optional(key, .number, Self.wanted(range)) else { return nil }
    guard let number = decodeInteger(value, line), range.contains(number) else {
      throw invalid(key, value, Self.wanted(range), was: excerpt(value))
    }
    return number
  }

  private static func wanted(_ range: ClosedRange<Int64>) -> String {
    if range.upperBound == .max {
      return range.lowerBound == .min
        ? "a 64-bit integer" : "an integer of at least \(range.lowerBound)"
    }
    return "an integer from \(range.lowerBound) to \(range.upperBound)"
  }

  /// Longest duration of a member, in seconds: about 31 years.
  package static let longestSeconds: Int64 = 1_000_000_000

  private static let wantedSeconds = "a number of seconds from 0 to \(longestSeconds)"

  /// A duration in decimal seconds.
  ///
  /// - Returns: microseconds, read from the decimal digits without a binary fraction on the way;
  ///   what is finer is rounded, half a microsecond upwards. 0...10^15.
  package func seconds(_ key: Key) throws(WireError) -> Int64 {
    guard let duration = try optionalSeconds(key) else { throw missing(key, Self.wantedSeconds) }
    return duration
  }

  package func optionalSeconds(_ key: Key) throws(WireError) -> Int64? {
    guard let value = try optional(key, .number, Self.wantedSeconds) else { return nil }
    guard let duration = decodeSeconds(value, line) else {
      throw invalid(key, value, Self.wantedSeconds, was: excerpt(value))
    }
    return duration
  }
}

/// Microseconds of a number in decimal seconds, rounded to the nearest; nil outside 0...10^9 s.
///
/// - Precondition: `value` is a number of `line`.
package func decodeSeconds(_ value: Value, _ line: UnsafeRawBufferPointer) -> Int64? {
  let limit = Fields.longestSeconds * 1_000_000
  var at = value.start
  let negative = line[at] == 0x2D
  if negative { at += 1 }

  // The number is digits × 10^scale microseconds; `digits` has no zeros in front.
  var digits: [UInt8] = []
  var scale = 6
  var isFraction = false
  while at < value.end {
    let byte = line[at]
    if byte == 0x2E {
      isFraction = true
    } else if byte | 0x20 == 0x65 {
      break
    } else {
      if isFraction { scale -= 1 }
      if byte != 0x30 || !digits.isEmpty { digits.append(byte - 0x30) }
    }
    at += 1
  }
  if digits.isEmpty { return 0 }
  if negative { return nil }
  if at < value.end {
    at += 1
    let downwards = line[at] == 0x2D
    if downwards || line[at] == 0x2B { at += 1 }
    var exponent = 0
    while at < value.end {
      // A line has at most 2^20 digits; beyond that an exponent's size makes no difference.
      exponent = min(exponent * 10 + Int(line[at] - 0x30), 1 << 40)
      at += 1
    }
    scale += downwards ? -exponent : exponent
  }

  // 17 digits and more, less than one below the point, are over the limit of 10^15.
  let whole = digits.count + scale
  if whole > 16 { return nil }
  if whole < 0 { return 0 }
  var result: Int64 = 0
  for place in 0..<whole { result = result * 10 + Int64(place < digits.count ? digits[place] : 0) }
  let rest = digits.dropFirst(whole)
  // Exactly at the limit counts as within, anything above it does not, however little.
  if result > limit || (result == limit && rest.contains { $0 != 0 }) { return nil }
  if let next = rest.first, next >= 5 { result += 1 }
  return result
}
