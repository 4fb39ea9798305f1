/// A time span as people type it.
package enum Period {
  private static let units: [Character: Int64] = ["m": 60, "h": 3600, "d": 86_400]

  /// The seconds of `90m`, `12h` or `30d`, up to 100 years; nil for anything else.
  package static func seconds(_ text: String) -> Int64? {
    guard let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()),
      (1...(100 * 366 * 86_400 / unit)).contains(count)
    else { return nil }
    return count * unit
  }
}
