internal import Relay
internal import Wire

/// Whether what a bound refuses names it, so that it can be raised.
package enum LimitCheck {
  private static let limits = Set(
    Limits.names.map(\.name) + Quota.names.map { "quota." + $0.name })

  /// - Returns: what is wrong with an error, as one sentence; nil where nothing is, or where the line is none.
  package static func fault(_ line: JSON) -> String? {
    guard line["type"]?.text == "error", let code = line["code"]?.number,
      let message = line["message"]?.text
    else { return nil }
    let isOfBound =
      code == ErrorCode.overloaded.rawValue || code == ErrorCode.tooManyConnections.rawValue
    guard let limit = line["limit"]?.text else {
      // Where it is the store, the message says what is wrong with that.
      return isOfBound && !message.contains("store ") && !message.contains("16 schemas")
        ? "an error \(code) names no limit: \(message)" : nil
    }
    return isOfBound && limits.contains(limit) && message.contains("(\(limit))")
      ? nil : "an error \(code) names the limit \(limit): \(message)"
  }
}
