import Merge

/// Dates ahead of the hub's clock. A stamp is not ahead of it, and so says who was heard first rather than who wrote
/// first. The operation keeps what the device said.
extension Intake {
  typealias Written = (operation: Operation, action: Action)

  /// Makes an operation of the device's, where what others said to be later stays above it.
  func mint(
    _ actions: [Action], writing writes: [Target: [Name: Datum]], _ shown: VersionVector,
    _ time: UInt64, above position: UInt64?
  ) {
    let ahead = writtenAhead(besides: writes, shown, time)
    let later = ahead.filter { isSaidLater($0, than: time) }
    let earlier = ahead.filter { !isSaidLater($0, than: time) }.map(\.operation.stamp).max()
    mint(actions, shown, time: time, above: position, over: earlier)
    for write in later { writeAgain(write) }
  }

  /// What other devices with whole records wrote to the same registers and these writes had not seen, where the dates of
  /// either were ahead.
  ///
  /// - Parameter time: what the device says of its own, in milliseconds since 1970.
  private func writtenAhead(
    besides writes: [Target: [Name: Datum]], _ shown: VersionVector, _ time: UInt64
  ) -> [Written] {
    let shown = withOwn(shown)
    return writes.sorted { $0.key < $1.key }.flatMap { target, registers in
      registers.keys.sorted().compactMap { register in
        guard let other = fold.writer(of: register, target, within: replica.vector),
          isBridge(other.operation.dot.replica), !shown.contains(other.operation.dot),
          time > now || other.operation.wall > Int64(other.operation.stamp.ms)
        else { return nil }
        return other
      }
    }
  }

  /// Whether a write was said to be later than one of the device's at a time, or is the phone's of the same time.
  private func isSaidLater(_ write: Written, than time: UInt64) -> Bool {
    (write.operation.wall, write.operation.stamp.rank) > (Int64(time), rank)
  }

  /// Gives a write a stamp above what has just been taken in, where that won. It has not seen that, which is kept as what
  /// lost to it.
  private func writeAgain(_ write: Written) {
    let operation = write.operation
    guard case .write(let register, _) = write.action.body,
      fold.writer(of: register, write.action.target, within: replica.vector)?.operation.dot
        != operation.dot
    else { return }
    var shown = operation.context.vector(of: operation.dot.replica)
    shown[operation.dot.replica] = replica.end(of: operation.dot.replica).seq
    append(
      replica.mint(
        [write.action], by: operation.dot.replica, rank: operation.stamp.rank, shown: shown,
        time: now, wall: operation.wall, after: fold.latest(within: replica.vector)))
  }
}
