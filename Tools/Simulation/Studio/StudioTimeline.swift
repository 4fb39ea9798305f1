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

  private static let parts = 8
  /// A shorter story is done anew as fast.
  private static let shortStory = 1_000
  /// Steps between two looks at the time.
  private static let stride = 16

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
    // The step before may have grown.
    parked = parked.filter { $0.value.position < before }
    for other in parked.values { other.adopt(stepsOf: world) }
  }

  /// Brings worlds to their places.
  ///
  /// - Parameter isOver: whether to stop for now.
  package mutating func prepare(until isOver: () -> Bool) {
    guard world.steps.count >= Self.shortStory else { return }
    for part in 1..<Self.parts where parked[part]?.position != place(part) && !isOver() {
      guard let other = parked[part] ?? (try? world.atItsBeginning()) else { return }
      parked[part] = other
      while other.position < place(part), !isOver() {
        other.seek(to: min(place(part), other.position + Self.stride))
      }
      other.dropLines()
    }
  }

  /// Whether all worlds are at their places.
  package var isPrepared: Bool {
    world.steps.count < Self.shortStory
      || (1..<Self.parts).allSatisfy { parked[$0]?.position == place($0) }
  }

  private func place(_ part: Int) -> Int { world.steps.count * part / Self.parts }
}
