import Cluster

/// This server's part in a shard, and the log that it asks: what `ShardOwner` wants of the log is done here and now.
///
/// Used by one thread at a time.
final class Shard {
  let log: any SharedLog
  private(set) var owner: ShardOwner
  /// How long an answer is waited for, in microseconds.
  private let patience: Int64
  /// Why the log did not answer when it was asked last.
  private(set) var silence: SharedLogSilence?
  /// What was read last; nil before.
  private(set) var piece: SharedLogPiece?
  /// What is done with the next call.
  private var later: ArraySlice<ShardOwner.Effect> = []

  init(
    _ log: any SharedLog, contact: String = "", at follower: Follower,
    settings: ShardOwner.Settings
  ) {
    self.log = log
    patience = settings.retry
    var settings = settings
    settings.entry = log.entryBytes
    owner = ShardOwner(
      name: .random(in: 1 ... .max), contact: contact, at: follower, settings: settings)
  }

  /// Microseconds of a clock that does not go back.
  static var now: Int64 { Int64(monotonicNanoseconds() / 1_000) }

  /// Does something with the owner's state, and what follows, up to the next piece of what others have appended: who
  /// wants the shard may want it no more then.
  ///
  /// - Returns: what is left for the store.
  func perform(
    _ body: (inout ShardOwner, _ now: Int64) -> [ShardOwner.Effect]
  ) -> [ShardOwner.Effect] {
    var effects = later + body(&owner, Self.now)
    later = []
    let sequence = owner.follower.sequence
    var left: [ShardOwner.Effect] = []
    while let effect = effects.popFirst() {
      switch effect {
      case .append(let bytes, let sequence):
        switch log.append(bytes, behind: sequence, patience: patience) {
        case .appended: effects = owner.appended(behind: sequence, now: Self.now) + effects
        case .refused: effects = owner.refused(behind: sequence, now: Self.now) + effects
        case .unanswered(let silence):
          self.silence = silence
          continue
        }
        silence = nil
      case .read(let place):
        guard left.isEmpty, owner.follower.sequence == sequence else {
          later = [effect] + effects
          return left
        }
        do throws(SharedLogSilence) {
          let piece = try log.read(behind: place, patience: patience)
          silence = nil
          self.piece = piece
          effects = owner.read(piece.entries, from: piece.first, now: Self.now) + effects
        } catch {
          silence = error
        }
      default: left.append(effect)
      }
    }
    return left
  }
}
