import Merge
import Seeded

/// Fixtures with devices that know whole records only.
extension Plan {
  /// The schema of which fixtures have them.
  private static let bridged = "todoTimers"

  /// Why a fixture cannot have as many as it is to have; nil where it can.
  ///
  /// - Parameter network: nil: drawn.
  package func wholeRecordsFault(_ network: ExchangeSettings.Network?) -> String? {
    guard let count = wholeRecords, count > 0 else { return nil }
    let watches = (devices ?? 3) - 1
    if let schema, schema != Self.bridged {
      return
        "a fixture has devices with whole records of \(Self.bridged) only, and the schema is \(schema)"
    }
    if network == .any {
      return "devices with whole records need the network watchConnectivity, not any"
    }
    if count > watches {
      return "\(count) watches are to have whole records, and there "
        + (watches == 1 ? "is only 1" : "are only \(watches)")
    }
    return nil
  }

  /// With what devices with whole records need, where it is left open and there are to be some.
  func withWholeRecords() -> Plan {
    guard let count = wholeRecords, count > 0 else { return self }
    var plan = self
    plan.schema = schema ?? Self.bridged
    if count > 1 { plan.devices = devices ?? count + 1 }
    return plan
  }

  /// The watches that know whole records only: so many as are asked for, else one or all of them in
  /// a quarter of the seeds. They have dice of their own, so that the rest is drawn alike with and
  /// without.
  func wholeRecordWatches(_ settings: ExchangeSettings) -> Set<String> {
    guard settings.schema == Self.bridged, settings.network == .watchConnectivity else { return [] }
    var draw = SplitMix64(seed: seed ^ 0x4649_5854_5552_4553, stream: 0)
    let isSome = draw.percent(25)
    let isOne = draw.percent(75)
    let isFirst = draw.percent(50)
    let watches =
      settings.devices == 2 ? ["watch"] : isFirst ? ["watch", "watch2"] : ["watch2", "watch"]
    let drawn = isSome ? (isOne ? 1 : watches.count) : 0
    return Set(watches.prefix(wholeRecords ?? drawn))
  }
}
