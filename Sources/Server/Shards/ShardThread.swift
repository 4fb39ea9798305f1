import Glibc
import Journal
import Storage

/// The thread on which a shard's log is followed, until the shard is this server's.
///
/// A standby is handed from thread to thread, and never with two at a time.
final class ShardThread: @unchecked Sendable {
  /// What there is to know of the shard.
  struct View {
    var state = Standby.State.following
    /// The last entry that the copy has.
    var entry: UInt64 = 0
    /// Who owns it, and how that one is reached.
    var holder: (owner: UInt64, contact: String)?
    var end: End?
  }

  /// How the thread has ended.
  enum End {
    case owner(Store, Contents)
    case failed(StoreError)
    case stopped
  }

  private struct Exchange {
    var view = View()
    var reluctance: Int64 = 0
    var isOver = false
  }

  private let exchange = Monitor(Exchange())
  /// nil once it was called: whatever it holds may keep the copy's folder locked.
  private var open: (() throws(StoreError) -> Standby)?
  private let onNews: @Sendable () -> Void

  /// - Parameters:
  ///   - open: is called on the thread.
  ///   - onNews: is called on the thread when `view` has something new, and by the store afterwards.
  init(
    _ open: @escaping () throws(StoreError) -> Standby, onNews: @escaping @Sendable () -> Void
  ) {
    self.open = open
    self.onNews = onNews
    let identifier = startThread(
      { argument in
        Unmanaged<ShardThread>.fromOpaque(argument!).takeRetainedValue().run()
        return nil
      }, Unmanaged.passRetained(self).toOpaque())
    pthread_detach(identifier)
  }

  var view: View { exchange.with { $0.view } }

  /// How long it leaves a shard that is free to others, in microseconds.
  func set(reluctance: Int64) { exchange.with { $0.reluctance = reluctance } }

  /// Has it end, unless the shard becomes this server's first.
  func stop() {
    exchange.with { $0.isOver = true }
    exchange.signal()
  }

  /// Nanoseconds between two looks what is due.
  private static let pause: UInt64 = 20_000_000

  private func run() {
    let end = follow()
    exchange.with { $0.view.end = end }
    onNews()
  }

  /// The standby goes with the return, and with it the lock of its folder: the next one may be opened then.
  private func follow() -> End {
    do throws(StoreError) {
      let standby = try open!()
      open = nil
      return try follow(standby)
    } catch {
      return .failed(error)
    }
  }

  private func follow(_ standby: Standby) throws(StoreError) -> End {
    while true {
      let (isOver, reluctance) = exchange.with { ($0.isOver, $0.reluctance) }
      guard !isOver else {
        standby.close()
        return .stopped
      }
      standby.reluctance = reluctance
      let state = try standby.step()
      let holder = standby.holder
      let isNew = exchange.with { exchange in
        let before = exchange.view
        exchange.view = View(state: state, entry: standby.sequence, holder: holder)
        return state != before.state || holder?.owner != before.holder?.owner
      }
      if state == .owner {
        let (store, contents) = try standby.serve(onWake: onNews)
        return .owner(store, contents)
      }
      if isNew { onNews() }
      if state != .behind {
        _ = exchange.wait(until: monotonicNanoseconds() + Self.pause) { $0.isOver ? true : nil }
      }
    }
  }
}
