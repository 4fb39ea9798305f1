internal import Simulation
internal import Usage

extension Arguments {
  /// A seed: any number from 0 to 2^64-1; nil where it is left out.
  func seed(_ name: String) throws(UsageError) -> UInt64? {
    guard let text = string(name) else { return nil }
    guard let seed = UInt64(text) else {
      throw UsageError("--\(name) is a number from 0 to \(UInt64.max), not \(text)")
    }
    return seed
  }

  /// `--faults`: those that may occur; nil where it is left out, for what a seed draws.
  func faults() throws(UsageError) -> Set<Fault>? {
    guard let words = try words("faults", among: ExchangeSettings.possibleFaults.map(\.rawValue))
    else { return nil }
    return Set(words.compactMap(Fault.init))
  }

  /// `--lanes`; nil where it is left out.
  func lanes() throws(UsageError) -> [Lane]? {
    guard let words = try words("lanes", among: Lane.allCases.map(\.rawValue)) else { return nil }
    let lanes = Lane.allCases.filter { words.contains($0.rawValue) }
    guard !lanes.isEmpty else { throw UsageError("--lanes needs one lane at least") }
    return lanes
  }

  /// `--network`; nil where it is left out.
  var network: ExchangeSettings.Network? {
    string("network").flatMap(ExchangeSettings.Network.init)
  }

  /// Words with commas between them, or `none`.
  private func words(_ name: String, among known: [String]) throws(UsageError) -> [String]? {
    guard let text = string(name) else { return nil }
    if text == "none" { return [] }
    let words = text.split(separator: ",").map(String.init)
    if let odd = words.first(where: { !known.contains($0) }) {
      throw UsageError("--\(name) knows no \(odd); there is \(known.joined(separator: ", "))")
    }
    return words
  }
}
