import Wire

/// What WatchConnectivity leaves open or what reports contradict: one choice each, for a pair,
/// set by `configure` (PROTOCOL.md clause 8).
struct Knobs: Equatable {
  /// Microseconds until a message's reply is overdue. Reports run from 5 s to 5 min; a person who
  /// answers by hand needs the longer one.
  var replyTimeout: Int64 = 300_000_000
  var identicalContext = IdenticalContext.drop
  /// How many more times a context is delivered after an activation.
  var contextRedelivery = 0
  var missingReplyDelegate = MissingReplyDelegate.deliveryFailed
  var cancelCallback = CancelCallback.none
  var complicationDisabled = ComplicationDisabled.fallback
  /// Complication transfers a day.
  var complicationBudget = 50
  /// Microseconds after midnight UTC at which the budget is whole again.
  var complicationReset: Int64 = 0
  var complicationCharge = ComplicationCharge.call
  var limits = PayloadLimits()
  var sizeMeasure = SizeMeasure.bplist
  var crossKindOrder = CrossKindOrder.independent
  var wakePhoneOnBackgroundTransfer = false
  var wakeWatchOnBackgroundTransfer = true
  var outstandingOnSwitch = OutstandingOnSwitch.keep
  var errorHandlerTwice = false
  var preconditionOrder = Precondition.allCases
  /// Microseconds that a woken app has to drain what waits; 0 for no limit.
  var bgTaskBudget: Int64 = 0
  /// Microseconds without a chunk after which an upload fails.
  var uploadIdle: Int64 = 24 * 3600 * 1_000_000

  enum IdenticalContext: String, CaseIterable { case drop, deliver, `throw` }
  enum MissingReplyDelegate: String, CaseIterable {
    case deliveryFailed = "7014"
    case timeout
  }
  enum CancelCallback: String, CaseIterable { case none, error }
  enum ComplicationDisabled: String, CaseIterable { case fallback, fail }
  enum ComplicationCharge: String, CaseIterable { case call, delivery }
  enum SizeMeasure: String, CaseIterable { case bplist, json }
  enum CrossKindOrder: String, CaseIterable { case independent, sent }
  enum OutstandingOnSwitch: String, CaseIterable { case keep, fail }

  /// What is checked before a send, each with an error of its own.
  enum Precondition: String, CaseIterable {
    case supported, delegate, activated, paired, installed, parameter, types, size, reachable
  }
}

/// The largest payloads accepted, in bytes; 0 for no bound.
struct PayloadLimits: Equatable {
  var message = 65_536
  var userInfo = 65_536
  var context = 262_144
  var file = 0
}
