/// An immutable operation: one or more actions, applied all or none on every replica.
///
/// What a replica holds is a set of operations that only grows; merging is the union of sets, and
/// what it shows is a function of the set (Shapiro et al., "Conflict-free Replicated Data Types",
/// SSS 2011, section 2.3: a state that grows in a semilattice).
package struct Operation: Hashable, Sendable {
  package var dot: Dot
  package var stamp: Stamp
  package var context: Context
  /// What the device's own clock said, in milliseconds since 1970; for display only.
  package var wall: Int64
  /// Never empty.
  package var actions: [Action]

  package init(dot: Dot, stamp: Stamp, context: Context, wall: Int64, actions: [Action]) {
    self.dot = dot
    self.stamp = stamp
    self.context = context
    self.wall = wall
    self.actions = actions
  }

  /// Whether `other` had been seen when this was written: `other` → this.
  package func follows(_ other: Dot) -> Bool {
    other.replica == dot.replica
      ? context.own >= other.seq : context.others.contains(other)
  }
}
