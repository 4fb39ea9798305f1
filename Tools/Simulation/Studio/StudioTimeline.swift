/// A story that can be looked at from each of its steps, without doing all of them anew each time.
///
/// ```
/// steps   0 ─────── ⅛ ─────── ¼ ─── … ─── ⅞ ─────── end
/// worlds  (fresh)   parked    parked      parked    shown
/// ```
/// A world only goes forward. So going back takes one that is not as far, and goes on from there. Those that are parked
/// are brought to their places while nobody waits, and are used up.
package struct StudioTimeline {
  /// What is shown.
  package private(set) var world: StudioWorld
  /// Others of the same story, by their part of it: the first one is at its beginning, and is made when it is needed.
  private var parked: [Int: StudioWorld] = [:]
  /// The parts whose worlds are on their way.
  private var isAway: Set<Int> = []
  /// The story that it is now; what is on its way may be of another one.
  private var story = Story()

  fileprivate final class Story {}

  private static let parts = 8
  private static let order = [7, 4, 2, 6, 1, 3, 5]
  /// A shorter story is done anew as fast.
  private static let shortStory = 1_000

  package init(_ world: StudioWorld) { self.world = world }

  /// Goes to where so many steps are done.
  ///
  /// - Returns: whether another world is shown then, whose lines begin anew.
  package mutating func seek(to step: Int) -> Bool {
    let step = max(0, min(step, world.steps.count))
    let isBehind = world.position <= step
    let nearest = parked.filter { $0.value.position <= step }
      .max { $0.value.position < $1.value.position }
    guard let nearest, !isBehind || nearest.value.position > world.position else {
      world.seek(to: step)
      return !isBehind
    }
    parked[nearest.key] = nil
    world = nearest.value
    world.seek(to: step)
    return true
  }

  /// Does something in the place of what was still to come.
  package mutating func change(_ body: (StudioWorld) -> Void) {
    let before = world.position
    body(world)
    story = Story()
    isAway = []
    // The step before may have grown.
    parked = parked.filter { $0.value.position < before }
    for other in parked.values { other.adopt(stepsOf: world) }
  }

  // MARK: What is prepared

  /// A world on its way to its place, and nobody else's meanwhile: any thread may bring it there.
  package struct Errand: @unchecked Sendable {
    fileprivate let part: Int
    fileprivate let place: Int
    fileprivate let story: Story
    fileprivate let world: StudioWorld

    /// Brings it there.
    package func run() {
      world.seek(to: place)
      world.dropLines()
    }
  }

  /// What is to be prepared, the places farthest from others first. Each is to be run, and given to `take`.
  package mutating func errands() -> [Errand] {
    guard world.steps.count >= Self.shortStory, !world.isReal else { return [] }
    var errands: [Errand] = []
    for part in Self.order where parked[part]?.position != place(part) && !isAway.contains(part) {
      guard let other = parked[part] ?? (try? world.atItsBeginning()) else { break }
      parked[part] = nil
      isAway.insert(part)
      errands.append(Errand(part: part, place: place(part), story: story, world: other))
    }
    return errands
  }

  package mutating func adopt(_ errand: Errand) {
    guard errand.story === story else { return }
    isAway.remove(errand.part)
    parked[errand.part] = errand.world
  }

  private func place(_ part: Int) -> Int { world.steps.count * part / Self.parts }
}
