import AppModels
import Bridge
import Merge
import Seeded

/// Which devices of a schedule know whole records only, and what these are like.
struct WholeRecords {
  /// What a schedule has more of than chance would give it.
  enum Emphasis: Equatable {
    case nothing
    /// Lists are rearranged: again and again, or now and then, so that most pairs were never shown turned round.
    case moves(isOften: Bool)
    /// To-dos go from timer to timer, and what is sent is read late.
    case between
    /// More is on its way than is kept, and clocks are ahead.
    case unread
    case resets
    /// Episodes: what chance alone would rarely bring together.
    case episodes
  }

  /// Their names; empty where there are none.
  private(set) var names: Set<String> = []
  /// They acknowledge what they have processed only now and then.
  private(set) var isLazy = false
  /// They use the dictionary with keys.
  private(set) var isKeyed = false
  /// How many edits there are before they come, so that they find records; 0: they are there first.
  private(set) var firstEdits = 0
  /// A kind of records that are sent by themselves, which contains others where there is one.
  private(set) var root: Name = "none"
  /// What is done most.
  private(set) var emphasis = Emphasis.nothing

  /// - Parameters:
  ///   - schema: nil for none.
  ///   - devices: one of them at least knows operations.
  init(_ plan: Plan, schema: Schema?, devices: Int) {
    guard let schema else { return }
    let shape = RecordShape(schema)
    // Its own, so that the rest of a schedule is drawn alike with and without.
    var draw = SplitMix64(seed: plan.seed ^ 0x5748_4F4C_4552_4543, stream: 0)
    // The payloads of all but one schema come from one codec.
    let share = schema.name == TodoTimersApp.schema ? 60 : 30
    let drawn = draw.percent(share) ? draw.pick([(4, 1), (1, 2)]) : 0
    let count = min(plan.wholeRecords ?? drawn, devices - 1)
    let order =
      draw.percent(60)
      ? ["watch", "phone", "second", "third"] : ["phone", "watch", "second", "third"]
    let (isLazy, isKeyed) = (draw.percent(30), draw.percent(30))
    guard count > 0 else { return }
    names = Set(order.prefix(count))
    self.isLazy = isLazy
    self.isKeyed = isKeyed
    // Its own as well. Two others are there from the beginning, as in every schedule.
    var joining = SplitMix64(seed: plan.seed ^ 0x4A4F_494E_4C41_5445, stream: 0)
    if joining.percent(25), devices - count >= 2 { firstEdits = 1 + joining.below(8) }
    emphasis = joining.pick([
      .nothing, .moves(isOften: true), .moves(isOften: false), .between, .unread, .resets,
      .episodes,
    ])
    root = shape.roots.first { !shape.lists(in: $0).isEmpty } ?? shape.roots[0]
    switch emphasis {
    case .unread, .between: self.isLazy = true
    case .episodes: self.isLazy = joining.percent(40)
    case .nothing, .moves, .resets: break
    }
  }

  var trace: [Trace.Option] {
    guard !names.isEmpty else { return [] }
    return [Trace.Option("whole-records", "\(names.count)")]
      + (isLazy ? [Trace.Option("lazy", "")] : [])
      + (isKeyed ? [Trace.Option("keyed", "")] : [])
  }
}
