/// The complication's budget: so many items a day and watch have the tag, and the rest is told
/// (clause 5.8).
package struct ComplicationChecker {
  package init() {}

  private struct Item {
    /// nil where it was asked for with two of them.
    var watch: String?
    let day: Int64
    /// The day of the first answer.
    var answered: Int64?
    var isTagged = false
    /// The phone was told that it goes as ordinary user info.
    var isUntagged = false
  }

  /// What the phone asks for; nil where it is the default, which no schedule uses up.
  package var wanted: Int?
  /// What the server has confirmed. What it accepts before is not judged.
  package private(set) var budget: Int?
  /// Days since 1970, by the server's clock.
  package var day: Int64 = 0
  private var items: [Int: Item] = [:]
  package private(set) var violations: [Violation] = []

  /// - Parameters:
  ///   - id: the transfer.
  ///   - watch: whom the phone's session is attached to; nil where it does not know.
  package mutating func asked(_ id: Int, _ watch: String?) {
    guard let item = items[id] else { return items[id] = Item(watch: watch, day: day) }
    if item.watch != watch { items[id]!.watch = nil }
  }

  /// A session of the phone's begins: whether the server still has the budget, it is asked.
  package mutating func began() { budget = nil }

  package mutating func configured() { budget = wanted }

  /// The answer came; what was charged since it was asked for was charged on that day.
  package mutating func accepted(_ id: Int, remaining: Int64?) {
    guard let item = items[id], item.answered == nil else { return }
    items[id]!.answered = day
    guard budget != nil else { return items[id]!.watch = nil }
    guard let watch = item.watch else { return }
    let charged = charged(watch).count
    guard let budget, let remaining, item.day == day, remaining > max(0, budget - charged) else {
      return
    }
    violations.append(
      Violation(
        invariant: "I39", slug: "budget-forgotten",
        headline: "More of the complication's budget is left than can be.",
        story: [
          "\(charged) items were accepted for the \(watch) today, of \(budget), and "
            + "\(remaining) are said to be left."
        ]))
  }

  /// The phone hears that an item goes as ordinary user info.
  package mutating func untagged(_ id: Int) { items[id]?.isUntagged = true }

  private func charged(_ watch: String) -> [Item] {
    items.values.filter { $0.watch == watch && $0.day == day && $0.answered == day }
  }

  package mutating func tagged(_ id: Int) {
    guard let item = items[id], !item.isTagged else { return }
    if item.isUntagged {
      violations.append(
        Violation(
          invariant: "I39", slug: "untagged-is-current",
          headline: "A complication item came with the tag, and its phone had been told otherwise.",
          story: ["The phone was told that item \(id) goes as ordinary user info."]))
    }
    guard let watch = item.watch else { return }
    items[id]!.isTagged = true
    let count = items.values.count {
      $0.watch == item.watch && $0.day == item.day && $0.answered == item.day && $0.isTagged
    }
    guard let budget, count > budget else { return }
    violations.append(
      Violation(
        invariant: "I39", slug: "over-budget",
        headline: "More complication items were tagged than the day's budget has.",
        story: ["\(count) of one day came to the \(watch) with the tag, and \(budget) may."]))
  }
}
